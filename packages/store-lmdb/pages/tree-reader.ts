// Reads the trees of rows in the pages of the data file, in this process's memory: the door of this folder. The `lmdb`
// package copies each row and is called for each; a filter over 300,000 rows takes three times as long with it
// (docs/performance.md has the table).
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
  BRANCH,
  DEPTH_MAX,
  LEAF,
  LONG_VALUE_BYTES,
  NAMES_RECORD_AT,
  NO_PAGE,
  NODE_HEADER_BYTES,
  NODE_LONG_VALUE,
  NODE_TREE,
  PAGE_HEADER_BYTES,
  readTreeRecord,
  TREE_RECORD_BYTES,
  type TreeRecord,
} from '../lmdb/page-format.js';
import { type EntryCursor, KeySpan, type TreeRange, ValueSpan } from '../lmdb/tree.js';
import { NODE_MAX, readPageNumber, Snapshot, TreePage } from './tree-page.js';

/** The root of a tree, and how many levels it has. */
interface Root {
  readonly page: number;
  readonly depth: number;
}

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

/** V8 inlines constants of this module into the code, and reads imported ones at each use. */
const [HEADER_BYTES, LAST_NODE] = [NODE_HEADER_BYTES, NODE_MAX];

/** How many entries' positions are read in one go. */
const ENTRIES = 32;
const PLACES = 3;
/** Marks the end of a value that has pages of its own. */
const LONG = 0;

/** Free memory for positions: allocating it costs a scan more than reading a row. */
const spare: Int32Array[] = [];
const SPARE_MAX = 64;
const NO_PLACES = new Int32Array(0);

/** In words. The processor's cache has lines of 64 bytes. */
const LINE = 32;
/**
 * The processor waits for several lines at once no longer than for one, so bytes that visitors will read are loaded
 * before the first of them is visited. For values longer than this:
 */
const TOUCHED_BYTES_MIN = 8 * LINE;
/** A sink for what was read, since V8 eliminates unused reads. */
const seen = { sum: 0 };

interface Level {
  branch: TreePage;
  /** The child that is read, or was read last. */
  index: number;
  /** The child with the end of the range: those before it are in the range whole, those after it not at all. */
  last: number;
}

/**
 * Walks the entries of a range of one tree in order, in place in the pages of a snapshot. Keys and values mean nothing
 * here. LMDB orders keys by their bytes.
 */
export class PageCursor implements EntryCursor {
  readonly span = new KeySpan();
  readonly value = new ValueSpan();
  readonly #snapshot: Snapshot;
  readonly #range: TreeRange;
  /** From the root to the parent of the leaf. */
  readonly #levels: Level[] = [];
  #root: Root | undefined;
  #leaf: TreePage | undefined;
  /** Indexes of the leaf's entries: the next one whose position is not read, and the first that is outside the range. */
  #next = 0;
  #end = 0;
  /** For consecutive entries: where the key begins, where the value begins, and where it ends, or that it is long. */
  #places: Int32Array = NO_PLACES;
  /** Those of the next entry, and of the first that was not read. */
  #place = 0;
  #placesEnd = 0;
  /** No entry after the leaf belongs to the range. */
  #isLastLeaf = false;

  /** Without a root there is no entry. */
  constructor(snapshot: Snapshot, root: Root | undefined, range: TreeRange) {
    this.#snapshot = snapshot;
    this.#range = range;
    this.#root = root;
  }

