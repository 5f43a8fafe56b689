// Divides runs among threads and checks that each makes progress: a run that never ends is a failure too.
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { Tally, ThreadEnd, ThreadStart } from './thread-message.js';

const THREAD = fileURLToPath(new URL('./direct-thread.js', import.meta.url));
/** No run takes a hundredth of it, but the machine may be busy. */
const SILENCE_MILLISECONDS_MAX = 120_000;
const LOOK_MILLISECONDS = 1_000;
/** What the caches may still take up after the second tenth of the runs. All of them are bounded. */
const GROWTH_BYTES_MAX = 24 * 1_048_576;

export type Watched =
  | { readonly kind: 'done'; readonly tally: Tally; readonly grownBytes: number }
  | { readonly kind: 'failed'; readonly run: number; readonly isEndless: boolean }
  | { readonly kind: 'grown'; readonly bytes: number };

type OneWatched = ThreadEnd | { readonly kind: 'endless'; readonly run: number };

function watchThread(share: ThreadStart['share']): Promise<OneWatched> {
  const progress = new SharedArrayBuffer(4);
  const current = new Int32Array(progress);
  const start: ThreadStart = { share, progress };
  const worker = new Worker(THREAD, { workerData: start });
  return new Promise((resolve, reject) => {
    let seen = -1;
    let since = performance.now();
    const looking = setInterval(() => {
      const run = Atomics.load(current, 0);
      if (run !== seen) {
        seen = run;
        since = performance.now();
      } else if (performance.now() - since > SILENCE_MILLISECONDS_MAX) {
        resolve({ kind: 'endless', run });
        void worker.terminate();
      }
    }, LOOK_MILLISECONDS);
    worker.once('message', (end: ThreadEnd) => resolve(end));
    worker.once('error', reject);
    worker.once('exit', () => {
      clearInterval(looking);
      // Nothing to wait for and no answer: it never comes. Without effect where the thread has ended well.
      resolve({ kind: 'endless', run: Atomics.load(current, 0) });
    });
  });
}

/** The first failure by its number, or what all threads found together. */
export async function watchThreads(
  { seed, first, runs }: { readonly seed: number; readonly first: number; readonly runs: number },
  places: number,
): Promise<Watched> {
  const ends = await Promise.all(
    Array.from({ length: places }, (_, place) => watchThread({ seed, first, runs, place, places })),
  );
  const tally = new Map<string, number>();
  let grownBytes = 0;
  let failed: Extract<Watched, { kind: 'failed' }> | undefined;
  for (const end of ends) {
    if (end.kind === 'done') {
      for (const [outcome, times] of end.tally) tally.set(outcome, (tally.get(outcome) ?? 0) + times);
      grownBytes = Math.max(grownBytes, end.grownBytes ?? 0);
    } else if (failed === undefined || end.run < failed.run)
      failed = { kind: 'failed', run: end.run, isEndless: end.kind === 'endless' };
  }
  if (failed) return failed;
  return grownBytes > GROWTH_BYTES_MAX
    ? { kind: 'grown', bytes: grownBytes }
    : { kind: 'done', tally, grownBytes };
}
