// Begins to use a log: makes the file, then puts it in its place and marks it in the catalogue, in one transaction: without the right to
// write somebody else's log might be replaced that is in use. What goes into it is logged-commits.ts's affair.
import { dirname } from 'node:path';
import type { Environment } from '../environment.js';
import type { DiskReserve } from '../lmdb/disk-reserve.js';
import { LogFile } from '../wal/log-file.js';
import type { Commits, Group, Work } from './commits.js';

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
    // A commit that was decided before this fence was seen finds another last tick.
    const tick = counters.nextTick();
    counters.useTick(tick);
    this.#environment.beginLog();
    return true;
  }
}

/** The file of the log that was begun; undefined if there is none: without one a store is slower and no worse. */
export async function beginLog(
  environment: Environment,
  transactions: Pick<Commits, 'submit'>,
  reserve: DiskReserve,
): Promise<LogFile | undefined> {
  if (!reserve.isAmple()) return undefined;
  let file: LogFile | undefined;
  try {
    const epoch = environment.nextLogEpoch();
    file = await LogFile.prepare(dirname(environment.path), epoch);
    if (await transactions.submit(new BeginLogWork(environment, file, epoch))) return file;
    await file.withdraw();
  } catch {
    environment.disownLog();
    await file?.withdraw().catch(() => undefined);
  }
  return undefined;
}