  next(isReadWhole = false): boolean {
    let at = this.#place;
    if (at >= this.#placesEnd) {
      if (!this.#readPlaces(isReadWhole)) return false;
      at = 0;
    }
    this.#place = at + PLACES;
    const places = this.#places;
    const from = places[at + 1] ?? 0;
    const until = places[at + 2] ?? 0;
    const { span, value } = this;
    span.from = places[at] ?? 0;
    span.until = from;
    if (until === LONG) return this.#enterLongValue();
    // Writing a reference costs more than comparing one.
    if (value.bytes !== span.bytes) value.bytes = span.bytes;
    value.from = from;
    value.until = until;
    return true;
  }

  close(): void {
    this.#root = undefined;
    this.#leaf = undefined;
    this.#levels.length = 0;
    this.#next = 0;
    this.#end = 0;
    this.#place = 0;
    this.#placesEnd = 0;
    this.#isLastLeaf = true;
    if (this.#places.length > 0 && spare.length < SPARE_MAX) spare.push(this.#places);
    this.#places = NO_PLACES;
  }

  /**
   * Reads the positions of a leaf's next entries before the first of them is visited, to wait for their memory once and
   * not once per entry.
   */
  #readPlaces(isReadWhole: boolean): boolean {
    if (this.#next >= this.#end && !this.#enterNextLeaf()) return false;
    const leaf = this.#leaf;
    if (leaf === undefined) return false;
    const { words, first, upper, end } = leaf;
    if (isReadWhole && 2 * (this.#end - this.#next) > leaf.count)
      touch(words, first + (upper >> 1), end >> 1);
    if (this.#places.length === 0) this.#places = spare.pop() ?? new Int32Array(PLACES * ENTRIES);
    const places = this.#places;
    const behind = Math.min(this.#end, this.#next + ENTRIES);
    let at = 0;
    let touched = 0;
    for (let index = this.#next; index < behind; index += 1) {
      // As in the page's `node`.
      const offset = words[first + index] ?? 0;
      if ((offset & 1) !== 0 || offset < upper || offset > LAST_NODE) throw leaf.damage();
      const node = first + (offset >> 1);
      const keyFrom = 2 * node + HEADER_BYTES;
      const from = keyFrom + (words[node + 3] ?? 0);
      const until = from + (words[node] ?? 0);
      const isLong = ((words[node + 2] ?? 0) | (words[node + 1] ?? 0)) !== 0;
      if ((isLong ? from : until) > end) throw leaf.damage();
      if (!isLong && until - from > TOUCHED_BYTES_MIN)
        touched += (words[node + LINE] ?? 0) + (words[node + 2 * LINE] ?? 0) + (words[node + 3 * LINE] ?? 0);
      places[at] = keyFrom;
      places[at + 1] = from;
      places[at + 2] = isLong ? LONG : until;
      at += PLACES;
    }
    this.#next = behind;
    this.#place = 0;
    seen.sum = touched;
    this.#placesEnd = at;
    return true;
  }

  #enterNextLeaf(): boolean {
    if (this.#leaf === undefined) return this.#begin();
    const parent = this.#levels.at(-1);
    while (!this.#isLastLeaf && parent !== undefined) {
      if (parent.index < parent.last) parent.index += 1;
      else if (parent.index + 1 < parent.branch.count || !this.#enterNextParent()) return false;
      this.#enterLeaf(parent);
      if (this.#next < this.#end) return true;
    }
    return false;
  }

  /** Descends to where the range begins. */
  #begin(): boolean {
    const root = this.#root;
    if (root === undefined) return false;
    const { start } = this.#range;
    let { page } = root;
    for (let depth = root.depth; depth > 1; depth -= 1) {
      const branch = new TreePage(this.#snapshot, page, BRANCH);
      const index = branch.childOf(start);
      this.#levels.push({ branch, index, last: this.#lastOf(branch) });
      page = branch.child(index);
    }
    const parent = this.#levels.at(-1);
    const leaf = parent === undefined ? this.#openLeaf(page, true) : this.#enterLeaf(parent);
    this.#next = leaf.countBefore(start, false);
    return this.#next < this.#end || this.#enterNextLeaf();
  }

  #lastOf(branch: TreePage): number {
    const { end, isInclusive = false } = this.#range;
    return branch.countBefore(end, isInclusive, 1);
  }

  #enterNextParent(): boolean {
    const levels = this.#levels;
    let at = levels.length - 2;
    for (; at >= 0; at -= 1) {
      const level = levels[at];
      if (level === undefined || level.index < level.last) break;
      // A child after the last one does not belong to the range.
      if (level.index + 1 < level.branch.count) return false;
    }
    for (let index = (levels[at]?.index ?? 0) + 1; at < levels.length - 1; at += 1, index = 0) {
      const [level, below] = [levels[at], levels[at + 1]];
      if (level === undefined || below === undefined) return false;
      level.index = index;
      below.branch = new TreePage(this.#snapshot, level.branch.child(index), BRANCH);
      below.index = 0;
      below.last = this.#lastOf(below.branch);
    }
    return at >= 0;
  }

  #enterLeaf({ branch, index, last }: Level): TreePage {
    return this.#openLeaf(branch.child(index), index >= last);
  }

  /** `mayEnd`: the range may end in the leaf. */
  #openLeaf(page: number, mayEnd: boolean): TreePage {
    const leaf = new TreePage(this.#snapshot, page, LEAF);
    this.#leaf = leaf;
    // Writing a reference costs more than comparing one.
    if (this.span.bytes !== leaf.bytes) this.span.bytes = leaf.bytes;
    this.#next = 0;
    this.#end = leaf.count;
    const { end, isInclusive = false } = this.#range;
    if (mayEnd && leaf.compare(leaf.count - 1, end) >= 0) {
      this.#isLastLeaf = true;
      this.#end = leaf.countBefore(end, isInclusive);
    }
    return leaf;
  }

  /** A value that has pages of its own. */
  #enterLongValue(): boolean {
    const leaf = this.#leaf;
    if (leaf === undefined) return false;
    const { bytes, words } = leaf;
    const { from, until: at } = this.span;
    const nodeAt = from - HEADER_BYTES;
    const isLong = words[nodeAt / 2 + 2] === NODE_LONG_VALUE;
    if (!isLong || at + LONG_VALUE_BYTES > leaf.end) throw leaf.damage();
    const until = PAGE_HEADER_BYTES + bytes.readUInt32LE(nodeAt);
    const page = readPageNumber(bytes, at);
    const count = readPageNumber(bytes, at + 16);
    // When a shorter value replaces a longer one within a transaction, it keeps the longer one's pages.
    if (count * PAGE_BYTES < until) throw leaf.damage();
    this.value.bytes = this.#snapshot.run(page, count, Math.ceil(until / PAGE_BYTES));
    this.value.from = PAGE_HEADER_BYTES;
    this.value.until = until;
    return true;
  }
}

/** Reads line after line: in this order the processor reads ahead. */
function touch(words: Uint16Array, from: number, until: number): void {
  let sum = 0;
  for (let at = from; at < until; at += LINE) sum += words[at] ?? 0;
  seen.sum = sum;
}
