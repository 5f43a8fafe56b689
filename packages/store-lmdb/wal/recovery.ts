// Which process may use a store's log, and how what is only in the log gets into the trees. The log's fence in the
// catalogue (catalog.ts) has the answer: one process uses the log; a process that opens the store takes it over,
// whether its user is alive or dead. log-file.ts knows what a record of the log looks like, the commit queue what its
// user does with it.
//
// The user appends and syncs, then checks that the fence is still its own, and only then answers. The process that
// takes over sets the fence to `taken`, durably, and only then reads the file; then it replays and sets the fence to
// `read`, with the last tick that is in the trees. So either a record was in the file before it was read, or its user
// finds the fence taken before it answers, and then the tick shows whether the record was replayed. This is why there
// are two transactions. A process that dies between them leaves `taken`, and the next one continues from there; its
// reading finds at least what the first would have found.
import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { StoreError } from '#store';
import { type Catalog, FORMAT_LOGGED, FORMAT_PLAIN, isUnread, type LogFence } from '../layout/catalog.js';
import type { Rows } from '../layout/rows.js';
import { spendReserve } from '../lmdb/disk-reserve.js';
import { BLOCK_BYTES, LOG_BYTES, LOG_NAME } from './log-file.js';
import { decodeHead, type LogRecord, readLog } from './read-log.js';

/** What a log is replayed into. */
interface ReplayParts {
  readonly catalog: Catalog;
  readonly rows: Rows;
  /** The data file; the log is next to it. */
  readonly path: string;
}

interface ClaimParts extends ReplayParts {
  /** A write transaction; fulfilled when it is durable. */
  readonly transaction: (write: () => void) => Promise<void>;
}

/** Space that a whole log's changes take in the trees, unless they are spread too thin. */
const REPLAY_BYTES = 2 * LOG_BYTES;

/**
 * A store's claim on the log, by its fence: this process may use the log, or another one does, or did until it was
 * killed.
 */
export class LogClaim {
  readonly #options: ClaimParts;
  readonly #catalog: Catalog;
  /** The epoch of the log that this store writes to. */
  #epoch: bigint | undefined;
  /** The transaction in which this store marked a log as taken. */
  #takenIn: number | undefined;

  constructor(options: ClaimParts) {
    this.#options = options;
    this.#catalog = options.catalog;
  }

  /** The epoch of the next log. */
  nextEpoch(): bigint {
    return (this.#catalog.getLogFence()?.epoch ?? 0n) + 1n;
  }

  /** Call inside a write transaction in which no other process has begun a log before. */
  begin(): void {
    this.#epoch = beginLog(this.#catalog, this.#options.rows.chunk);
  }

  /** Call if no log was begun after all. */
  disown(): void {
    this.#epoch = undefined;
  }

  /** Whether another process's log must be replayed before anything is decided. */
  isForeign(): boolean {
    return this.#isForeign(this.#catalog.getLogFence());
  }

  /** Call when all of this store's log is in the trees. */
  async end(): Promise<void> {
    await this.#options.transaction(() => {
      if (!this.isForeign()) endLog(this.#catalog);
    });
    this.#epoch = undefined;
  }

