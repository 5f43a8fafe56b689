// Reads the trees of rows in the pages of the data file, in this process's memory: the door of this folder. The `lmdb`
// package copies each row and is called for each; a filter over 300,000 rows takes three times as long with it
// (docs/performance.md has the table). page-cursor.ts selects the entries of a page that belong to a range.
//
// Safe: a read transaction that began before is held for as long as pages are read. LMDB overwrites a page of an earlier
// state only once no reader slot holds that state or one before it. The note of the last transaction
// (lmdb/last-transaction.ts) is at most one transaction older than the caller's, and the meta page of the transaction
// that it names is on disk. What is committed is in the file, not in the memory of a process: LMDB writes the pages,
// then the meta page, then changes the note. On Linux a file that is written to and its map are the same memory. Every
// offset that a page gives is checked against the page before it is used (tree-page.ts).
// A bad page is an EngineError `corrupt` that names it; the process never reads beyond the map.
// Off: where the map is not the file's memory (other systems than Linux), where a state cannot be read this way, and
// with `readsPages: false`. Then the package's own cursor reads.
import { fstatSync, readSync } from 'node:fs';
import { type OpenRange, ROW_TREES } from '../layout/rows.js';
import { LAST_PAGE_AT, PAGE_BYTES, TRANSACTION_AT } from '../lmdb/file-head.js';
import type { FileMap } from '../lmdb/file-map.js';
import type { LastTransaction } from '../lmdb/last-transaction.js';
import type { Transaction } from '../lmdb/lmdb.js';
import {
  DEPTH_MAX,
  LEAF,
  NAMES_RECORD_AT,
  NO_PAGE,
  NODE_HEADER_BYTES,
  NODE_TREE,
  readTreeRecord,
  TREE_RECORD_BYTES,
  type TreeRecord,
} from '../lmdb/page-format.js';
import { PageCursor, type Root } from './page-cursor.js';
import { readPageNumber, Snapshot, TreePage } from './tree-page.js';

/** Bytes that are read of a meta page (lmdb/file-head.ts). */
const META_BYTES = 160;
/** A transaction may be committed between two reads of the note. */
const LOOKS_MAX = 4;

/** A snapshot with the roots of its trees by name. */
export interface SnapshotTrees {
  readonly snapshot: Snapshot;
  readonly roots: ReadonlyMap<string, Root | undefined>;
}

export class TreeReader {
  readonly #last: LastTransaction;
  readonly #map: FileMap | undefined;
  readonly #path: string;
  #newest: SnapshotTrees | undefined;

  /**
   * `last` and `map` belong to the file at `path`, and stay open as long as scans do. Without a map all reads use the
   * cursor.
   */
  constructor(last: LastTransaction, map: FileMap | undefined, path: string) {
    this.#last = last;
    this.#map = map;
    this.#path = path;
  }

  /** The state of one moment, for as long as the read transaction is held: that of the transaction, or a later one. */
  within(transaction: Transaction): OpenRange {
    const newest = this.newest();
    // All trees of a scan are read in the same way, since the transaction's state may be an earlier one.
    if (newest === undefined) return (tree, range) => tree.range(range, transaction);
    const { snapshot, roots } = newest;
    return (tree, range) => new PageCursor(snapshot, roots.get(tree.name), range);
  }

  /**
   * The state after the last transaction. Undefined where it cannot be read this way, for whatever reason: the `lmdb`
   * package's own cursor then returns it, or reports what is wrong.
   */
  newest(): SnapshotTrees | undefined {
    if (this.#map === undefined) return undefined;
    try {
      for (let look = 0; look < LOOKS_MAX; look += 1) {
        const transaction = this.#last.noted();
        const known = this.#newest;
        if (known?.snapshot.transaction === transaction) return known;
        // Another process that opens the file may set the note back for a moment.
        if (known !== undefined && known.snapshot.transaction > transaction) return undefined;
        const found = this.#read(this.#map, transaction);
        if (found !== undefined) this.#newest = found;
        if (found !== undefined) return found;
      }
    } catch {}
    return undefined;
  }

  #read(map: FileMap, transaction: bigint): SnapshotTrees | undefined {
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
    if (pages > map.pages) return undefined;
    const snapshot = new Snapshot(transaction, map, this.#path, pages);
    const roots = readNames(snapshot, names.page);
    return ROW_TREES.every(name => roots.has(name)) ? { snapshot, roots } : undefined;
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
