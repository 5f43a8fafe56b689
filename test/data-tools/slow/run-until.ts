// Runs a data tool in a process of its own, killed at moments of chance and resumed, until it ends.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Work } from './killed-tool.js';

const PROGRAM = fileURLToPath(new URL('killed-tool.js', import.meta.url));

/** Whether it ended before it was killed. */
export async function runUntil(
  work: Work,
  milliseconds: number | undefined,
  repeat: string,
): Promise<boolean> {
  const child = spawn(process.execPath, [PROGRAM, JSON.stringify(work)], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let text = '';
  child.stderr.on('data', chunk => {
    text += String(chunk);
  });
  const closed = once(child, 'close');
  const timer = new AbortController();
  if (milliseconds !== undefined)
    setTimeout(milliseconds, undefined, { signal: timer.signal }).then(
      () => child.kill('SIGKILL'),
      () => undefined,
    );
  const [code, signal] = await closed;
  timer.abort();
  assert(code === 0 || signal === 'SIGKILL', `${work.tool} ended with ${code}: ${text}; ${repeat}`);
  return code === 0;
}

interface Kills {
  /** At least so many, over all runs. */
  readonly count: number;
  readonly chance: () => number;
  /** The command that repeats them. */
  readonly repeat: string;
}

/** Runs the tool to its end, again and again, until it was killed so often. The first run is not, and has the time of one. */
export async function untilKilled(
  { count, chance, repeat }: Kills,
  each: (run: number, toEnd: (work: Work) => Promise<void>) => Promise<void>,
): Promise<void> {
  let [kills, longest] = [0, 0];
  for (let run = 0; kills < count; run++)
    await each(run, async work => {
      const started = performance.now();
      let isDone = run === 0 && (await runUntil(work, undefined, repeat));
      if (isDone) longest = performance.now() - started;
      for (let times = 0; !isDone; times++) {
        // Some runs are killed so often that they would never end if they began again each time.
        const delay = times > 6 ? undefined : 150 + chance() * (longest - 100);
        isDone = await runUntil(work, delay, repeat);
        if (!isDone) kills++;
      }
    });
}
