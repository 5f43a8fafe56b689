// The rows of all spaces: their values on disk, | version, 8 bytes big-endian | value |, whose content the domains
// define, and point access, whatever the length of the key. row-cursor.ts walks ranges. Calls see the current write
// transaction if there is one, otherwise what is durable.
//
// Rows whose keys are longer than LMDB takes are in a chain of subtrees, in the same order as if the key were in one
// piece:
//
//   rows:  | space id | first `chunk` bytes of the payload | FF |   ->  subtree id, 8 bytes
//   long:  | subtree id, 8 bytes | the rest of the payload |        ->  row value
//
// A rest longer than `chunk` bytes is split once more in the same way. All rows that begin with the chunk and go on are
// in the subtree, and no row's key holds an FF, so the pointer stands where they stand: right after the row that is
// the chunk exactly, before every other. A subtree without rows has no pointer.
import { type Row, StoreError } from '#store';
import { EngineError } from '../lmdb/engine-error.js';
import type { EntryCursor, Tree, TreeRange } from '../lmdb/tree.js';
import type { Counters } from './catalog.js';
import { encodePayload, encodeSpace, endOfPrefix, fits, type RowKey } from './keys.js';

/** Names of the two trees that have rows. */
export const ROWS_TREE = 'rows';
export const LONG_TREE = 'long';
export const ROW_TREES: readonly string[] = [ROWS_TREE, LONG_TREE];

/** Opens the entries of a range of one of them, for as long as its rows are walked. */
export type OpenRange = (tree: Tree<RowKey>, range: TreeRange) => EntryCursor;

/** Bytes of a row's value on disk in addition to the caller's: its version. */
export const ROW_HEADER_BYTES = 8;
export const POINTER_MARK = 0xff;
export const SUBTREE_BYTES = 8;
// Larger than nearly all entities; a larger value gets memory of its own.
const SCRATCH_BYTES = 0x10000;
const BLOCK_BYTES = 0x10000;

/**
 * Shared memory, because allocating for each value costs more than filling it. Keeping a piece keeps its whole block.
 */
class Blocks {
  #block = Buffer.alloc(0);
  #used = 0;

  take(length: number): Buffer {
    if (length > BLOCK_BYTES / 4) return Buffer.allocUnsafeSlow(length);
    if (this.#used + length > this.#block.length) {
      this.#block = Buffer.allocUnsafeSlow(BLOCK_BYTES);
      this.#used = 0;
    }
    const from = this.#used;
    this.#used += length;
    return this.#block.subarray(from, this.#used);
  }
}

export function writeRowValue(version: bigint, value: Buffer, target: Buffer, position: number): void {
  target.writeBigUInt64BE(version, position);
  target.set(value, position + ROW_HEADER_BYTES);
}

/** The row's value on disk is `bytes[from, until)`, here and below. */
export function decodeVersion(bytes: Buffer, from: number, until: number): bigint {
  if (until - from < ROW_HEADER_BYTES) {
    throw new StoreError('corrupt', 'A row in the database is too short to have a version.');
  }
  return bytes.readBigUInt64BE(from);
}

/** For rows in sequence: rows from one commit share a version, which is decoded once. */
export class VersionDecoder {
  #high = 0;
  #low = 0;
  #version = 0n;

  decode(bytes: Buffer, from: number, until: number): bigint {
    if (until - from < ROW_HEADER_BYTES) return decodeVersion(bytes, from, until);
    const high = bytes.readInt32BE(from);
    const low = bytes.readInt32BE(from + 4);
    if (high !== this.#high || low !== this.#low) {
      this.#version = decodeVersion(bytes, from, until);
      this.#high = high;
      this.#low = low;
    }
    return this.#version;
  }
}

const copies = new Blocks();

/** A copy, which the caller may keep. */
export function copyValue(bytes: Buffer, from: number, until: number): Buffer {
  const copy = copies.take(Math.max(0, until - from - ROW_HEADER_BYTES));
  bytes.copy(copy, 0, from + ROW_HEADER_BYTES, until);
  return copy;
}

/** Rows with a common prefix, which their keys leave out of the payload. */
export interface Branch {
  readonly tree: Tree<RowKey>;
  /** Space id or subtree id: all keys of the branch begin with it. */
  readonly prefix: Buffer;
}

/** Where a row with a long key is. */
interface Place extends Branch {
  /** The key of the row within the tree. */
  readonly key: Buffer;
  /** Pointers on the way to the row, outermost first. */
  readonly pointers: readonly { readonly tree: Tree<RowKey>; readonly key: Buffer }[];
}

export class Rows {
  /** Longest payload, in bytes, of a row that is stored under its whole key. */
  readonly chunk: number;
  readonly #tree: Tree<RowKey>;
  readonly #long: Tree<RowKey>;
  /** LMDB copies a value when it is put. */
  readonly #scratch = Buffer.allocUnsafeSlow(SCRATCH_BYTES);

