// The trees of a snapshot as they stand in the data file, which scans read page by page: a call of the `lmdb` package for each row, and its copy of the
// row, cost more than all the rest of a scan. page-cursor.ts selects the entries of a page that belong to a range.
//
// It is sound for as long as the caller holds a read transaction that it began before it asked for the snapshot. LMDB writes to a page of an earlier state
// only once no reader slot holds that state or one before it, and the note of the last transaction (lmdb/last-transaction.ts) names none that is
// older than the caller's by more than one, nor one whose meta page is not on disk. What is committed is in the file, not in the memory of
// a process: LMDB writes the pages, and then the meta page, before it changes the note.
import { readSync } from 'node:fs';
import { EngineError } from '../lmdb/engine-error.js';
import { PAGE_BYTES } from '../lmdb/file-head.js';
import type { LastTransaction } from '../lmdb/last-transaction.js';
import {
  BRANCH,
  DEPTH_MAX,
  LEAF,
  NAMES_RECORD_AT,
  NO_PAGE,
  NODE_HEADER_BYTES,
  NODE_TREE,
  PAGE_HEADER_BYTES,
  readTreeRecord,
  TREE_RECORD_BYTES,
  type TreeRecord,
} from '../lmdb/page-format.js';

/** Of a meta page (lmdb/file-head.ts), of which the part up to here is read. */
const META_BYTES = 160;
const LAST_PAGE_AT = 144;
const TRANSACTION_AT = 152;
/** A transaction may be committed between two looks at the note. */
const LOOKS_MAX = 4;
/** Branch pages that a snapshot keeps: half a megabyte. */
const BRANCHES_MAX = 64;
const HIGH_UNIT = 0x1_0000_0000;
/** Where a file that is written to and one that is mapped are the same memory, as has been measured and tested. */
const IS_COHERENT = process.platform === 'linux';

/** A page that has no entries but pages below it, checked. */
export class BranchPage {
  readonly bytes: Buffer;
  readonly count: number;

  constructor(bytes: Buffer, count: number) {
    this.bytes = bytes;
    this.count = count;
  }

  child(index: number): number {
    return this.bytes.readUIntLE(this.#nodeAt(index), 6);
  }

  /** Of the key that all keys below the child, and below those after it, are at or after; the first one's means nothing. */
  keyFrom(index: number): number {
    return this.#nodeAt(index) + NODE_HEADER_BYTES;
  }

  keyUntil(index: number): number {
    const at = this.#nodeAt(index);
    return at + NODE_HEADER_BYTES + this.bytes.readUInt16LE(at + 6);
  }

  #nodeAt(index: number): number {
    return PAGE_HEADER_BYTES + this.bytes.readUInt16LE(PAGE_HEADER_BYTES + 2 * index);
  }
}

/** The root of a tree, and how many levels it has. */
export interface Root {
  readonly page: number;
  readonly depth: number;
}

export class Snapshot {
  readonly transaction: bigint;
  readonly #file: number;
  readonly #path: string;
  readonly #lastPage: number;
  /** Shared by scans of the same state, which go through the same few. */
  readonly #branches = new Map<number, BranchPage>();

  constructor(transaction: bigint, file: number, path: string, lastPage: number) {
    this.transaction = transaction;
    this.#file = file;
    this.#path = path;
    this.#lastPage = lastPage;
  }

