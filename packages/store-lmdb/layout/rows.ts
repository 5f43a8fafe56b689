// The rows of all spaces: their values on disk, | version, 8 bytes big-endian | value |, whose content the domains
// define, and point access, whatever the length of the key. row-cursor.ts walks ranges. Calls see the current write
// transaction if there is one, otherwise what is durable.
import { type Row, StoreError } from '#store';
import type { EntryCursor, Tree, TreeRange } from '../lmdb/tree.js';
import type { Counters } from './catalog.js';
import { fits, type RowKey } from './keys.js';
import type { LongKeys } from './long-keys.js';

/** Names of the two trees that have rows. */
export const ROWS_TREE = 'rows';
export const LONG_TREE = 'long';
export const ROW_TREES: readonly string[] = [ROWS_TREE, LONG_TREE];

/** Opens the entries of a range of one of them, for as long as its rows are walked. */
export type OpenRange = (tree: Tree<RowKey>, range: TreeRange) => EntryCursor;

const VERSION_BYTES = 8;
/** Bytes of a row's value on disk in addition to the caller's. */
export const ROW_HEADER_BYTES = VERSION_BYTES;
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

/** Encodes values into memory of its own that the next call overwrites: LMDB copies a value when it is put. */
export class RowValueEncoder {
  readonly #scratch = Buffer.allocUnsafeSlow(SCRATCH_BYTES);

  encode(version: bigint, value: Buffer): Buffer {
    const length = VERSION_BYTES + value.length;
    const bytes =
      length <= SCRATCH_BYTES ? this.#scratch.subarray(0, length) : Buffer.allocUnsafeSlow(length);
    writeRowValue(version, value, bytes, 0);
    return bytes;
  }
}

export function writeRowValue(version: bigint, value: Buffer, target: Buffer, position: number): void {
  target.writeBigUInt64BE(version, position);
  target.set(value, position + VERSION_BYTES);
}

/** The row's value on disk is `bytes[from, until)`, here and below. */
export function decodeVersion(bytes: Buffer, from: number, until: number): bigint {
  if (until - from < VERSION_BYTES) {
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
    if (until - from < VERSION_BYTES) return decodeVersion(bytes, from, until);
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

/** A view, valid as long as `bytes` is. */
export function decodeValue(bytes: Buffer, from: number, until: number): Buffer {
  return bytes.subarray(from + VERSION_BYTES, until);
}

const copies = new Blocks();

/** A copy, which the caller may keep. */
export function copyValue(bytes: Buffer, from: number, until: number): Buffer {
  const copy = copies.take(Math.max(0, until - from - VERSION_BYTES));
  bytes.copy(copy, 0, from + VERSION_BYTES, until);
  return copy;
}

export class Rows {
  readonly #tree: Tree<RowKey>;
  readonly #longKeys: LongKeys;
  readonly #encoder = new RowValueEncoder();

  constructor(tree: Tree<RowKey>, longKeys: LongKeys) {
    this.#tree = tree;
    this.#longKeys = longKeys;
  }

  /** A copy, which the caller may keep. */
  get(space: number, partition: string, key: string): Row | undefined {
    if (!fits(partition, key, this.#longKeys.chunk)) {
      const bytes = this.#longKeys.get(space, partition, key);
      return bytes && copyRow(partition, key, bytes, 0, bytes.length);
    }
    if (!this.#tree.find([space, partition, key])) return undefined;
    const { bytes, from, until } = this.#tree.value;
    return copyRow(partition, key, bytes, from, until);
  }

  /** Only inside a write transaction. */
  put(space: number, row: Row, counters: Counters): void {
    const { partition, key } = row;
    const bytes = this.#encoder.encode(row.version, row.value);
    if (fits(partition, key, this.#longKeys.chunk)) this.#tree.put([space, partition, key], bytes);
    else this.#longKeys.put(space, partition, key, bytes, counters);
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
    if (fits(partition, key, this.#longKeys.chunk)) this.#tree.remove([space, partition, key]);
    else this.#longKeys.remove(space, partition, key);
  }
}

function copyRow(partition: string, key: string, bytes: Buffer, from: number, until: number): Row {
  return {
    partition,
    key,
    version: decodeVersion(bytes, from, until),
    value: copyValue(bytes, from, until),
  };
}
