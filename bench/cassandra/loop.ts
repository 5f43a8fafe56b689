// Clients that each run one step after another until the time is up, and retries.
import { createHistogram } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { latencyOf } from '../load/autocannon.js';
import type { Sample } from '../subjects/subject.js';

export type Say = (line: string) => void;

const NANOSECONDS = 1e6;
const ATTEMPTS = 5;
const PAUSE_MILLISECONDS = 2000;

/** `step` gets the number of the client and of the step, which is used once; each is so many rows. */
export async function closedLoop(
  clients: number,
  seconds: number,
  rows: number,
  step: (client: number, sequence: number) => Promise<unknown>,
): Promise<Sample> {
  const histogram = createHistogram();
  const start = performance.now();
  let sequence = 0;
  const client = async (number: number): Promise<void> => {
    while (performance.now() - start < seconds * 1000) {
      const since = performance.now();
      await step(number, sequence++);
      histogram.record(Math.ceil((performance.now() - since) * NANOSECONDS));
    }
  };
  await Promise.all(Array.from({ length: clients }, (_, number) => client(number)));
  return {
    perSecond: (histogram.count * rows * 1000) / (performance.now() - start),
    latency: latencyOf(histogram),
  };
}

/** One pass over so many rows. */
export async function timed(rows: number, pass: () => Promise<unknown>): Promise<Sample> {
  const start = performance.now();
  await pass();
  return { perSecond: (rows * 1000) / (performance.now() - start) };
}

/** Tries again, because a cluster may be too slow for a moment; each failure is said. */
export async function patiently<T>(what: string, say: Say, work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      say(`${what} failed at attempt ${attempt}: ${error}`);
      if (attempt === ATTEMPTS) throw error;
      await sleep(PAUSE_MILLISECONDS);
    }
  }
}