  branch(page: number): BranchPage {
    const known = this.#branches.get(page);
    if (known !== undefined) return known;
    const bytes = Buffer.allocUnsafeSlow(PAGE_BYTES);
    this.read(bytes, 0, page, 1);
    const branch = new BranchPage(bytes, this.countNodes(bytes, 0, page, BRANCH));
    for (let index = 0; index < branch.count; index += 1) {
      if (branch.keyFrom(index) > PAGE_BYTES || branch.keyUntil(index) > PAGE_BYTES) throw this.damage(page);
    }
    if (this.#branches.size >= BRANCHES_MAX) this.#branches.clear();
    this.#branches.set(page, branch);
    return branch;
  }

  /** Throws unless the pages can be in the file. */
  assertPages(page: number, count: number): void {
    if (!(page >= 2 && page + count - 1 <= this.#lastPage)) throw this.damage(page);
  }

  /** Reads pages that follow each other in the file. */
  read(target: Buffer, at: number, page: number, count: number): void {
    this.assertPages(page, count);
    const length = count * PAGE_BYTES;
    let read: number;
    try {
      read = readSync(this.#file, target, at, length, page * PAGE_BYTES);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new EngineError('busy', `${this.#path}: page ${page} cannot be read: ${reason}`, error);
    }
    if (read !== length) throw this.damage(page);
  }

  /** The number of nodes of the page at `at`, if it is the one that it should be. */
  countNodes(bytes: Buffer, at: number, page: number, kind: typeof BRANCH | typeof LEAF): number {
    this.checkHeader(bytes, at, page, kind);
    const lower = bytes.readUInt16LE(at + 20);
    const upper = bytes.readUInt16LE(at + 22);
    if (lower % 2 !== 0 || lower === 0 || lower > upper || upper > PAGE_BYTES - PAGE_HEADER_BYTES) {
      throw this.damage(page);
    }
    for (let offset = at + PAGE_HEADER_BYTES; offset < at + PAGE_HEADER_BYTES + lower; offset += 2) {
      const node = bytes.readUInt16LE(offset);
      if (node < upper || node % 2 !== 0 || node > PAGE_BYTES - PAGE_HEADER_BYTES - NODE_HEADER_BYTES) {
        throw this.damage(page);
      }
    }
    return lower / 2;
  }

  checkHeader(bytes: Buffer, at: number, page: number, kind: number): void {
    const isItself = readPageNumber(bytes, at) === page && bytes.readUInt16LE(at + 18) === kind;
    if (!isItself || readPageNumber(bytes, at + 8) > this.transaction) throw this.damage(page);
  }

  damage(page: number): EngineError {
    return new EngineError('corrupt', `${this.#path}: page ${page} is damaged.`);
  }
}

/** A number of 8 bytes, exact as far as there are pages and transactions. */
export function readPageNumber(bytes: Buffer, at: number): number {
  return bytes.readUInt32LE(at) + bytes.readUInt32LE(at + 4) * HIGH_UNIT;
}

/** A snapshot with the roots of its trees by name. */
export interface SnapshotTrees {
  readonly snapshot: Snapshot;
  readonly roots: ReadonlyMap<string, Root | undefined>;
}

/** Finds the newest snapshot of a store's file. */
export class Snapshots {
  readonly #last: LastTransaction;
  readonly #path: string;
  readonly #names: readonly string[];
  #newest: SnapshotTrees | undefined;

  /** `names` are those of the trees. */
  constructor(last: LastTransaction, path: string, names: readonly string[]) {
    this.#last = last;
    this.#path = path;
    this.#names = names;
  }

  /**
   * The state as the last transaction left it, or a later one than the caller's read transaction has. Undefined where it cannot be read this way, for whatever
   * reason: the `lmdb` package's own cursor then has it, or tells what is wrong.
   */
  newest(): SnapshotTrees | undefined {
    if (!IS_COHERENT) return undefined;
    try {
      for (let look = 0; look < LOOKS_MAX; look += 1) {
        const transaction = this.#last.noted();
        const known = this.#newest;
        if (known?.snapshot.transaction === transaction) return known;
        // Another process that opens the file may set the note back for a moment.
        if (known !== undefined && known.snapshot.transaction > transaction) return undefined;
        const found = this.#read(transaction);
        if (found !== undefined) this.#newest = found;
        if (found !== undefined) return found;
      }
    } catch {}
    return undefined;
  }

  #read(transaction: bigint): SnapshotTrees | undefined {
    const meta = Buffer.allocUnsafeSlow(META_BYTES);
    const file = this.#last.data;
    const count = readSync(file, meta, 0, META_BYTES, Number(transaction % 2n) * PAGE_BYTES);
    // The meta page is written to again by the transaction after the next one, which begins only when the note is another.
    if (count !== META_BYTES || meta.readBigUInt64LE(TRANSACTION_AT) !== transaction) return undefined;
    if (this.#last.noted() !== transaction) return undefined;
    const names = rootOf(readTreeRecord(meta, NAMES_RECORD_AT));
    if (names?.depth !== 1) return undefined;
    const lastPage = readPageNumber(meta, LAST_PAGE_AT);
    const snapshot = new Snapshot(transaction, file, this.#path, lastPage);
    const roots = readNames(snapshot, names.page);
    return this.#names.every(name => roots.has(name)) ? { snapshot, roots } : undefined;
  }
}

/** The trees by their names, of which one page has all. */
function readNames(snapshot: Snapshot, page: number): Map<string, Root | undefined> {
  const bytes = Buffer.allocUnsafeSlow(PAGE_BYTES);
  snapshot.read(bytes, 0, page, 1);
  const count = snapshot.countNodes(bytes, 0, page, LEAF);
  const roots = new Map<string, Root | undefined>();
  for (let index = 0; index < count; index += 1) {
    const at = PAGE_HEADER_BYTES + bytes.readUInt16LE(PAGE_HEADER_BYTES + 2 * index);
    const keyAt = at + NODE_HEADER_BYTES;
    const valueAt = keyAt + bytes.readUInt16LE(at + 6);
    const isTree = bytes.readUInt16LE(at + 4) === NODE_TREE && bytes.readUInt32LE(at) === TREE_RECORD_BYTES;
    if (!isTree || valueAt + TREE_RECORD_BYTES > PAGE_BYTES) throw snapshot.damage(page);
    const record = readTreeRecord(bytes, valueAt);
    // LMDB keeps the terminator of a name.
    const name = bytes.toString('latin1', keyAt, valueAt - 1);
    if (record.flags === 0 && record.depth <= DEPTH_MAX) roots.set(name, rootOf(record));
  }
  return roots;
}

const rootOf = ({ root, depth }: TreeRecord): Root | undefined =>
  root === NO_PAGE || depth < 1 ? undefined : { page: Number(root), depth };
