// Begins to use a log: makes the file, then puts it in its place and marks it in the catalogue, in one transaction: without the right to
// write somebody else's log might be replaced that is in use. What goes into it is commit-log.ts's affair.
import { dirname } from 'node:path';
import type { CommitQueue, Group, Work } from '../commit/commit-queue.js';
import type { DiskReserve } from '../commit/disk-reserve.js';
import type { Environment } from '../environment.js';
import { LogFile } from './log-file.js';

/** Marks the log of this epoch as the store's; false if somebody else has begun one meanwhile. */
class BeginLogWork implements Work<boolean> {
  readonly #environment: Environment;
  readonly #file: LogFile;
  readonly #epoch: bigint;

  constructor(environment: Environment, file: LogFile, epoch: bigint) {
    this.#environment = environment;
    this.#file = file;
    this.#epoch = epoch;
  }

  run({ counters }: Group): boolean {
    if (this.#environment.nextLogEpoch() !== this.#epoch) return false;
    this.#file.place();
    // Whoever has decided early without having seen the mark finds another last tick.
    const tick = counters.nextTick();
    counters.useTick(tick);
    this.#environment.beginLog();
    return true;
  }
}

/** Without a log a store is slower and no worse: a file that cannot be made is done without. */
export async function startLog(
  environment: Environment,
  queue: CommitQueue,
  room: DiskReserve,
): Promise<void> {
  if (!room.isAmple()) return;
  let file: LogFile | undefined;
  try {
    const epoch = environment.nextLogEpoch();
    file = await LogFile.prepare(dirname(environment.path), epoch);
    if (await queue.add(new BeginLogWork(environment, file, epoch))) queue.useLog(file);
    else await file.withdraw();
  } catch {
    environment.disownLog();
    await file?.withdraw().catch(() => undefined);
  }
}
