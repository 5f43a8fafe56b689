// One subject works while the others are held still: what was started is paused, and resumed for its turn only once it has finished what it still had to do.
// Whose turn it is, and what is measured in it, is for others.
import type { Contestant } from './contestant.js';
import { warm } from './warm.js';

export function holdStill({ processes }: Pick<Contestant, 'processes'>): void {
  for (const process of processes) process.pause();
}

/** Lets a contestant that is held still do its work, once it has finished what it had to do, and holds it still again. */
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
