// The rows of all spaces as LMDB has them: keys, values, and point access. branches.ts has the rows with long keys,
// row-cursor.ts walks ranges, catalog.ts has the keys of spaces. Calls see the current write transaction if there is
// one, otherwise what is durable.
//
//   key:    | space id, 4 bytes | partition | 00 | key |          all numbers big-endian
//                               '------- payload ------'
//   value:  | version, 8 bytes | value |                          the domains define its content
//
// LMDB orders by bytes, which compare (memcmp) as JavaScript's `<` compares the strings. Each UTF-16 code unit on its
// own, so that a lone surrogate keeps its place and U+E000 sorts after U+D800:
//
//   U+0000           01 01                          'a'      61
//   U+0001           01 02                          'é'      C3 A9
//   U+0002 - U+007F  one byte, itself               '€'      E2 82 AC
//   U+0080 - U+07FF  110xxxxx 10xxxxxx              U+D83D   ED A0 BD
//   U+0800 - U+FFFF  1110xxxx 10xxxxxx 10xxxxxx     U+FFFF   EF BF BF
//
// So 00 is never written, and ends a string below every longer one; neither is FF, which marks a long key's pointer.
import { type Row, StoreError } from '#store';
import type { EntryCursor, Tree, TreeRange } from '../lmdb/tree.js';
import { Branches, SPACE_BYTES, type SubtreeIds } from './branches.js';

/** Bytes of the longest code unit. */
export const UNIT_BYTES_MAX = 3;

export function encodedLength(text: string): number {
  let length = text.length;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit >= 0x800) length += 2;
    else if (unit >= 0x80 || unit <= 1) length += 1;
  }
  return length;
}

/** Writes into `target` from `position` on; returns the position after the last byte. */
export function encodeText(text: string, target: Uint8Array, position: number): number {
  let end = position;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit < 0x80 && unit > 1) {
      target[end++] = unit;
    } else if (unit <= 1) {
      target[end++] = 0x01;
      target[end++] = unit + 1;
    } else if (unit < 0x800) {
      target[end++] = 0xc0 | (unit >> 6);
      target[end++] = 0x80 | (unit & 0x3f);
    } else {
      target[end++] = 0xe0 | (unit >> 12);
      target[end++] = 0x80 | ((unit >> 6) & 0x3f);
      target[end++] = 0x80 | (unit & 0x3f);
    }
  }
  return end;
}

/** The string in `bytes[from, until)`. Throws `corrupt` for bytes that `encodeText` never writes. */
export function decodeText(bytes: Buffer, from: number, until: number): string {
  for (let index = from; index < until; index += 1) {
    const byte = bytes[index];
    if (byte === undefined || byte >= 0x80 || byte <= 1) return decodeUnits(bytes, from, until);
  }
  return bytes.toString('latin1', from, until);
}

function decodeUnits(bytes: Buffer, from: number, until: number): string {
  const units = new Uint16Array(until - from);
  let count = 0;
  let index = from;
  while (index < until) {
    const lead = bytes[index] ?? 0;
    let length = 1;
    let unit = lead;
    if (lead >= 0xe0) {
      length = 3;
      unit = ((lead & 0x0f) << 12) | (tail(bytes[index + 1]) << 6) | tail(bytes[index + 2]);
    } else if (lead >= 0xc0) {
      length = 2;
      unit = ((lead & 0x1f) << 6) | tail(bytes[index + 1]);
    } else if (lead === 1) {
      length = 2;
      unit = (bytes[index + 1] ?? 0) - 1;
    }
    const isOneByte = length === 1 && (lead === 0 || lead >= 0x80);
    if (isOneByte || lead > 0xef || (lead === 1 && unit !== 0 && unit !== 1)) throw corruptKey();
    units[count++] = unit;
    index += length;
  }
  if (index !== until) throw corruptKey();
  return String.fromCharCode(...units.subarray(0, count));
}

function tail(byte: number | undefined): number {
  if (byte === undefined || (byte & 0xc0) !== 0x80) throw corruptKey();
  return byte & 0x3f;
}

function corruptKey(): StoreError {
  return new StoreError('corrupt', 'A key in the database is not in the form that this program writes.');
}

/** Space id, partition, key: LMDB gets it like this and calls `writeRowKey` for the bytes. */
export type RowKey = [space: number, partition: string, key: string];

export const SPACE_ID_MAX = 2 ** 32 - 2;

