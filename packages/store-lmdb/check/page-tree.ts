// Walks one tree of an LMDB file, page by page, and checks everything that LMDB itself trusts: numbers, kinds and ages
// of pages, the order of keys, the bounds of nodes, the counts in the tree's record. Keys and values mean nothing here.
// lmdb/page-format.ts documents the layout of pages.
import { PAGE_BYTES } from '../lmdb/file-head.js';
import {
  BRANCH,
  DEPTH_MAX,
  LEAF,
  LONG_VALUE,
  LONG_VALUE_BYTES,
  NO_PAGE,
  NODE_HEADER_BYTES,
  NODE_LONG_VALUE,
  NODE_TREE,
  PAGE_HEADER_BYTES,
  type TreeRecord,
} from '../lmdb/page-format.js';
import type { Findings } from './findings.js';
import type { PageFile } from './page-file.js';

export interface Entry {
  readonly key: Buffer;
  readonly value: Buffer;
  readonly flags: number;
}

/** What LMDB knows about a tree apart from its pages: the flags it was created with, and the order of its keys. */
export interface TreeKind {
  readonly flags: number;
  readonly compare: (a: Buffer, b: Buffer) => number;
}

const PLAIN: TreeKind = { flags: 0, compare: Buffer.compare };

/** Keys of the pages below are at or after `from` and before `until`; undefined is not a bound. */
interface Bounds {
  readonly from: Buffer | undefined;
  readonly until: Buffer | undefined;
}

interface Node {
  readonly at: number;
  readonly key: Buffer;
}

export class PageTree {
  readonly #file: PageFile;
  readonly #name: string;
  readonly #record: TreeRecord;
  readonly #findings: Findings;
  readonly #kind: TreeKind;
  #branches = 0n;
  #leaves = 0n;
  #longValuePages = 0n;
  #entries = 0n;

  /** `name` appears in the findings. */
  constructor(file: PageFile, name: string, record: TreeRecord, findings: Findings, kind = PLAIN) {
    this.#file = file;
    this.#name = name;
    this.#record = record;
    this.#findings = findings;
    this.#kind = kind;
  }

  /** The entries in order, a page at a time. Pages with a finding, and the pages below them, are left out. */
  *pages(): Generator<readonly Entry[]> {
    const { root, depth, flags, entries, branches, leaves, longValuePages } = this.#record;
    if (flags !== this.#kind.flags) this.#report('its record has unknown flags');
    if (root !== NO_PAGE) yield* this.#below(Number(root), depth, { from: undefined, until: undefined });
    this.#compareCount('entries', entries, this.#entries);
    this.#compareCount('branch pages', branches, this.#branches);
    this.#compareCount('leaf pages', leaves, this.#leaves);
    this.#compareCount('pages of long values', longValuePages, this.#longValuePages);
  }

  /** The entries in order, without a turn of the event loop: for small trees. */
  *entries(): Generator<Entry> {
    for (const entries of this.pages()) yield* entries;
  }

  *#below(page: number, depth: number, bounds: Bounds): Generator<readonly Entry[]> {
    const isLeaf = depth === 1;
    if (depth < 1 || depth > DEPTH_MAX) {
      this.#report(`its depth is recorded as ${depth}`);
      return;
    }
    const bytes = this.#take(page, 1, isLeaf ? LEAF : BRANCH);
    if (bytes === undefined) return;
    const nodes = this.#nodes(bytes, page, isLeaf, bounds);
    if (nodes === undefined) return;
    if (isLeaf) {
      this.#leaves += 1n;
      this.#entries += BigInt(nodes.length);
      yield this.#entriesOf(bytes, nodes);
      return;
    }
    this.#branches += 1n;
    for (const [index, node] of nodes.entries()) {
      const from = index === 0 ? bounds.from : node.key;
      const until = nodes[index + 1]?.key ?? bounds.until;
      yield* this.#below(bytes.readUIntLE(node.at, 6), depth - 1, { from, until });
    }
  }

  #take(page: number, count: number, kind: number): Buffer | undefined {
    const bytes = this.#file.take(page, count);
    if (typeof bytes === 'string') this.#report(bytes);
    else if (bytes.readBigUInt64LE(0) !== BigInt(page))
      this.#report(`page ${page} says that it is another one`);
    else if (bytes.readBigUInt64LE(8) > this.#file.meta.transaction)
      this.#report(`page ${page} is newer than the file's last transaction`);
    else if (bytes.readUInt16LE(18) !== kind)
      this.#report(`page ${page} is of another kind than its place needs`);
    else return bytes;
    return undefined;
  }