  /**
   * Replays this store's log into the trees, as another process does when it opens the store. Returns the last tick
   * that came from it; undefined if that can no longer be known, since another log was begun in the meantime.
   */
  async takeBack(): Promise<bigint | undefined> {
    const epoch = this.#epoch;
    this.#epoch = undefined;
    let mark: LogFence | undefined;
    try {
      await this.#options.transaction(() => {
        mark = this.#catalog.getLogFence();
      });
    } catch (error) {
      this.#epoch = epoch;
      throw error;
    }
    return mark?.epoch === epoch ? mark?.tick : undefined;
  }

  /**
   * Replays into the trees what is only in the log, whichever process uses it. Another process may take the log, and
   * begin another, at the same time.
   */
  take(writeSync: <T>(write: () => T) => T): void {
    if (isUnread(this.#catalog.getLogFence())) spendReserve(dirname(this.#options.path), REPLAY_BYTES);
    while (writeSync(() => fenceLog(this.#catalog))) writeSync(() => replayLog(this.#options));
  }

  /**
   * Call inside a write transaction, of this number, which is to end if this did something: each step must be durable
   * before the next. LMDB's package may give one transaction to several callers.
   */
  takeStep(transaction: number): boolean {
    const mark = this.#catalog.getLogFence();
    if (!this.#isForeign(mark)) return false;
    if (mark?.state === 'used') {
      fenceLog(this.#catalog);
      this.#takenIn = transaction;
    } else if (transaction !== this.#takenIn) replayLog(this.#options);
    return true;
  }

  #isForeign(mark: LogFence | undefined): boolean {
    return isUnread(mark) && (mark.state === 'taken' || mark.epoch !== this.#epoch);
  }
}

/**
 * True if there is a log to replay. Call inside a write transaction, which must be durable before the one of
 * `replayLog`.
 */
export function fenceLog(catalog: Catalog): boolean {
  const mark = catalog.getLogFence();
  if (!isUnread(mark)) return false;
  if (mark.state === 'used') catalog.putLogFence({ ...mark, state: 'taken' });
  return true;
}

/**
 * Call inside the write transaction after that of `fenceLog`. Changes nothing if another process was faster, which may
 * also have begun another log since.
 *
 * @throws StoreError `corrupt`, before the first change.
 */
export function replayLog({ catalog, rows, path }: ReplayParts): void {
  const mark = catalog.getLogFence();
  if (mark?.state !== 'taken') return;
  replayRecords({ catalog, rows, path }, readOwnLog(path, mark.epoch));
}

/**
 * The records of the log of this epoch, which is in use or taken.
 *
 * @throws StoreError `corrupt` if it is damaged, missing or another one: acknowledged writes are then lost.
 */
export function readOwnLog(path: string, epoch: bigint): readonly LogRecord[] {
  const logPath = logPathOf(path);
  if (!existsSync(logPath)) throw missingLog(path);
  const records = readLog(logPath, epoch);
  if (records.length === 0 && !isOfEpoch(logPath, epoch)) throw otherLog(path, epoch);
  return records;
}

/** The same with records that were read before, of the fence's epoch. */
export function replayRecords({ catalog, rows, path }: ReplayParts, records: readonly LogRecord[]): void {
  const mark = catalog.getLogFence();
  if (!isUnread(mark)) return;
  const counters = catalog.getCounters();
  const unread = unreadRecords(records, { begun: mark.tick, tick: counters.tick, path });
  for (const { changes } of unread) {
    for (const { key, bytes } of changes) rows.apply(key, bytes);
  }
  const tick = unread.at(-1)?.tick;
  if (tick !== undefined) catalog.putCounters({ ...counters, tick });
  closeFence(catalog, mark.epoch);
}

/**
 * Call inside a write transaction that changes nothing else. The file of the returned epoch has to be in place, with
 * its name durable, before the transaction is.
 *
 * @throws StoreError `busy` if there is a log to replay first.
 */
export function beginLog(catalog: Catalog, chunk: number): bigint {
  const mark = catalog.getLogFence();
  if (isUnread(mark)) throw new StoreError('busy', 'The log of the store is in use by somebody else.');
  const epoch = (mark?.epoch ?? 0n) + 1n;
  catalog.putLogFence({ epoch, state: 'used', tick: catalog.getCounters().tick });
  catalog.putFormat({ version: FORMAT_LOGGED, chunk });
  return epoch;
}

/**
 * The log's user calls this inside a write transaction, when all of the log is in the trees. Leaves a taken log alone.
 */
export function endLog(catalog: Catalog): void {
  const mark = catalog.getLogFence();
  if (mark?.state === 'used') closeFence(catalog, mark.epoch);
}

const logPathOf = (path: string): string => join(dirname(path), LOG_NAME);

/** Where the trees end. */
interface TreeEnd {
  /** The last tick in them when the log was begun. */
  readonly begun: bigint;
  /** The last tick in them. */
  readonly tick: bigint;
  /** The data file. */
  readonly path: string;
}

/**
 * The records that the trees lack. Each of them begins where the one before it ends, and the first one where the trees
 * end.
 *
 * @throws StoreError `corrupt` if they do not.
 */
export function unreadRecords(
  records: readonly LogRecord[],
  { begun, tick, path }: TreeEnd,
): readonly LogRecord[] {
  const unread: LogRecord[] = [];
  let last = tick;
  for (const record of records) {
    const isInTrees = unread.length === 0 && record.tick <= tick;
    const isNext = record.basis === last && record.tick > last;
    if (record.basis < begun || !(isInTrees || isNext)) throw foreignLog(path, record, last);
    if (isInTrees) continue;
    unread.push(record);
    last = record.tick;
  }
  return unread;
}

function closeFence(catalog: Catalog, epoch: bigint): void {
  catalog.putLogFence({ epoch, state: 'read', tick: catalog.getCounters().tick });
  const format = catalog.getFormat();
  if (format !== undefined) catalog.putFormat({ ...format, version: FORMAT_PLAIN });
}

function isOfEpoch(logPath: string, epoch: bigint): boolean {
  const head = Buffer.alloc(BLOCK_BYTES);
  const file = openSync(logPath, 'r');
  try {
    return decodeHead(head.subarray(0, readSync(file, head)))?.epoch === epoch;
  } finally {
    closeSync(file);
  }
}

const REUNION = 'put both back as they were together, or restore a backup into another directory.';

function missingLog(path: string): StoreError {
  const what = `${path} was not closed, and ${LOG_NAME} beside it, with its last writes, is missing`;
  return new StoreError('corrupt', `${what}: ${REUNION}`);
}

function otherLog(path: string, epoch: bigint): StoreError {
  const what = `${logPathOf(path)} is not the log ${epoch} of ${path}, which may have last writes of its own`;
  return new StoreError('corrupt', `${what}: ${REUNION}`);
}

function foreignLog(path: string, { sequence, basis }: LogRecord, last: bigint): StoreError {
  const what = `${logPathOf(path)} does not continue ${path}`;
  const where = `its record ${sequence} follows on tick ${basis}, and what is there ends with tick ${last}`;
  return new StoreError(
    'corrupt',
    `${what}: ${where}. One of the two is of another store or time: ${REUNION}`,
  );
}
