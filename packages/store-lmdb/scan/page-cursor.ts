// Walks the entries of a range of one tree in order, in place in the pages of a snapshot (snapshot.ts). Keys and values mean nothing here. LMDB's own order of
// keys is that of their bytes.
import { PAGE_BYTES } from '../lmdb/file-head.js';
import {
  LEAF,
  LONG_VALUE,
  LONG_VALUE_BYTES,
  NODE_HEADER_BYTES,
  NODE_LONG_VALUE,
  PAGE_HEADER_BYTES,
} from '../lmdb/page-format.js';
import { type EntryCursor, KeySpan, type TreeRange, ValueSpan } from '../lmdb/tree.js';
import { childOf, compareKey, isBehind } from './branch-search.js';
import { type LeafWindow, releaseWindow, takeWindow, WINDOW_PAGES } from './leaf-window.js';
import { type BranchPage, type Root, readPageNumber, type Snapshot } from './snapshot.js';

/** Leaf pages read at first, twice as many each time: a scan that ends soon reads little that it does not need. */
const FIRST_PAGES = 2;
const PAGE_WORDS = PAGE_BYTES / 2;
const PAGE_HEADER_WORDS = PAGE_HEADER_BYTES / 2;

interface Level {
  branch: BranchPage;
  /** Of the child that is read, or was read last. */
  index: number;
}

export class PageCursor implements EntryCursor {
  readonly span = new KeySpan();
  readonly value = new ValueSpan();
  readonly #snapshot: Snapshot;
  readonly #range: TreeRange;
  /** From the root to the parent of the leaves in the window. */
  readonly #levels: Level[] = [];
  #root: Root | undefined;
  #window: LeafWindow | undefined;
  #words = new Uint16Array(0);
  #windowPages = FIRST_PAGES;
  /** Of the leaf in the window, and of the first one that is not reached. */
  #leaf = 0;
  /** Of the leaf's page, and its entries from `#next` on until `#end`: in words of two bytes. */
  #page = 0;
  #next = 0;
  #end = 0;
  /** No entry behind the leaf belongs to the range. */
  #isLastLeaf = false;
  #longValue: Buffer | undefined;

  /** Without a root there is no entry. */
  constructor(snapshot: Snapshot, root: Root | undefined, range: TreeRange) {
    this.#snapshot = snapshot;
    this.#range = range;
    this.#root = root;
  }

