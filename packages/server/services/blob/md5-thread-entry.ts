// The thread that computes the MD5 of long bodies: of each that is under way, from its first message on.
import { createHash } from 'node:crypto';
import { parentPort } from 'node:worker_threads';
import type { Md5Done, Md5Job } from './md5-thread.js';

const sums = new Map<number, ReturnType<typeof createHash>>();

function sumOf(sum: number): ReturnType<typeof createHash> {
  const known = sums.get(sum);
  if (known) return known;
  const begun = createHash('md5');
  sums.set(sum, begun);
  return begun;
}

/** Nothing where no answer is wanted. */
function done(job: Md5Job): Md5Done | undefined {
  const { sum } = job;
  switch (job.kind) {
    case 'update':
      sumOf(sum).update(new Uint8Array(job.memory, 0, job.length));
      return { sum, md5: undefined };
    case 'end':
      return { sum, md5: new Uint8Array(sumOf(sum).digest()) };
    case 'drop':
      sums.delete(sum);
      return undefined;
  }
}

parentPort?.on('message', (job: Md5Job) => {
  const answer = done(job);
  if (answer !== undefined) parentPort?.postMessage(answer);
});