  constructor(tree: Tree<RowKey>, long: Tree<RowKey>, chunk: number) {
    this.#tree = tree;
    this.#long = long;
    this.chunk = chunk;
  }

  /** A copy, which the caller may keep. */
  get(space: number, partition: string, key: string): Row | undefined {
    if (!fits(partition, key, this.chunk)) {
      const place = this.#find(space, encodePayload(partition, key));
      const bytes = place?.tree.get(place.key);
      return bytes && copyRow(partition, key, bytes, 0, bytes.length);
    }
    if (!this.#tree.find([space, partition, key])) return undefined;
    const { bytes, from, until } = this.#tree.value;
    return copyRow(partition, key, bytes, from, until);
  }

  /** Only inside a write transaction. */
  put(space: number, { partition, key, version, value }: Row, counters: Counters): void {
    const length = ROW_HEADER_BYTES + value.length;
    const bytes =
      length <= SCRATCH_BYTES ? this.#scratch.subarray(0, length) : Buffer.allocUnsafeSlow(length);
    writeRowValue(version, value, bytes, 0);
    if (fits(partition, key, this.chunk)) this.#tree.put([space, partition, key], bytes);
    else {
      const place = this.#find(space, encodePayload(partition, key), counters);
      place?.tree.put(place.key, bytes);
    }
  }

  /**
   * A change whose key is no longer than LMDB takes; its bytes must stay as they are until LMDB's thread has read them.
   */
  apply(key: RowKey | Uint8Array, bytes: Buffer | undefined): void {
    if (bytes === undefined) this.#tree.remove(key);
    else this.#tree.put(key, bytes);
  }

  /** Only inside a write transaction. */
  remove(space: number, partition: string, key: string): void {
    if (fits(partition, key, this.chunk)) this.#tree.remove([space, partition, key]);
    else this.#removeLong(this.#find(space, encodePayload(partition, key)));
  }

  /** The rows of a space. */
  spaceBranch(space: number): Branch {
    return { tree: this.#tree, prefix: encodeSpace(space) };
  }

  /** The rows that the pointer with this value points to. */
  pointedBranch(value: Buffer): Branch {
    if (value.length !== SUBTREE_BYTES) {
      throw new EngineError('corrupt', 'The pointer of a long key in the database is damaged.');
    }
    return { tree: this.#long, prefix: Buffer.from(value.subarray(0, value.length)) };
  }

  /** The longest key of a row in the tree, in bytes; a pointer's key is longer. */
  keyBytesMax(branch: Branch): number {
    return branch.prefix.length + this.chunk;
  }

  #removeLong(place: Place | undefined): void {
    if (place === undefined) return;
    place.tree.remove(place.key);
    let branch: Branch = place;
    for (const { tree, key } of place.pointers.toReversed()) {
      if (!isEmpty(branch)) return;
      tree.remove(key);
      branch = { tree, prefix: key.subarray(0, key.length - this.chunk - 1) };
    }
  }

  /** Undefined if a pointer on the way is missing; with `counters` it is put. */
  #find(space: number, payload: Buffer, counters?: Counters): Place | undefined {
    const pointers = [];
    let { tree, prefix } = this.spaceBranch(space);
    let rest = payload;
    while (rest.length > this.chunk) {
      const key = pointerKey(prefix, rest.subarray(0, this.chunk));
      pointers.push({ tree, key });
      let value = tree.get(key);
      if (value === undefined) {
        if (counters === undefined) return undefined;
        value = Buffer.allocUnsafe(SUBTREE_BYTES);
        value.writeBigUInt64BE(BigInt(counters.nextSubtreeId()));
        tree.put(key, value);
      }
      rest = rest.subarray(this.chunk);
      ({ tree, prefix } = this.pointedBranch(value));
    }
    return { tree, prefix, key: Buffer.concat([prefix, rest]), pointers };
  }
}

/** All keys that begin with the branch's prefix. */
export function branchRange({ prefix }: Branch): TreeRange {
  return { start: prefix, end: endOfPrefix(prefix) };
}

export function isEmpty(branch: Branch): boolean {
  return branch.tree.keys(branchRange(branch), 1).length === 0;
}

/** The key of the pointer to all longer payloads with this prefix. */
export const pointerKey = (prefix: Buffer, chunk: Buffer): Buffer =>
  Buffer.concat([prefix, chunk, Buffer.of(POINTER_MARK)]);

function copyRow(partition: string, key: string, bytes: Buffer, from: number, until: number): Row {
  return {
    partition,
    key,
    version: decodeVersion(bytes, from, until),
    value: copyValue(bytes, from, until),
  };
}
