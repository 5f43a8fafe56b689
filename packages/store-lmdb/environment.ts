// Opens the LMDB file of a store, checks that it is one and that this version can read it, and closes it.
// What is in the file is known to catalog.ts, keys.ts and long-keys.ts; what happens to it to the others.
import { closeSync, openSync, realpathSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { StoreError } from '#store';
import {
  Catalog,
  FORMAT_LOGGED,
  FORMAT_PLAIN,
  type LogFence,
  type SpaceKey,
  writeSpaceKey,
} from './layout/catalog.js';
import { type RowKey, writeRowKey } from './layout/keys.js';
import { LongKeys } from './layout/long-keys.js';
import { LONG_TREE, ROWS_TREE, Rows } from './layout/rows.js';
import { spendReserve } from './lmdb/disk-reserve.js';
import { commitError, EngineError, engineError } from './lmdb/engine-error.js';
import { checkFileHead, PAGE_BYTES, REMEDY, restoreFileLength } from './lmdb/file-head.js';
import { FileMap } from './lmdb/file-map.js';
import { LastTransaction } from './lmdb/last-transaction.js';
import { open, type RootDatabase, type Transaction } from './lmdb/lmdb.js';
import { makeLockFile } from './lmdb/lock-file.js';
import { makeDirectory } from './lmdb/make-directory.js';
import { mapSizeOf } from './lmdb/map-size.js';
import { beginWriting, endWriting } from './lmdb/sudden-exit.js';
import { syncDirectories, syncFile } from './lmdb/sync-file.js';
import { ReadSnapshot, Tree } from './lmdb/tree.js';
import { unusableDirectory } from './lmdb/unusable-directory.js';
import { LOG_BYTES } from './wal/log-file.js';
import { beginLog, endLog, fenceLog, isUnread, replayLog } from './wal/recovery.js';

export type Durability = 'full' | 'none';

export interface EnvironmentOptions {
  readonly directory: string;
  readonly durability: Durability;
  /** True if no other process writes to the file. */
  readonly exclusive?: boolean | undefined;
  /** For a new file only; a file keeps the one that it was made with. */
  readonly chunk?: number | undefined;
}

export const FILE_NAME = 'data.mdb';
const PROBE_NAME = 'space-probe';
const PROBE_BYTES = 0x20000;
/** What one transaction may need: a write of several pages that finds place for a part of them fails in another way. */
const SPACE_BYTES_MIN = 0x800000;
/** What the changes of a whole log take in the trees, where they are not spread too thin. */
const REPLAY_BYTES = 2 * LOG_BYTES;
const CATALOG_NAME = 'catalog';
/** Longest key of LMDB with pages of 8 KiB. */
const KEY_BYTES_MAX = 4026;
/** A pointer's key, the longest there is, has a subtree id of 8 bytes before the chunk and a mark of 1 after it. */
export const CHUNK_MAX = KEY_BYTES_MAX - 9;
/**
 * LMDB's reader slots, of 64 bytes each, for all processes that share the directory: 64 workers (check/tools.ts) with
 * all the scans that a store lets in at once, and one slot more for each of them.
 */
const READERS_MAX = 64 * (64 + 1);
/** A slot each, and a page for what stands before them. */
export const LOCKS_BYTES = READERS_MAX * 64 + 8192;

// LMDB's locks hold between processes, not between two users of a file in one process.
const pathsInUse = new Set<string>();

/** Fails with `busy`, `unsupported`, `corrupt` or `full`; the message names the file. */
export function openEnvironment(options: EnvironmentOptions): Environment {
  const path = preparePath(options);
  if (pathsInUse.has(path)) {
    throw new StoreError('busy', `${path} is in use by another store of this process.`);
  }
  pathsInUse.add(path);
  let root: RootDatabase | undefined;
  try {
    checkFileHead(path);
    root = openRoot(path, options.durability);
    return new Environment(root, path, options);
  } catch (error) {
    pathsInUse.delete(path);
    void root?.close();
    throw fullIfFull(engineError(error, path), path);
  }
}

export class Environment {
  readonly path: string;
  readonly snapshot: ReadSnapshot;
  readonly catalog: Catalog;
  readonly rows: Rows;
  readonly longKeys: LongKeys;
  readonly #root: RootDatabase;
  readonly last: LastTransaction;
  /** Undefined where it cannot be had. */
  readonly map: FileMap | undefined;
  readonly #locks: FileMap | undefined;
  /** Of the log that this store writes to. */
  #logEpoch: bigint | undefined;
  /** The transaction in which this store marked a log as taken. */
  #takenIn: number | undefined;

  constructor(root: RootDatabase, path: string, options: EnvironmentOptions) {
    this.#root = root;
    this.path = path;
    this.snapshot = new ReadSnapshot(root, options.exclusive === true);
    this.last = new LastTransaction(path);
    this.#writeSync(() => restoreFileLength(path));
    const isNew = root.getKeysCount() === 0;
    // LMDB keeps the terminator of a name.
    if (!isNew && !root.doesExist(Buffer.from(`${CATALOG_NAME}\0`))) {
      throw new StoreError('corrupt', `${path} is an LMDB file, but not the file of a store: ${REMEDY}`);
    }
    this.catalog = openCatalog(root, path);
    const chunk = this.#writeSync(() => agreeOnFormat(this.catalog, path, options.chunk ?? CHUNK_MAX));
    ({ longKeys: this.longKeys, rows: this.rows } = openRows(root, path, chunk));
    this.#takeLog();
    // A process that was killed may have left a commit in the system's memory that is not on disk yet. Nobody was answered,
    // but readers would see it, and a power cut could take it back then.
    if (options.durability === 'full') syncFile(path);
    this.map = FileMap.of(path);
    this.#locks = FileMap.of(`${path}-lock`);
    if (this.#locks !== undefined) this.last.watch(this.#locks);
  }

  /** Runs `write` with the right to write; fulfilled when the changes are durable and, after that, visible. */
  async transaction(write: () => void): Promise<void> {
    beginWriting();
    try {
      for (let isReady = false; !isReady; ) {
        await this.#root.transaction(() => {
          isReady = !this.last.catchUp(this.#root.getWriteTxnId()) && !this.#takeSomeLog();
          if (isReady) write();
        });
      }
    } finally {
      endWriting();
    }
  }

  /** Of the next log. */
  nextLogEpoch(): bigint {
    return (this.catalog.getLogFence()?.epoch ?? 0n) + 1n;
  }

  /** Inside a write transaction that nobody else has begun a log before (wal/recovery.ts). */
  beginLog(): void {
    this.#logEpoch = beginLog(this.catalog, this.longKeys.chunk);
  }

  /** No log was begun after all. */
  disownLog(): void {
    this.#logEpoch = undefined;
  }

  /** Whether somebody else's log is to be read before anything is decided. */
  isLogForeign(): boolean {
    return isForeign(this.catalog.getLogFence(), this.#logEpoch);
  }

  /** When all that is in this store's log is in the trees. */
  async endLog(): Promise<void> {
    await this.transaction(() => {
      if (!this.isLogForeign()) endLog(this.catalog);
    });
    this.#logEpoch = undefined;
  }

  /**
   * Puts what stands in this store's log into the trees, as somebody else does who opens the store. Gives the last tick that came
   * from there; undefined if nobody can tell any more, since another log was begun meanwhile.
   */
  async takeLogBack(): Promise<bigint | undefined> {
    const epoch = this.#logEpoch;
    this.#logEpoch = undefined;
    let mark: LogFence | undefined;
    try {
      await this.transaction(() => {
        mark = this.catalog.getLogFence();
      });
    } catch (error) {
      this.#logEpoch = epoch;
      throw error;
    }
    return mark?.epoch === epoch ? mark?.tick : undefined;
  }

  /** The last durable state, which stays as it is until `done` is called. */
  useReadTransaction(): Transaction {
    try {
      return this.#root.useReadTransaction();
    } catch (error) {
      throw engineError(error, this.path);
    }
  }

  /** Of the file, and of the memory that it is mapped to, which is a bound for neither; 0 where LMDB does not tell. */
  sizes(): { readonly fileBytes: number; readonly mapBytes: number } {
    const stats = this.isSound() ? this.#root.getStats() : {};
    const mapBytes = 'mapSize' in stats && typeof stats.mapSize === 'number' ? stats.mapSize : 0;
    return { fileBytes: statSync(this.path).size, mapBytes };
  }

  /** Why a transaction failed: an `EngineError`, or a bug as it is. */
  async explain(error: unknown): Promise<unknown> {
    return fullIfFull(await commitError(error, this.path), this.path);
  }

  /** False if LMDB has failed the file, as it does after a failed write of a meta page, until it is opened again. */
  isSound(): boolean {
    try {
      this.#root.resetReadTxn();
      return this.catalog.getFormat() !== undefined;
    } catch {
      return false;
    }
  }

  async close(): Promise<void> {
    this.map?.close();
    this.#locks?.close();
    await this.#root.close();
    this.last.close();
    pathsInUse.delete(this.path);
  }

  /** Puts into the trees what stands in the log alone, whoever uses it. Somebody may take it, and begin another, meanwhile. */
  #takeLog(): void {
    if (isUnread(this.catalog.getLogFence())) spendReserve(dirname(this.path), REPLAY_BYTES);
    while (this.#writeSync(() => fenceLog(this.catalog))) this.#writeSync(() => replayLog(this));
  }

  /**
   * Inside a write transaction, which is to end if something was done: each step is to be durable before the next. LMDB's package
   * may give one transaction to several callers.
   */
  #takeSomeLog(): boolean {
    const mark = this.catalog.getLogFence();
    if (!isForeign(mark, this.#logEpoch)) return false;
    const transaction = this.#root.getWriteTxnId();
    if (mark?.state === 'used') {
      fenceLog(this.catalog);
      this.#takenIn = transaction;
    } else if (transaction !== this.#takenIn) replayLog(this);
    return true;
  }

  #writeSync<T>(write: () => T): T {
    for (;;) {
      const written = this.#root.transactionSync(() =>
        this.last.catchUp(this.#root.getWriteTxnId()) ? undefined : { result: write() },
      );
      if (written !== undefined) return written.result;
    }
  }
}

export function openRoot(path: string, durability: Durability): RootDatabase {
  const mapSize = mapSizeOf(path);
  return open(path, {
    noSubdir: true,
    ...(mapSize !== undefined && { mapSize }),
    pageSize: PAGE_BYTES,
    maxDbs: 4,
    maxReaders: READERS_MAX,
    encoding: 'binary',
    keyEncoding: 'binary',
    // The default would answer, and show to readers, what is not on disk yet (law 5 of the store). Without it a
    // transaction's promise is fulfilled after fdatasync of the pages and a synchronous write of the meta page, and
    // only that write makes the transaction visible.
    overlappingSync: false,
    noSync: durability === 'none',
    // Otherwise unused parts of pages would hold what was in this process's memory before, keys of accounts perhaps.
    noMemInit: false,
    commitDelay: 0,
    // Batches by turn would add a promise to each transaction that nobody holds: its rejection would end the process.
    eventTurnBatching: false,
    // What is noted outside a transaction (Tree.writeIf) is to be complete before LMDB's thread sees its beginning: waiting
    // for the rest it would look only every millisecond. The first number starts it, the second keeps it from starting.
    txnStartThreshold: 1,
    batchStartThreshold: Number.MAX_SAFE_INTEGER,
  });
}

/** Makes the tree if there is none, here and below. */
export function openCatalog(root: RootDatabase, path: string): Catalog {
  return new Catalog(new Tree<SpaceKey>(root, path, CATALOG_NAME, writeSpaceKey), KEY_BYTES_MAX);
}

export function openRows(
  root: RootDatabase,
  path: string,
  chunk: number,
): { readonly rows: Rows; readonly longKeys: LongKeys } {
  const tree = new Tree<RowKey>(root, path, ROWS_TREE, writeRowKey);
  const longKeys = new LongKeys(tree, new Tree<RowKey>(root, path, LONG_TREE, writeRowKey), chunk);
  return { rows: new Rows(tree, longKeys), longKeys };
}

/** Makes the directory; gives the one path that the file has. What LMDB would fail at is found out here. */
function preparePath({ directory, durability }: EnvironmentOptions): string {
  try {
    const created = makeDirectory(directory);
    const real = realpathSync(directory);
    const path = join(real, FILE_NAME);
    closeSync(openSync(path, 'a+'));
    makeLockFile(path, LOCKS_BYTES);
    if (durability === 'full') syncDirectories(real, created);
    return path;
  } catch (error) {
    throw unusableDirectory(resolve(directory), error);
  }
}

function agreeOnFormat(catalog: Catalog, path: string, chunk: number): number {
  const format = catalog.getFormat();
  if (format === undefined) {
    catalog.putFormat({ version: FORMAT_PLAIN, chunk });
    return chunk;
  }
  if (format.version > FORMAT_LOGGED) {
    const known = `this program knows formats up to ${FORMAT_LOGGED}`;
    throw new StoreError('unsupported', `${path} has format ${format.version}; ${known}. Use a newer one.`);
  }
  const isLogged = isUnread(catalog.getLogFence());
  const isOurs = format.version === (isLogged ? FORMAT_LOGGED : FORMAT_PLAIN);
  if (!isOurs || format.chunk < 1 || format.chunk > CHUNK_MAX) {
    throw new StoreError('corrupt', `${path} has a format record that no program writes: ${REMEDY}`);
  }
  return format.chunk;
}

const isForeign = (mark: LogFence | undefined, epoch: bigint | undefined): boolean =>
  isUnread(mark) && (mark.state === 'taken' || mark.epoch !== epoch);

/** LMDB takes a disk that becomes full within a write for a broken one. */
function fullIfFull(failure: unknown, path: string): unknown {
  const isUnclear = failure instanceof EngineError && failure.code === 'busy';
  if (!isUnclear || !isDiskFull(path)) return failure;
  return new EngineError('full', `${path}: No space is left on the disk.`, failure);
}

function isDiskFull(path: string): boolean {
  const probe = join(dirname(path), PROBE_NAME);
  try {
    writeFileSync(probe, Buffer.alloc(PROBE_BYTES));
    const { bavail, bsize } = statfsSync(dirname(path));
    return bavail * bsize < SPACE_BYTES_MIN;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    return code === 'ENOSPC' || code === 'EDQUOT';
  } finally {
    rmSync(probe, { force: true });
  }
}
