// Divides runs among threads and watches that each makes progress: an endless run is a failure too.
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { PARTS, type PartName } from '../parts.js';
import { caseOf } from './make-runs.js';
import type { Ended, Runs, Tally } from './part.js';
import type { ThreadStart } from './thread.js';

const THREAD = fileURLToPath(new URL('./thread.js', import.meta.url));
const PLACES = Math.min(2, availableParallelism());
/** No run takes a hundredth of it, but the machine may be busy. */
const SILENCE_MILLISECONDS_MAX = 120_000;
const LOOK_MILLISECONDS = 1_000;
/** Allowed growth of the caches after the second tenth of the runs. All of them are bounded. */
const GROWTH_BYTES_MAX = 24 * 1_048_576;

export interface Report {
  readonly isSound: boolean;
  /** A finding, or a summary. */
  readonly text: string;
}

function watchThread(start: ThreadStart): Promise<Ended> {
  const current = new Int32Array(start.progress);
  const worker = new Worker(THREAD, { workerData: start });
  return new Promise((resolve, reject) => {
    let seen = -1;
    let since = performance.now();
    const isEndless = async (): Promise<void> => {
      clearInterval(looking);
      const run = Atomics.load(current, 0);
      const text = `It never ends.\n${await caseOf(PARTS[start.name], start.share.seed, run)}`;
      resolve({ kind: 'failed', run, text });
    };
    const looking = setInterval(() => {
      const run = Atomics.load(current, 0);
      if (run !== seen) {
        seen = run;
        since = performance.now();
      } else if (performance.now() - since > SILENCE_MILLISECONDS_MAX) {
        void isEndless();
        void worker.terminate();
      }
    }, LOOK_MILLISECONDS);
    let hasEnded = false;
    worker.once('message', (end: Ended) => {
      hasEnded = true;
      resolve(end);
    });
    worker.once('error', reject);
    worker.once('exit', () => {
      clearInterval(looking);
      // Nothing to wait for and no answer: it never comes.
      if (!hasEnded) void isEndless();
    });
  });
}

/** From the first run that the failing one depends on up to itself. */
const repeatCommand = (name: string, seed: number, from: number, run: number): string =>
  `Repeat: node dist/test/fuzz/main.js --part ${name} --seed ${seed} --first ${from} --runs ${run - from + 1}`;

/** Most often first. */
const tallyText = (tally: Tally): string =>
  [...tally]
    .sort(([, a], [, b]) => b - a)
    .map(([outcome, times]) => `${String(times).padStart(9)} ${outcome}`)
    .join('\n');

export async function watchPart(name: PartName, wanted: Runs): Promise<Report> {
  const { seed, first, runs } = wanted;
  const starts = Array.from({ length: PLACES }, (_, place): ThreadStart => {
    return { name, share: { ...wanted, place, places: PLACES }, progress: new SharedArrayBuffer(4) };
  });
  const tally = new Map<string, number>();
  let grownBytes = 0;
  let failed: Extract<Ended, { kind: 'failed' }> | undefined;
  for (const end of await Promise.all(starts.map(watchThread))) {
    if (end.kind === 'done') {
      for (const [outcome, times] of end.tally) tally.set(outcome, (tally.get(outcome) ?? 0) + times);
      grownBytes = Math.max(grownBytes, end.grownBytes);
    } else if (failed === undefined || end.run < failed.run) failed = end;
  }
  const { epoch, isEnough = () => true } = PARTS[name];
  if (failed !== undefined) {
    const { run, text } = failed;
    const repeat = repeatCommand(name, seed, run - (run % epoch), run);
    return { isSound: false, text: `Seed ${seed}, run ${run}: ${text}\n${repeat}` };
  }
  const text = tallyText(tally);
  if (!isEnough(tally, runs)) return { isSound: false, text: `Hardly any caller was let in:\n${text}` };
  if (grownBytes <= GROWTH_BYTES_MAX) return { isSound: true, text };
  const repeat = repeatCommand(name, seed, first, first + runs - 1);
  const grown = `The memory grew by ${grownBytes} bytes after the second tenth of the runs.`;
  return { isSound: false, text: `${grown}\n${repeat}` };
}
