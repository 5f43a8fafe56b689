// Finds what is only in a store's log, while other processes may be writing to the log and the trees, and adds it to a
// copy of the trees that was begun afterwards. wal/recovery.ts replays a store's own log.
//
// Why the two together have everything acknowledged before: an acknowledged record stays in the log until it is in the
// trees, which happens before its segment is overwritten. So either the reading finds it, or it is in the trees before
// the reading ends, and in the copy. The copy may be of a later moment than the reading, in the middle of a checkpoint:
// each transaction of a checkpoint leaves a state of the store (wal/write-ahead-log.ts), so nothing is missing that
// only a later record would add. A reading may meet records of a segment that is being overwritten, half old and half
// new. They look damaged, or records are missing in the middle, which their ticks reveal: then it reads again. A
// segment lasts much longer than a reading.
import { rmSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { StoreError } from '#store';
import { LOCKS_BYTES, openCatalog, openRoot, openRows } from '../environment.js';
import { isUnread } from '../layout/catalog.js';
import { makeLockFile } from '../lmdb/directory.js';
import { engineError } from '../lmdb/engine-error.js';
import { type LogRecord, readOwnLog, replayRecords, unreadRecords } from '../wal/index.js';
import { readCatalog } from './file-trees.js';

export interface UnreadLog {
  readonly epoch: bigint;
  readonly records: readonly LogRecord[];
}

const READINGS_MAX = 5;
const PAUSE_MS = 20;

/**
 * Undefined if nothing is only in the log. The caller holds a snapshot of the store, or no process writes.
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

/** Reads the trees after the log, so that whatever a checkpoint moved in the meantime is found there. */
function readUnread(path: string): UnreadLog | undefined {
  const { log } = readCatalog(path);
  if (!isUnread(log)) return undefined;
  const { epoch } = log;
  const records = readOwnLog(path, epoch);
  const { log: mark, counters } = readCatalog(path);
  // Another process has taken it over since, and all of it is in the trees.
  if (!isUnread(mark) || mark.epoch !== epoch) return undefined;
  return { epoch, records: unreadRecords(records, { begun: mark.tick, tick: counters.tick, path }) };
}

/**
 * Turns a copy of the trees into a closed store: with what was only in the log, and without a log. Leaves out records
 * of a log begun after `log` was read.
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
    const rows = openRows(root, path, chunk);
    root.transactionSync(() => replayRecords({ catalog, rows, path }, records));
    await root.close();
  } catch (error) {
    throw engineError(error, path);
  } finally {
    rmSync(lockPath, { force: true });
  }
}