  next(): boolean {
    if (this.#next >= this.#end && !this.#enterNextLeaf()) return false;
    const words = this.#words;
    // Offsets of nodes are even, which snapshot.ts has checked, as it has that a node's head is within the page.
    const node = this.#page + PAGE_HEADER_WORDS + ((words[this.#next] ?? 0) >> 1);
    this.#next += 1;
    const from = 2 * node + NODE_HEADER_BYTES;
    const until = from + (words[node + 3] ?? 0);
    const { span, value } = this;
    span.from = from;
    span.until = until;
    if (words[node + 2] !== 0) return this.#enterLongValue(node, until);
    const end = until + (words[node] ?? 0) + 0x10000 * (words[node + 1] ?? 0);
    if (end > 2 * (this.#page + PAGE_WORDS)) throw this.#damage();
    value.bytes = span.bytes;
    value.from = until;
    value.until = end;
    return true;
  }

  close(): void {
    const window = this.#window;
    this.#root = undefined;
    this.#window = undefined;
    this.#levels.length = 0;
    this.#next = 0;
    this.#end = 0;
    this.#isLastLeaf = true;
    if (window !== undefined) releaseWindow(window);
  }

  #enterNextLeaf(): boolean {
    if (this.#window === undefined) return this.#begin();
    for (;;) {
      if (this.#isLastLeaf) return false;
      this.#leaf += 1;
      if (this.#leaf >= this.#window.count && !this.#fillWindow(this.#window)) return false;
      this.#enterLeaf(this.#window);
      if (this.#next < this.#end) return true;
    }
  }

  /** Goes down to where the range begins. */
  #begin(): boolean {
    const root = this.#root;
    if (root === undefined) return false;
    const window = takeWindow();
    this.#window = window;
    this.#words = window.words;
    this.span.bytes = window.bytes;
    let { page } = root;
    for (let depth = root.depth; depth > 1; depth -= 1) {
      const branch = this.#snapshot.branch(page);
      const index = childOf(branch, this.#range.start);
      this.#levels.push({ branch, index });
      page = branch.child(index);
    }
    if (root.depth === 1) {
      window.add(page);
      window.read(this.#snapshot);
    } else this.#readWindow(window);
    this.#leaf = 0;
    this.#enterLeaf(window);
    this.#next += this.#countBefore(this.#range.start, false);
    return this.#next < this.#end || this.#enterNextLeaf();
  }

  /** With the leaves behind those of the window; false if none has entries of the range. */
  #fillWindow(window: LeafWindow): boolean {
    const parent = this.#levels.at(-1);
    if (parent === undefined) return false;
    if (parent.index + 1 < parent.branch.count) {
      if (isBehind(parent.branch, parent.index + 1, this.#range)) return false;
      parent.index += 1;
    } else if (!this.#enterNextParent()) return false;
    this.#windowPages = Math.min(2 * this.#windowPages, WINDOW_PAGES);
    window.clear();
    this.#readWindow(window);
    this.#leaf = 0;
    return true;
  }

  /** From the parent's child on as many as are wanted, have entries of the range, and have this parent. */
  #readWindow(window: LeafWindow): void {
    const parent = this.#levels.at(-1);
    if (parent === undefined) return;
    const { branch } = parent;
    window.add(branch.child(parent.index));
    while (
      window.count < this.#windowPages &&
      parent.index + 1 < branch.count &&
      !isBehind(branch, parent.index + 1, this.#range)
    ) {
      parent.index += 1;
      window.add(branch.child(parent.index));
    }
    window.read(this.#snapshot);
  }

  #enterNextParent(): boolean {
    const levels = this.#levels;
    let at = levels.length - 2;
    for (; at >= 0; at -= 1) {
      const level = levels[at];
      if (level !== undefined && level.index + 1 < level.branch.count) break;
    }
    for (let index = (levels[at]?.index ?? 0) + 1; at < levels.length - 1; at += 1, index = 0) {
      const [level, below] = [levels[at], levels[at + 1]];
      if (level === undefined || below === undefined) return false;
      if (index > 0 && isBehind(level.branch, index, this.#range)) return false;
      level.index = index;
      below.branch = this.#snapshot.branch(level.branch.child(index));
      below.index = 0;
    }
    return at >= 0;
  }

  #enterLeaf(window: LeafWindow): void {
    const position = this.#leaf * PAGE_BYTES;
    const count = this.#snapshot.countNodes(window.bytes, position, window.page(this.#leaf), LEAF);
    this.#page = position / 2;
    this.#next = this.#page + PAGE_HEADER_WORDS;
    this.#end = this.#next + count;
    const { end, isInclusive = false } = this.#range;
    const order = this.#compareAt(this.#end - 1, end);
    if (order < 0) return;
    this.#isLastLeaf = true;
    this.#end = this.#next + this.#countBefore(end, isInclusive);
  }

  /** How many of the leaf's keys are before this one, or are it. */
  #countBefore(key: Uint8Array, isInclusive: boolean): number {
    let [low, high] = [this.#next, this.#end];
    while (low < high) {
      const middle = (low + high) >> 1;
      const order = this.#compareAt(middle, key);
      if (order < 0 || (order === 0 && isInclusive)) low = middle + 1;
      else high = middle;
    }
    return low - this.#next;
  }

  #compareAt(index: number, key: Uint8Array): number {
    const words = this.#words;
    const node = this.#page + PAGE_HEADER_WORDS + ((words[index] ?? 0) >> 1);
    const from = 2 * node + NODE_HEADER_BYTES;
    const until = from + (words[node + 3] ?? 0);
    if (until > 2 * (this.#page + PAGE_WORDS)) throw this.#damage();
    return compareKey(this.span.bytes, from, until, key);
  }

  /** A value that has pages of its own. */
  #enterLongValue(node: number, at: number): boolean {
    const snapshot = this.#snapshot;
    const { bytes } = this.span;
    const isWithin = at + LONG_VALUE_BYTES <= 2 * (this.#page + PAGE_WORDS);
    if (!isWithin || this.#words[node + 2] !== NODE_LONG_VALUE) throw this.#damage();
    const length = bytes.readUInt32LE(2 * node);
    const page = readPageNumber(bytes, at);
    const count = readPageNumber(bytes, at + 16);
    const until = PAGE_HEADER_BYTES + length;
    // A shorter value that took the place of a longer one within a transaction keeps its pages.
    if (count * PAGE_BYTES < until) throw this.#damage();
    snapshot.assertPages(page, count);
    const wanted = Math.ceil(until / PAGE_BYTES);
    let target = this.#longValue;
    if (target === undefined || target.length < wanted * PAGE_BYTES) {
      target = Buffer.allocUnsafeSlow(wanted * PAGE_BYTES);
      this.#longValue = target;
    }
    snapshot.read(target, 0, page, wanted);
    snapshot.checkHeader(target, 0, page, LONG_VALUE);
    this.value.bytes = target;
    this.value.from = PAGE_HEADER_BYTES;
    this.value.until = until;
    return true;
  }

  #damage(): Error {
    return this.#snapshot.damage(this.#window?.page(this.#leaf) ?? 0);
  }
}
