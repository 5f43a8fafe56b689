// The log's format on disk: the head of its file and its records, in bytes. read-log.ts knows where records are and
// which of them count, log-file.ts writes them.
//
//   head    | checksum, 4 | 'slog' | epoch, 8 | salt, 16 |                               one block, at 0
//   record  | checksum, 4 | length, 4 | epoch, 8 | sequence, 8 | basis, 8 | tick, 8 | count, 4 | changes |
//   change  | key's length, 2 | value's length, 4, or FF FF FF FF for a removed row | key | value |
//
// All numbers are big-endian. A checksum is the CRC-32 of everything that follows it, in a record up to its length,
// which counts from the record's first byte; zeros fill the last block. A record's checksum continues from that of the
// head, whose salt is secret: so neither another file's records count, nor bytes in a row that look like a record.
import { crc32 } from 'node:zlib';
import { type RowKey, SPACE_BYTES, UNIT_BYTES_MAX, writeRowKey } from '../layout/keys.js';

/** The range of ticks that a record covers. */
export interface TickRange {
  /** The last tick before it. */
  readonly basis: bigint;
  /** Its last tick. */
  readonly tick: bigint;
}

export interface LogRecord {
  /** 1 for the first record of an epoch. */
  readonly sequence: bigint;
  readonly basis: bigint;
  readonly tick: bigint;
  readonly changes: readonly { readonly key: Buffer; readonly bytes: Buffer | undefined }[];
}

/** The file that a record belongs to. */
export interface LogHead {
  readonly epoch: bigint;
  /** The checksums of its records continue from this. */
  readonly checksum: number;
}

/** No disk's sector is larger, so writing a record never rewrites a sector of an acknowledged one. */
export const BLOCK_BYTES = 4096;
export const SALT_BYTES = 16;
export const RECORD_HEADER_BYTES = 44;
export const CHANGE_HEADER_BYTES = 6;
const MAGIC = 0x736c6f67;
const HEAD_BYTES = 16 + SALT_BYTES;
const REMOVED = 0xffffffff;
const MEMORY_BYTES = 0x10000;
/** 4 MiB, half of what the log may hold that is not in the tree. */
const FREE_BLOCKS_MAX = 64;
const ZEROS = Buffer.alloc(BLOCK_BYTES);

/**
 * Upper bound for the bytes of a change in a record, without inspecting characters; `rowBytes` are those of the row.
 */
export function changeBytesMax(partition: string, key: string, rowBytes: number): number {
  return CHANGE_HEADER_BYTES + SPACE_BYTES + 1 + UNIT_BYTES_MAX * (partition.length + key.length) + rowBytes;
}

export function wholeBlocks(bytes: number): number {
  return Math.ceil(bytes / BLOCK_BYTES) * BLOCK_BYTES;
}

/** Writes the head at the beginning of `target`. */
export function encodeHead(epoch: bigint, salt: Buffer, target: Buffer): LogHead {
  target.writeUInt32BE(MAGIC, 4);
  target.writeBigUInt64BE(epoch, 8);
  salt.copy(target, 16, 0, SALT_BYTES);
  const checksum = crc32(target.subarray(4, HEAD_BYTES));
  target.writeUInt32BE(checksum, 0);
  return { epoch, checksum };
}

/** Undefined if it is not whole. */
export function decodeHead(bytes: Buffer): LogHead | undefined {
  if (bytes.length < HEAD_BYTES || bytes.readUInt32BE(4) !== MAGIC) return undefined;
  const checksum = bytes.readUInt32BE(0);
  if (crc32(bytes.subarray(4, HEAD_BYTES)) !== checksum) return undefined;
  return { epoch: bytes.readBigUInt64BE(8), checksum };
}

/**
 * Memory that records are encoded into, one after another. A record's part of a block stays as it is until the record
 * is released, which must not happen before all users of its values are done; a user that cannot know never releases
 * it. A block without records is reused: V8 counts memory outside its heap, and blocks that outlive two of its
 * collections become garbage that only a marking of the whole heap finds, and they trigger that marking.
 */
export class RecordMemory {
  block: Buffer = Buffer.alloc(0);
  used = 0;
  /** How many records have a part of a block. */
  readonly #records = new WeakMap<Buffer, number>();
  readonly #free: Buffer[] = [];

  /** Ensures this many contiguous free bytes at the end of the block. */
  makeRoom(bytes: number): void {
    if (this.used + bytes > this.block.length) this.#goOn(bytes);
  }

