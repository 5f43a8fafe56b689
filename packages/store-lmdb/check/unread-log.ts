// What stands in a store's log alone, found while others may be writing to the log and to the trees; and how it comes into a copy
// of the trees that was begun afterwards. wal/recovery.ts replays a store's own log.
//
// Why the two together have all that was answered before: a record that was answered is in the log until it is in the trees, which
// is before its half of the log is written over. So it is read, or it is in the trees before the reading ends, and in the copy.
// The copy may be of a later moment than the reading, in the middle of a checkpoint: each transaction of one leaves a state of the store
// (wal/write-ahead-log.ts), so nothing is missing that only a record after the reading would bring.
// A reading takes time and may meet records of a half that is being written over, half old and half new. Then it is damage to all
// appearance, or records are missing in the middle, which their ticks tell: it is done again. A half lasts much longer than a reading.
import { rmSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { StoreError } from '#store';
import { LOCKS_BYTES, openCatalog, openRoot, openRows } from '../environment.js';
import { engineError } from '../lmdb/engine-error.js';
import { makeLockFile } from '../lmdb/lock-file.js';
import type { LogRecord } from '../wal/log-file.js';
import { isUnread, readOwnLog, replayRecords, unreadRecords } from '../wal/recovery.js';
import { readCatalog } from './read-catalog.js';

export interface UnreadLog {
  readonly epoch: bigint;
  readonly records: readonly LogRecord[];
}

const READINGS_MAX = 5;
const PAUSE_MS = 20;

/**
 * Undefined if nothing stands in the log alone. A snapshot of the store is held, or nobody writes.
 *
 * @throws StoreError `corrupt` if the log is damaged, missing or another store's, or if the catalogue is damaged.
 */
export async function unreadLog(path: string): Promise<UnreadLog | undefined> {
  for (let reading = 1; ; reading += 1) {
    try {
      return readUnread(path);
    } catch (error) {
      const isDamage = error instanceof StoreError && error.code === 'corrupt';
      if (!isDamage || reading === READINGS_MAX) throw error;
      await pause(PAUSE_MS);
    }
  }
}

/** The trees are looked at after the log: what went into them and out of it meanwhile is found there. */
function readUnread(path: string): UnreadLog | undefined {
  const { log } = readCatalog(path);
  if (!isUnread(log)) return undefined;
  const { epoch } = log;
  const records = readOwnLog(path, epoch);
  const { log: mark, tick } = readCatalog(path);
  // Somebody has taken it over since, and it is all in the trees.
  if (!isUnread(mark) || mark.epoch !== epoch) return undefined;
  return { epoch, records: unreadRecords(records, { begun: mark.tick, tick, path }) };
}

/**
 * Makes a copy of the trees a store that was closed: with what stood in the log alone, and without a log. What a log has that was
 * begun after `log` was read is left out.
 *
 * @throws StoreError
 */
export async function closeCopy(path: string, log: UnreadLog | undefined): Promise<void> {
  const { log: mark, chunk } = readCatalog(path);
  if (!isUnread(mark) || chunk === undefined) return;
  const records = mark.epoch === log?.epoch ? log.records : [];
  const lockPath = `${path}-lock`;
  try {
    makeLockFile(path, LOCKS_BYTES);
    const root = openRoot(path, 'none');
    const catalog = openCatalog(root, path);
    const { rows } = openRows(root, path, chunk);
    root.transactionSync(() => replayRecords({ catalog, rows, path }, records));
    await root.close();
  } catch (error) {
    throw engineError(error, path);
  } finally {
    rmSync(lockPath, { force: true });
  }
}
