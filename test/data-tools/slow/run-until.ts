// Runs a data tool in a process of its own until it ends or is killed.
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
