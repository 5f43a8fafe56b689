// Walks the entries of a range of one tree in order, in place in the pages of a snapshot. Keys and values
// mean nothing here. LMDB orders keys by their bytes.
import { PAGE_BYTES } from '../lmdb/file-head.js';
import {
  BRANCH,
  LEAF,
  LONG_VALUE_BYTES,
  NODE_HEADER_BYTES,
  NODE_LONG_VALUE,
  PAGE_HEADER_BYTES,
} from '../lmdb/page-format.js';
import { type EntryCursor, KeySpan, type TreeRange, ValueSpan } from '../lmdb/tree.js';
import { NODE_MAX, readPageNumber, type Snapshot, TreePage } from './tree-page.js';

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

/** The root of a tree, and how many levels it has. */
export interface Root {
  readonly page: number;
  readonly depth: number;
}

interface Level {
  branch: TreePage;
  /** The child that is read, or was read last. */
  index: number;
  /** The child with the end of the range: those before it are in the range whole, those after it not at all. */
  last: number;
}

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
