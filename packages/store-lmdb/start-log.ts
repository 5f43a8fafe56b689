// Begins to use a log: makes the file, then marks it in the catalogue. What goes into it is commit-log.ts's affair.
import { dirname } from 'node:path';
import type { CommitQueue, Group, Work } from './commit-queue.js';
import type { Environment } from './environment.js';
import { LogFile } from './log-file.js';
import type { Room } from './room.js';

/** Marks the log of this epoch as the store's; false if somebody else has begun one meanwhile. */
class BeginLogWork implements Work<boolean> {
  readonly #environment: Environment;
  readonly #epoch: bigint;

  constructor(environment: Environment, epoch: bigint) {
    this.#environment = environment;
    this.#epoch = epoch;
  }

  run({ counters }: Group): boolean {
    if (this.#environment.nextLogEpoch() !== this.#epoch) return false;
    // Whoever has decided early without having seen the mark finds another last tick.
    const tick = counters.nextTick();
    counters.useTick(tick);
    this.#environment.beginLog();
    return true;
  }
}

/** Without a log a store is slower and no worse: a file that cannot be made is done without. */
export async function startLog(environment: Environment, queue: CommitQueue, room: Room): Promise<void> {
  if (!room.isAmple()) return;
  const directory = dirname(environment.path);
  try {
    const epoch = environment.nextLogEpoch();
    const file = await LogFile.create(directory, epoch);
    if (await queue.add(new BeginLogWork(environment, epoch))) queue.useLog(file);
    else await file.discard();
  } catch {
    // The file is nobody's, and the next log takes its place.
  }
}
