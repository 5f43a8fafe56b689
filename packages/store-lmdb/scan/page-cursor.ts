// Walks the entries of a range of one tree in order, in place in the pages of a snapshot (snapshot.ts). Keys and values mean nothing here. LMDB's own order of
// keys is that of their bytes.
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
import { type Root, readPageNumber, type Snapshot } from './snapshot.js';
import { TreePage } from './tree-page.js';

interface Level {
  branch: TreePage;
  /** Of the child that is read, or was read last. */
  index: number;
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
  /** Of the leaf's entries: the next one, and the first that does not belong to the range. */
  #next = 0;
  #end = 0;
  /** No entry behind the leaf belongs to the range. */
  #isLastLeaf = false;

  /** Without a root there is no entry. */
  constructor(snapshot: Snapshot, root: Root | undefined, range: TreeRange) {
    this.#snapshot = snapshot;
    this.#range = range;
    this.#root = root;
  }

  next(): boolean {
    if (this.#next >= this.#end && !this.#enterNextLeaf()) return false;
    const leaf = this.#leaf;
    if (leaf === undefined) return false;
    const { words } = leaf;
    const node = leaf.node(this.#next);
    this.#next += 1;
    const from = 2 * node + NODE_HEADER_BYTES;
    const until = from + (words[node + 3] ?? 0);
    const { span, value } = this;
    span.from = from;
    span.until = until;
    if (words[node + 2] !== 0) return this.#enterLongValue(leaf, node, until);
    const end = until + (words[node] ?? 0) + 0x10000 * (words[node + 1] ?? 0);
    if (end > leaf.end) throw leaf.damage();
    value.bytes = span.bytes;
    value.from = until;
    value.until = end;
    return true;
  }

  close(): void {
    this.#root = undefined;
    this.#leaf = undefined;
    this.#levels.length = 0;
    this.#next = 0;
    this.#end = 0;
    this.#isLastLeaf = true;
  }

  #enterNextLeaf(): boolean {
    if (this.#leaf === undefined) return this.#begin();
    const parent = this.#levels.at(-1);
    while (!this.#isLastLeaf && parent !== undefined) {
      if (parent.index + 1 >= parent.branch.count) {
        if (!this.#enterNextParent()) return false;
      } else {
        if (parent.branch.isBehind(parent.index + 1, this.#range)) return false;
        parent.index += 1;
      }
      this.#enterLeaf(parent.branch.child(parent.index));
      if (this.#next < this.#end) return true;
    }
    return false;
  }

  /** Goes down to where the range begins. */
  #begin(): boolean {
    const root = this.#root;
    if (root === undefined) return false;
    const { start } = this.#range;
    let { page } = root;
    for (let depth = root.depth; depth > 1; depth -= 1) {
      const branch = new TreePage(this.#snapshot, page, BRANCH);
      const index = branch.childOf(start);
      this.#levels.push({ branch, index });
      page = branch.child(index);
    }
    const leaf = this.#enterLeaf(page);
    this.#next = leaf.countBefore(start, false);
    return this.#next < this.#end || this.#enterNextLeaf();
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
      if (index > 0 && level.branch.isBehind(index, this.#range)) return false;
      level.index = index;
      below.branch = new TreePage(this.#snapshot, level.branch.child(index), BRANCH);
      below.index = 0;
    }
    return at >= 0;
  }

  #enterLeaf(page: number): TreePage {
    const leaf = new TreePage(this.#snapshot, page, LEAF);
    this.#leaf = leaf;
    this.span.bytes = leaf.bytes;
    this.#next = 0;
    this.#end = leaf.count;
    const { end, isInclusive = false } = this.#range;
    if (leaf.compare(leaf.count - 1, end) >= 0) {
      this.#isLastLeaf = true;
      this.#end = leaf.countBefore(end, isInclusive);
    }
    return leaf;
  }

  /** A value that has pages of its own. */
  #enterLongValue(leaf: TreePage, node: number, at: number): boolean {
    const { bytes, words } = leaf;
    if (at + LONG_VALUE_BYTES > leaf.end || words[node + 2] !== NODE_LONG_VALUE) throw leaf.damage();
    const until = PAGE_HEADER_BYTES + bytes.readUInt32LE(2 * node);
    const page = readPageNumber(bytes, at);
    const count = readPageNumber(bytes, at + 16);
    // A shorter value that took the place of a longer one within a transaction keeps its pages.
    if (count * PAGE_BYTES < until) throw leaf.damage();
    this.value.bytes = this.#snapshot.run(page, count, Math.ceil(until / PAGE_BYTES));
    this.value.from = PAGE_HEADER_BYTES;
    this.value.until = until;
    return true;
  }
}
