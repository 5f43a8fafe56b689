// Opens a store's LMDB file, checks that it is a store and that this version can read it, and closes it. catalog.ts and
// rows.ts know what is in the file.
import { closeSync, openSync, realpathSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { StoreError } from '#store';
import {
  Catalog,
  FORMAT_LOGGED,
  FORMAT_PLAIN,
  isUnread,
  type SpaceKey,
  writeSpaceKey,
} from './layout/catalog.js';
import { LONG_TREE, ROWS_TREE, type RowKey, Rows, writeRowKey } from './layout/rows.js';
import {
  makeDirectory,
  makeLockFile,
  syncDirectories,
  syncFile,
  unusableDirectory,
} from './lmdb/directory.js';
import { commitError, EngineError, engineError } from './lmdb/engine-error.js';
import { checkFileHead, PAGE_BYTES, REMEDY, restoreFileLength } from './lmdb/file-head.js';
import { FileMap } from './lmdb/file-map.js';
import { LastTransaction } from './lmdb/last-transaction.js';
import { open, type RootDatabase, type Transaction } from './lmdb/lmdb.js';
import { mapSizeOf } from './lmdb/map-size.js';
import { codeOf } from './lmdb/system-call.js';
import { ReadSnapshot, Tree } from './lmdb/tree.js';
import { LogClaim } from './wal/index.js';

export type Durability = 'full' | 'none';

interface EnvironmentOptions {
  readonly directory: string;
  readonly durability: Durability;
  /** True if no other process writes to the file. */
  readonly exclusive?: boolean | undefined;
  /** For a new file only; a file keeps the value it was created with. */
  readonly chunk?: number | undefined;
}

export const FILE_NAME = 'data.mdb';
const PROBE_NAME = 'space-probe';
const PROBE_BYTES = 0x20000;
/** Space that one transaction may need: a write of several pages that only partly fits fails in another way. */
const SPACE_BYTES_MIN = 0x800000;
const CATALOG_NAME = 'catalog';
/** Longest key of LMDB with pages of 8 KiB. */
const KEY_BYTES_MAX = 4026;
/** A pointer's key, the longest there is: a subtree id of 8 bytes, the chunk, and a mark of 1 byte. */
export const CHUNK_MAX = KEY_BYTES_MAX - 9;
/**
 * LMDB's reader slots, 64 bytes each, for all processes that share the directory: 64 workers (check/tools.ts) with as
 * many scans as a store admits at once, and one more slot for each worker.
 */
const READERS_MAX = 64 * (64 + 1);
/** A slot each, and a page for the header. */
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
  readonly #root: RootDatabase;
  readonly last: LastTransaction;
  /** Undefined where it is not available. */
  readonly map: FileMap | undefined;
  readonly log: LogClaim;

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
    this.rows = openRows(root, path, chunk);
    const { catalog, rows } = this;
    this.log = new LogClaim({ catalog, rows, path, transaction: write => this.transaction(write) });
    this.log.take(write => this.#writeSync(write));
    // A killed process may have left a commit in the page cache that is not on disk yet. No caller got an answer, but
    // readers would see it, and a power cut could then undo it.
    if (options.durability === 'full') syncFile(path);
    this.map = FileMap.of(path);
  }

  /** Runs `write` under the write lock; fulfilled when the changes are durable and, after that, visible. */
  async transaction(write: () => void): Promise<void> {
    watchExit();
    writing += 1;
    try {
      for (let isReady = false; !isReady; ) {
        await this.#root.transaction(() => {
          const transaction = this.#root.getWriteTxnId();
          isReady = !this.last.catchUp(transaction) && !this.log.takeStep(transaction);
          if (isReady) write();
        });
      }
    } finally {
      writing -= 1;
    }
  }

  /** The last durable state, which stays as it is until `done` is called. */
  useReadTransaction(): Transaction {
    try {
      return this.#root.useReadTransaction();
    } catch (error) {
      throw engineError(error, this.path);
    }
  }

  /** The sizes of the file and of its memory map, which bounds neither; 0 where LMDB does not report one. */
  sizes(): { readonly fileBytes: number; readonly mapBytes: number } {
    const stats = this.isSound() ? this.#root.getStats() : {};
    const mapBytes = 'mapSize' in stats && typeof stats.mapSize === 'number' ? stats.mapSize : 0;
    return { fileBytes: statSync(this.path).size, mapBytes };
  }

  /** The reason for a failed transaction: an `EngineError`, or a bug as it is. */
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
    await this.#root.close();
    this.last.close();
    pathsInUse.delete(this.path);
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

/** Write transactions of this process that are under way. */
let writing = 0;
let isWatching = false;

/**
 * Kills a process that exits while it writes. The writing thread waits for this one to change the trees, and the exit
 * waits for that thread: it would never end, and no other process could write, because the thread holds the write lock.
 * A kill releases the lock, and acknowledged changes survive it. The process loses its exit code.
 */
function watchExit(): void {
  if (isWatching) return;
  isWatching = true;
  process.on('exit', () => {
    if (writing > 0) process.kill(process.pid, 'SIGKILL');
  });
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
    // The default would answer, and show to readers, changes that are not on disk yet (law 5 of the store). Without it
    // a transaction's promise is fulfilled after fdatasync of the pages and a synchronous write of the meta page, and
    // only that write makes the transaction visible.
    overlappingSync: false,
    noSync: durability === 'none',
    // Otherwise unused parts of pages would hold earlier contents of this process's memory, perhaps account keys.
    noMemInit: false,
    commitDelay: 0,
    // Batching by event turn would add a promise to each transaction that no code holds: its rejection would end the
    // process.
    eventTurnBatching: false,
    ...THRESHOLDS,
  });
}

/**
 * Operations noted outside a transaction (Tree.writeIf) must be complete before LMDB's thread sees the first one:
 * otherwise it would wait for the next ones, polling every millisecond. The first number starts it, the second keeps it
 * from starting. The package's types lack both.
 */
const THRESHOLDS = { txnStartThreshold: 1, batchStartThreshold: Number.MAX_SAFE_INTEGER };

/** Creates the tree if it does not exist, here and below. */
export function openCatalog(root: RootDatabase, path: string): Catalog {
  return new Catalog(new Tree<SpaceKey>(root, path, CATALOG_NAME, writeSpaceKey), KEY_BYTES_MAX);
}

export function openRows(root: RootDatabase, path: string, chunk: number): Rows {
  const tree = (name: string): Tree<RowKey> => new Tree(root, path, name, writeRowKey);
  return new Rows(tree(ROWS_TREE), tree(LONG_TREE), chunk);
}

/** Creates the directory; returns the file's one real path. Finds here whatever LMDB would fail at. */
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

/** When a disk fills up during a write, LMDB reports it as broken. */
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
    const code = codeOf(error);
    return code === 'ENOSPC' || code === 'EDQUOT';
  } finally {
    rmSync(probe, { force: true });
  }
}