  /** Continues in another block. */
  #goOn(bytes: number): void {
    const free = bytes <= MEMORY_BYTES ? this.#free.pop() : undefined;
    this.block = free ?? Buffer.allocUnsafeSlow(Math.max(MEMORY_BYTES, bytes));
    this.used = 0;
  }

  /** Counts one more record with a part of the current block. */
  retain(): Buffer {
    this.#records.set(this.block, (this.#records.get(this.block) ?? 0) + 1);
    return this.block;
  }

  /** Counts one record fewer. */
  release(block: Buffer): void {
    const left = (this.#records.get(block) ?? 0) - 1;
    this.#records.set(block, left);
    if (left > 0 || block === this.block || block.length !== MEMORY_BYTES) return;
    if (this.#free.length < FREE_BLOCKS_MAX) this.#free.push(block);
  }
}

/**
 * A record that is encoded change by change, as they are decided: in pieces of memory that also hold the changes'
 * values.
 */
export class RecordDraft {
  /** Bytes so far, without the zeros that fill its last block. */
  bytes = RECORD_HEADER_BYTES;
  /** In the file, once it is finished: whole blocks. */
  length = 0;
  /** The current block, with the value of the last change. */
  block: Buffer;
  readonly #memory: RecordMemory;
  readonly #blocks: Buffer[];
  /** Parts in earlier blocks. */
  readonly #pieces: Buffer[] = [];
  /** Its part of the block. */
  #from: number;
  #until: number;
  #count = 0;

  constructor(memory: RecordMemory) {
    memory.makeRoom(RECORD_HEADER_BYTES);
    this.#memory = memory;
    this.block = memory.retain();
    this.#blocks = [this.block];
    this.#from = memory.used;
    this.#until = memory.used += RECORD_HEADER_BYTES;
  }

  /**
   * Returns where in `block` the row's value of this many bytes goes; the caller fills it at once. Without `valueBytes`
   * it removes the row.
   */
  add(key: RowKey | Uint8Array, valueBytes?: number): number {
    const memory = this.#memory;
    const isEncoded = key instanceof Uint8Array;
    const rowBytes = valueBytes ?? 0;
    const most = isEncoded
      ? CHANGE_HEADER_BYTES + key.length + rowBytes
      : changeBytesMax(key[1], key[2], rowBytes);
    // A change is contiguous.
    memory.makeRoom(most);
    if (this.block !== memory.block || this.#until !== memory.used) this.#goOnIn(memory);
    const at = this.#until;
    const block = this.block;
    const valueAt = writeRowKey(key, block, at + CHANGE_HEADER_BYTES);
    block.writeUInt16BE(valueAt - at - CHANGE_HEADER_BYTES, at);
    block.writeUInt32BE(valueBytes ?? REMOVED, at + 2);
    this.#until = memory.used = valueAt + rowBytes;
    this.#count += 1;
    this.bytes += this.#until - at;
    return valueAt;
  }

  /** Call after the last change: returns the record, in pieces. */
  finish({ basis, tick }: TickRange, head: LogHead, sequence: bigint): readonly Buffer[] {
    const pieces = [...this.#pieces, this.block.subarray(this.#from, this.#until)];
    const first = pieces[0] as Buffer;
    first.writeUInt32BE(this.bytes, 4);
    first.writeBigUInt64BE(head.epoch, 8);
    first.writeBigUInt64BE(sequence, 16);
    first.writeBigUInt64BE(basis, 24);
    first.writeBigUInt64BE(tick, 32);
    first.writeUInt32BE(this.#count, 40);
    let checksum = crc32(first.subarray(4), head.checksum);
    for (let index = 1; index < pieces.length; index += 1)
      checksum = crc32(pieces[index] as Buffer, checksum);
    first.writeUInt32BE(checksum, 0);
    const zeros = -this.bytes & (BLOCK_BYTES - 1);
    this.length = this.bytes + zeros;
    pieces.push(ZEROS.subarray(0, zeros));
    return pieces;
  }

  /** Call at most once, when its values are neither read nor written any more: the memory may be reused. */
  release(): void {
    for (const block of this.#blocks) this.#memory.release(block);
  }

  #goOnIn(memory: RecordMemory): void {
    this.#pieces.push(this.block.subarray(this.#from, this.#until));
    this.block = memory.retain();
    this.#blocks.push(this.block);
    this.#from = memory.used;
    this.#until = memory.used;
  }
}

/** The sequence field at this position, whether or not there is a record. */
export function sequenceAt(bytes: Buffer, from: number): bigint {
  return bytes.readBigUInt64BE(from + 16);
}

/** The length field at this position. */
export function lengthAt(bytes: Buffer, from: number): number {
  return bytes.readUInt32BE(from + 4);
}

/** Whether a whole record of this file begins here and ends before `until`. */
export function isRecord(bytes: Buffer, from: number, until: number, head: LogHead): boolean {
  const length = lengthAt(bytes, from);
  if (length < RECORD_HEADER_BYTES || length > until - from) return false;
  if (bytes.readBigUInt64BE(from + 8) !== head.epoch) return false;
  return crc32(bytes.subarray(from + 4, from + length), head.checksum) === bytes.readUInt32BE(from);
}

/**
 * The record that begins here, which `isRecord` has found whole; undefined if lengths in it are false. Its keys and
 * values are views.
 */
export function decodeRecord(bytes: Buffer, from: number): LogRecord | undefined {
  const end = from + lengthAt(bytes, from);
  const count = bytes.readUInt32BE(from + 40);
  const changes: LogRecord['changes'][number][] = [];
  let position = from + RECORD_HEADER_BYTES;
  while (changes.length < count) {
    if (position + CHANGE_HEADER_BYTES > end) return undefined;
    const keyAt = position + CHANGE_HEADER_BYTES;
    const valueAt = keyAt + bytes.readUInt16BE(position);
    const length = bytes.readUInt32BE(position + 2);
    position = length === REMOVED ? valueAt : valueAt + length;
    if (position > end) return undefined;
    const value = length === REMOVED ? undefined : bytes.subarray(valueAt, position);
    changes.push({ key: bytes.subarray(keyAt, valueAt), bytes: value });
  }
  if (position !== end) return undefined;
  const [basis, tick] = [bytes.readBigUInt64BE(from + 24), bytes.readBigUInt64BE(from + 32)];
  return { sequence: sequenceAt(bytes, from), basis, tick, changes };
}
