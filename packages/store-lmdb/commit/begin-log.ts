// Begins a log: creates the file, then installs it and records it in the catalogue, in one transaction. Without the
// write lock it might replace another process's log that is in use. logged-batches.ts decides what goes into it.
import { dirname } from 'node:path';
import type { Environment } from '../environment.js';
import type { DiskReserve } from '../lmdb/disk-reserve.js';
import { LogFile } from '../wal/log-file.js';
import type { Group, Work } from './commits.js';

/** Records the log of this epoch as the store's; false if another process has begun one since. */
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

/** The file of the new log; undefined if there is none: without one a store is only slower. */
export async function beginLog(
  environment: Environment,
  submit: <T>(work: Work<T>) => Promise<T>,
  reserve: DiskReserve,
): Promise<LogFile | undefined> {
  if (!reserve.isAmple()) return undefined;
  let file: LogFile | undefined;
  try {
    const epoch = environment.nextLogEpoch();
    file = await LogFile.prepare(dirname(environment.path), epoch);
    if (await submit(new BeginLogWork(environment, file, epoch))) return file;
    await file.withdraw();
  } catch {
    environment.disownLog();
    await file?.withdraw().catch(() => undefined);
  }
  return undefined;
}
