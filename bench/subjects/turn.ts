// One subject works while the others are paused: it is resumed for its turn, and measured only after it has finished
// pending work. Callers decide on the turns and the measurement.
import type { Contestant } from './contestant.js';
import { warm } from './warm.js';

export function holdStill({ processes }: Pick<Contestant, 'processes'>): void {
  for (const process of processes) process.pause();
}

/** Resumes a paused contestant, waits until it has finished pending work, lets it do its work, and pauses it again. */
export async function inTurn<T>(
  contestant: Pick<Contestant, 'processes' | 'data'>,
  work: () => Promise<T>,
): Promise<T> {
  const { processes, data } = contestant;
  for (const process of processes) process.resume();
  await Promise.all(processes.map(process => process.settle()));
  if (data !== undefined) await warm(data);
  const result = await work();
  holdStill(contestant);
  return result;
}
