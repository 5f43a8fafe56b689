// The trees of a snapshot as they are in the data file, which scans read page by page: calling the `lmdb` package for
// each row, and its copy of the row, cost more than everything else in a scan. page-cursor.ts selects the entries of a
// page that belong to a range.
//
// This is sound for as long as the caller holds a read transaction that it began before it asked for the snapshot. LMDB
// overwrites a page of an earlier state only once no reader slot holds that state or one before it. The note of the
// last transaction (lmdb/last-transaction.ts) is at most one transaction older than the caller's, and the meta page of
// the transaction that it names is on disk. What is committed is in the file, not in the memory of a process: LMDB
// writes the pages, then the meta page, then changes the note. On Linux a file that is written to and its map are the
// same memory.
import { fstatSync, readSync } from 'node:fs';
import { EngineError } from '../lmdb/engine-error.js';
import { PAGE_BYTES } from '../lmdb/file-head.js';
import type { FileMap, MapSegment } from '../lmdb/file-map.js';
import type { LastTransaction } from '../lmdb/last-transaction.js';
import {
  DEPTH_MAX,
  LEAF,
  LONG_VALUE,
  NAMES_RECORD_AT,
  NO_PAGE,
  NODE_HEADER_BYTES,
  NODE_TREE,
  readTreeRecord,
  TREE_RECORD_BYTES,
  type TreeRecord,
} from '../lmdb/page-format.js';
import { TreePage } from './tree-page.js';

/** Bytes that are read of a meta page (lmdb/file-head.ts). */
const META_BYTES = 160;
const LAST_PAGE_AT = 144;
const TRANSACTION_AT = 152;
/** A transaction may be committed between two reads of the note. */
const LOOKS_MAX = 4;
const HIGH_UNIT = 0x1_0000_0000;

/** The root of a tree, and how many levels it has. */
export interface Root {
  readonly page: number;
  readonly depth: number;
}

export class Snapshot {
  readonly transaction: bigint;
  /** The transaction's number. */
  readonly number: number;
  readonly #map: FileMap;
  readonly #path: string;
  /** How many pages both the state and the file have. */
  readonly #pages: number;

  constructor(transaction: bigint, map: FileMap, path: string, pages: number) {
    this.transaction = transaction;
    this.number = Number(transaction);
    this.#map = map;
    this.#path = path;
    this.#pages = pages;
  }

  /** The memory that has the page. */
  segmentOf(page: number): MapSegment {
    this.#assertPages(page, 1);
    return this.#map.segmentOf(page);
  }

  /** The first `used` bytes of a long value's pages. */
  run(page: number, count: number, used: number): Buffer {
    this.#assertPages(page, count);
    const bytes = this.#map.view(page, used);
    const isItself = readPageNumber(bytes, 0) === page && bytes.readUInt16LE(18) === LONG_VALUE;
    if (!isItself || readPageNumber(bytes, 8) > this.number) throw this.damage(page);
    return bytes;
  }

  damage(page: number): EngineError {
    return new EngineError('corrupt', `${this.#path}: page ${page} is damaged.`);
  }

  /** Throws unless the pages can be in the file. */
  #assertPages(page: number, count: number): void {
    if (!(page >= 2 && count >= 1 && page + count <= this.#pages)) throw this.damage(page);
  }
}

/** A number of 8 bytes, exact for all possible numbers of pages and transactions. */
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
  readonly #map: FileMap;
  readonly #path: string;
  readonly #names: readonly string[];
  #newest: SnapshotTrees | undefined;

  /** `names` are those of the trees. */
  constructor(last: LastTransaction, map: FileMap, path: string, names: readonly string[]) {
    this.#last = last;
    this.#map = map;
    this.#path = path;
    this.#names = names;
  }

  /**
   * The state after the last transaction, which may be later than that of the caller's read transaction. Undefined
   * where it cannot be read this way, for whatever reason: the `lmdb` package's own cursor then returns it, or reports
   * what is wrong.
   */
  newest(): SnapshotTrees | undefined {
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
    // LMDB overwrites the meta page in the transaction after the next, which begins only after the note has changed.
    if (count !== META_BYTES || meta.readBigUInt64LE(TRANSACTION_AT) !== transaction) return undefined;
    if (this.#last.noted() !== transaction) return undefined;
    const names = rootOf(readTreeRecord(meta, NAMES_RECORD_AT));
    if (names?.depth !== 1) return undefined;
    // Free pages at the end may never have been written.
    const written = Math.floor(fstatSync(file).size / PAGE_BYTES);
    const pages = Math.min(readPageNumber(meta, LAST_PAGE_AT) + 1, written);
    if (pages > this.#map.pages) return undefined;
    const snapshot = new Snapshot(transaction, this.#map, this.#path, pages);
    const roots = readNames(snapshot, names.page);
    return this.#names.every(name => roots.has(name)) ? { snapshot, roots } : undefined;
  }
}

/** The trees by name; one page has all names. */
function readNames(snapshot: Snapshot, page: number): Map<string, Root | undefined> {
  const leaf = new TreePage(snapshot, page, LEAF);
  const { bytes } = leaf;
  const roots = new Map<string, Root | undefined>();
  for (let index = 0; index < leaf.count; index += 1) {
    const at = 2 * leaf.node(index);
    const keyAt = at + NODE_HEADER_BYTES;
    const valueAt = keyAt + bytes.readUInt16LE(at + 6);
    const isTree = bytes.readUInt16LE(at + 4) === NODE_TREE && bytes.readUInt32LE(at) === TREE_RECORD_BYTES;
    if (!isTree || valueAt + TREE_RECORD_BYTES > leaf.end) throw leaf.damage();
    const record = readTreeRecord(bytes, valueAt);
    // LMDB keeps the terminator of a name.
    const name = bytes.toString('latin1', keyAt, valueAt - 1);
    if (record.flags === 0 && record.depth <= DEPTH_MAX) roots.set(name, rootOf(record));
  }
  return roots;
}

const rootOf = ({ root, depth }: TreeRecord): Root | undefined =>
  root === NO_PAGE || depth < 1 ? undefined : { page: Number(root), depth };