/** Bytes of the payload: the key without the space. */
export function payloadLength(partition: string, key: string): number {
  return encodedLength(partition) + 1 + encodedLength(key);
}

/** True if the payload is at most `limit` bytes; for ordinary keys the character count decides. */
export function fits(partition: string, key: string, limit: number): boolean {
  if ((partition.length + key.length) * UNIT_BYTES_MAX < limit) return true;
  return payloadLength(partition, key) <= limit;
}

/** Writes a key, or bytes as they are; returns the position after the last byte. LMDB calls it for each key. */
export function writeRowKey(key: RowKey | Uint8Array, target: Uint8Array, position: number): number {
  if (key instanceof Uint8Array) {
    target.set(key, position);
    return position + key.length;
  }
  const space = key[0];
  target[position] = space >>> 24;
  target[position + 1] = space >>> 16;
  target[position + 2] = space >>> 8;
  target[position + 3] = space;
  const terminator = encodeText(key[1], target, position + SPACE_BYTES);
  target[terminator] = 0;
  return encodeText(key[2], target, terminator + 1);
}

export function encodePayload(partition: string, key: string): Buffer {
  const bytes = Buffer.allocUnsafe(SPACE_BYTES + payloadLength(partition, key));
  writeRowKey([0, partition, key], bytes, 0);
  return bytes.subarray(SPACE_BYTES);
}

/** Where the partition's terminator is. */
export function findTerminator(bytes: Buffer, from: number, until: number): number {
  for (let index = from; index < until; index += 1) {
    if (bytes[index] === 0) return index;
  }
  throw new StoreError('corrupt', 'A row in the database has a key without a partition.');
}

export function decodePartition(bytes: Buffer, from: number, until: number): string {
  return decodeText(bytes, from, findTerminator(bytes, from, until));
}

export function decodeKey(bytes: Buffer, from: number, until: number): string {
  return decodeText(bytes, findTerminator(bytes, from, until) + 1, until);
}

/** Names of the two trees that have rows. */
export const ROWS_TREE = 'rows';
export const LONG_TREE = 'long';
export const ROW_TREES: readonly string[] = [ROWS_TREE, LONG_TREE];

/** Opens the entries of a range of one of them, for as long as its rows are walked. */
export type OpenRange = (tree: Tree<RowKey>, range: TreeRange) => EntryCursor;

/** Bytes of a row's value on disk in addition to the caller's: its version. */
export const ROW_HEADER_BYTES = 8;
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

export class Rows extends Branches {
  /** LMDB copies a value when it is put. */
  readonly #scratch = Buffer.allocUnsafeSlow(SCRATCH_BYTES);

  /** A copy, which the caller may keep. */
  get(space: number, partition: string, key: string): Row | undefined {
    if (!fits(partition, key, this.chunk)) {
      const place = this.find(space, encodePayload(partition, key));
      const bytes = place?.tree.get(place.key);
      return bytes && copyRow(partition, key, bytes, 0, bytes.length);
    }
    if (!this.tree.find([space, partition, key])) return undefined;
    const { bytes, from, until } = this.tree.value;
    return copyRow(partition, key, bytes, from, until);
  }

  /** Only inside a write transaction. */
  put(space: number, { partition, key, version, value }: Row, ids: SubtreeIds): void {
    const length = ROW_HEADER_BYTES + value.length;
    const bytes =
      length <= SCRATCH_BYTES ? this.#scratch.subarray(0, length) : Buffer.allocUnsafeSlow(length);
    writeRowValue(version, value, bytes, 0);
    if (fits(partition, key, this.chunk)) this.tree.put([space, partition, key], bytes);
    else {
      const place = this.find(space, encodePayload(partition, key), ids);
      place?.tree.put(place.key, bytes);
    }
  }

  /**
   * A change whose key is no longer than LMDB takes; its bytes must stay as they are until LMDB's thread has read them.
   */
  apply(key: RowKey | Uint8Array, bytes: Buffer | undefined): void {
    if (bytes === undefined) this.tree.remove(key);
    else this.tree.put(key, bytes);
  }

  /** Only inside a write transaction. */
  remove(space: number, partition: string, key: string): void {
    if (fits(partition, key, this.chunk)) this.tree.remove([space, partition, key]);
    else {
      const place = this.find(space, encodePayload(partition, key));
      if (place !== undefined) this.removeAt(place);
    }
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