  /** The nodes of a page, checked for their bounds and their order. */
  #nodes(bytes: Buffer, page: number, isLeaf: boolean, bounds: Bounds): Node[] | undefined {
    const lower = bytes.readUInt16LE(20);
    const upper = bytes.readUInt16LE(22);
    const room = PAGE_BYTES - PAGE_HEADER_BYTES;
    if (lower % 2 !== 0 || lower === 0 || lower > upper || upper > room) {
      this.#report(`page ${page} has impossible bounds`);
      return undefined;
    }
    const nodes: Node[] = [];
    let length = 0;
    let previous: Buffer | undefined;
    for (let offset = 0; offset < lower; offset += 2) {
      const at = PAGE_HEADER_BYTES + bytes.readUInt16LE(PAGE_HEADER_BYTES + offset);
      const end = nodeEnd(bytes, at, isLeaf);
      if (at < PAGE_HEADER_BYTES + upper || end > PAGE_BYTES) {
        this.#report(`page ${page} has an entry outside of its bounds`);
        return undefined;
      }
      length += end - at + ((end - at) % 2);
      const key = bytes.subarray(at + NODE_HEADER_BYTES, at + NODE_HEADER_BYTES + bytes.readUInt16LE(at + 6));
      // A branch's first key stands for everything below the second, and is empty.
      if ((isLeaf || offset > 0) && !this.#isInOrder(key, previous, bounds)) {
        this.#report(`page ${page} has keys that are out of order`);
        return undefined;
      }
      previous = isLeaf || offset > 0 ? key : undefined;
      nodes.push({ at, key });
    }
    if (length === room - upper) return nodes;
    this.#report(`page ${page} has entries that overlap or leave gaps`);
    return undefined;
  }

  #isInOrder(key: Buffer, previous: Buffer | undefined, { from, until }: Bounds): boolean {
    const { compare } = this.#kind;
    if (previous !== undefined && compare(previous, key) >= 0) return false;
    if (from !== undefined && compare(key, from) < 0) return false;
    return until === undefined || compare(key, until) < 0;
  }

  #entriesOf(bytes: Buffer, nodes: readonly Node[]): Entry[] {
    const entries: Entry[] = [];
    for (const { at, key } of nodes) {
      const flags = bytes.readUInt16LE(at + 4);
      const length = bytes.readUInt32LE(at);
      const valueAt = at + NODE_HEADER_BYTES + key.length;
      if (flags === NODE_LONG_VALUE) {
        const value = this.#longValue(bytes, valueAt, length);
        if (value !== undefined) entries.push({ key, value, flags });
      } else if (flags === 0 || flags === NODE_TREE) {
        entries.push({ key, value: bytes.subarray(valueAt, valueAt + length), flags });
      } else this.#report(`an entry of page ${bytes.readBigUInt64LE(0)} has unknown flags`);
    }
    return entries;
  }

  #longValue(bytes: Buffer, at: number, length: number): Buffer | undefined {
    const page = Number(bytes.readBigUInt64LE(at));
    const count = Number(bytes.readBigUInt64LE(at + 16));
    // When a shorter value replaces a longer one within a transaction, it keeps the longer one's pages.
    if (count < Math.ceil((PAGE_HEADER_BYTES + length) / PAGE_BYTES)) {
      this.#report(`a long value at page ${page} has another length than its pages`);
      return undefined;
    }
    const run = this.#take(page, count, LONG_VALUE);
    if (run === undefined) return undefined;
    const isOwn = run.readBigUInt64LE(8) === bytes.readBigUInt64LE(at + 8) && run.readUInt32LE(20) === count;
    if (!isOwn) {
      this.#report(`page ${page} holds another long value than its key has`);
      return undefined;
    }
    this.#longValuePages += BigInt(count);
    return run.subarray(PAGE_HEADER_BYTES, PAGE_HEADER_BYTES + length);
  }

  #compareCount(noun: string, recorded: bigint, found: bigint): void {
    if (recorded !== found) this.#report(`${recorded} ${noun} are recorded and ${found} were found`);
  }

  #report(sentence: string): void {
    this.#findings.add(`${this.#name}: ${sentence}.`);
  }
}

function nodeEnd(bytes: Buffer, at: number, isLeaf: boolean): number {
  if (at + NODE_HEADER_BYTES > PAGE_BYTES) return PAGE_BYTES + 1;
  const keyEnd = at + NODE_HEADER_BYTES + bytes.readUInt16LE(at + 6);
  if (!isLeaf) return keyEnd;
  const isLong = (bytes.readUInt16LE(at + 4) & NODE_LONG_VALUE) !== 0;
  return keyEnd + (isLong ? LONG_VALUE_BYTES : bytes.readUInt32LE(at));
}
