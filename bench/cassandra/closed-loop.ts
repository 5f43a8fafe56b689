// Clients that each run one step after another until the time is up; or one that runs one step once.
import type { Latency } from '../load/job.js';
import { Latencies } from '../load/statistics.js';

/** `step` gets the number of the client and of the step, which is used once. Latencies are those of steps. */
export async function closedLoop(
  clients: number,
  milliseconds: number,
  step: (client: number, sequence: number) => Promise<unknown>,
): Promise<{ readonly steps: number; readonly latency: Latency }> {
  const latencies = new Latencies();
  const until = performance.now() + milliseconds;
  let sequence = 0;
  const client = async (number: number): Promise<void> => {
    while (performance.now() < until) {
      const since = performance.now();
      await step(number, sequence++);
      latencies.add(performance.now() - since);
    }
  };
  await Promise.all(Array.from({ length: clients }, (_, number) => client(number)));
  return { steps: latencies.count, latency: latencies.summary() };
}

export async function once(step: () => Promise<unknown>): Promise<Latency> {
  const latencies = new Latencies();
  const since = performance.now();
  await step();
  latencies.add(performance.now() - since);
  return latencies.summary();
}
