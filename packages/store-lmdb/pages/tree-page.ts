// The pages of a snapshot (tree-reader.ts), in place. Checks what a page or one of its nodes states about itself before
// following it.
import { EngineError } from '../lmdb/engine-error.js';
import { PAGE_BYTES } from '../lmdb/file-head.js';
import type { FileMap, MapSegment } from '../lmdb/file-map.js';
import {
  type BRANCH,
  type LEAF,
  LONG_VALUE,
  NODE_HEADER_BYTES,
  PAGE_HEADER_BYTES,
} from '../lmdb/page-format.js';

/** Pages are read in words of two bytes, LMDB's alignment. */
const HEADER_WORDS = PAGE_HEADER_BYTES / 2;
const PAGE_WORDS = PAGE_BYTES / 2;
/** The last position for a node's header, counted as offsets are. */
export const NODE_MAX = PAGE_BYTES - PAGE_HEADER_BYTES - NODE_HEADER_BYTES;
const FLAGS = 9;
const LOWER = 10;
const UPPER = 11;
const WORD = 0x1_0000;
const HIGH_UNIT = 0x1_0000_0000;
/** V8 inlines a constant of this module into the code, and reads an imported one at each use. */
const HEAD_BYTES = NODE_HEADER_BYTES;

/** A number of 6 bytes, exact for all possible numbers of pages and transactions. */
export const readNumber = (words: Uint16Array, at: number): number =>
  (words[at] ?? 0) + WORD * (words[at + 1] ?? 0) + WORD * WORD * (words[at + 2] ?? 0);

/** A state of the file. */
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

export class TreePage {
  readonly bytes: Buffer;
  readonly words: Uint16Array;
  /** The first and the last offset of a node, in words, and the first byte after the page. */
  readonly first: number;
  readonly count: number;
  readonly end: number;
  /** No node's offset is less. */
  readonly upper: number;
  readonly #snapshot: Snapshot;
  readonly #number: number;

  constructor(snapshot: Snapshot, number: number, kind: typeof BRANCH | typeof LEAF) {
    const { first, bytes, words } = snapshot.segmentOf(number);
    // V8 may keep page numbers as doubles, and everything computed from them; positions within a segment are integers.
    const at = ((number - first) * PAGE_WORDS) | 0;
    const lower = words[at + LOWER] ?? 0;
    const upper = words[at + UPPER] ?? 0;
    this.bytes = bytes;
    this.words = words;
    this.first = at + HEADER_WORDS;
    this.count = lower >> 1;
    this.end = 2 * (at + PAGE_WORDS);
    this.#snapshot = snapshot;
    this.#number = number;
    this.upper = upper;
    const isSound = lower % 2 === 0 && lower > 0 && lower <= upper && upper <= PAGE_BYTES - PAGE_HEADER_BYTES;
    if (!isSound || words[at + FLAGS] !== kind) throw this.damage();
    if (readNumber(words, at) !== number || readNumber(words, at + 4) > snapshot.number) throw this.damage();
  }

  /** Where a node begins, in words; its key is within the page. */
  node(index: number): number {
    const { words, first } = this;
    const offset = words[first + index] ?? 0;
    const node = first + (offset >> 1);
    const isSound = offset % 2 === 0 && offset >= this.upper && offset <= NODE_MAX;
    // The file may end after the page, and reading past its end crashes the process.
    if (!isSound || 2 * node + HEAD_BYTES + (words[node + 3] ?? 0) > this.end) throw this.damage();
    return node;
  }

  /** The page below a node of a branch. */
  child(index: number): number {
    return readNumber(this.words, this.node(index));
  }

  /** Compares a node's key with this one: negative, 0 or positive. Meaningless for a branch's first node. */
  compare(index: number, key: Uint8Array): number {
    const { bytes } = this;
    const node = this.node(index);
    const from = 2 * node + HEAD_BYTES;
    const keyLength = this.words[node + 3] ?? 0;
    const length = Math.min(keyLength, key.length);
    for (let at = 0; at < length; at += 1) {
      const difference = (bytes[from + at] ?? 0) - (key[at] ?? 0);
      if (difference !== 0) return difference;
    }
    return keyLength - key.length;
  }

  /** How many nodes from `low` on are before this key, or equal it if `isInclusive`. */
  countBefore(key: Uint8Array, isInclusive: boolean, low = 0): number {
    let [from, until] = [low, this.count];
    while (from < until) {
      const middle = (from + until) >> 1;
      const order = this.compare(middle, key);
      if (order < 0 || (order === 0 && isInclusive)) from = middle + 1;
      else until = middle;
    }
    return from - low;
  }

  /** For a branch: the node below which the key is, if it is in the tree. */
  childOf(key: Uint8Array): number {
    return this.countBefore(key, true, 1);
  }

  damage(): Error {
    return this.#snapshot.damage(this.#number);
  }
}
