// What the log has on disk: the head of its file and its records, in bytes. Where records stand and which of them count is
// read-log.ts's affair, when they are written log-file.ts's.
//
//   head    | checksum, 4 | 'slog' | epoch, 8 | salt, 16 |                               one block, at 0
//   record  | checksum, 4 | length, 4 | epoch, 8 | sequence, 8 | basis, 8 | tick, 8 | count, 4 | changes |
//   change  | key's length, 2 | value's length, 4, or FF FF FF FF for a row that goes | key | value |
//
// All numbers are big-endian. A checksum is the CRC-32 of all that follows it, in a record up to its length, which counts from
// the record's first byte; zeros fill the last block. That of a record goes on from that of the head: so bytes that somebody
// had stored in a row and that look like a record are none, since nobody outside knows the salt, and no other file's are.
import { crc32 } from 'node:zlib';
import { UNIT_BYTES_MAX } from '../layout/key-encoding.js';
import { payloadLength, type RowKey, SPACE_BYTES, writeRowKey } from '../layout/row-key.js';
import { ROW_HEADER_BYTES } from '../layout/row-value.js';

/** What one commit batch did to one row: its key and its bytes as the rows' tree has them; undefined removes the row. */
export interface LogChange {
  readonly key: RowKey | Uint8Array;
  readonly bytes: Buffer | undefined;
}

export interface LogBatch {
  /** The last tick before the batch. */
  readonly basis: bigint;
  /** The last tick of the batch. */
  readonly tick: bigint;
  readonly changes: readonly LogChange[];
}

export interface LogRecord {
  /** 1 for the first record of an epoch. */
  readonly sequence: bigint;
  readonly basis: bigint;
  readonly tick: bigint;
  readonly changes: readonly { readonly key: Buffer; readonly bytes: Buffer | undefined }[];
}

/** The file that a record is of. */
export interface LogHead {
  readonly epoch: bigint;
  /** What the checksums of its records go on from. */
  readonly checksum: number;
}

/** No disk's sector is larger, so that no sector with an acknowledged record is written when the next one is. */
export const BLOCK_BYTES = 4096;
export const SALT_BYTES = 16;
export const RECORD_HEADER_BYTES = 44;
export const CHANGE_HEADER_BYTES = 6;
const MAGIC = 0x736c6f67;
const HEAD_BYTES = 16 + SALT_BYTES;
const REMOVED = 0xffffffff;

/** Bytes that a batch takes in the log: whole blocks. */
export function logBytes(changes: readonly LogChange[]): number {
  let bytes = RECORD_HEADER_BYTES;
  for (const { key, bytes: value } of changes)
    bytes += CHANGE_HEADER_BYTES + keyLength(key) + (value?.length ?? 0);
  return wholeBlocks(bytes);
}

/** Bytes of a change in a record, at most; of an ordinary key it is known without a look at its characters. */
export function changeBytesMax(partition: string, key: string, valueBytes: number): number {
  const characters = partition.length + key.length;
  return CHANGE_HEADER_BYTES + SPACE_BYTES + 1 + UNIT_BYTES_MAX * characters + ROW_HEADER_BYTES + valueBytes;
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

/** Fills the beginning of `target`, which has `logBytes` of the batch or more, and gives how much: whole blocks. */
export function encodeRecord(batch: LogBatch, head: LogHead, sequence: bigint, target: Buffer): number {
  target.writeBigUInt64BE(head.epoch, 8);
  target.writeBigUInt64BE(sequence, 16);
  target.writeBigUInt64BE(batch.basis, 24);
  target.writeBigUInt64BE(batch.tick, 32);
  target.writeUInt32BE(batch.changes.length, 40);
  let position = RECORD_HEADER_BYTES;
  for (const { key, bytes } of batch.changes) {
    const end = writeRowKey(key, target, position + CHANGE_HEADER_BYTES);
    target.writeUInt16BE(end - position - CHANGE_HEADER_BYTES, position);
    target.writeUInt32BE(bytes === undefined ? REMOVED : bytes.length, position + 2);
    position = end;
    if (bytes === undefined) continue;
    bytes.copy(target, position);
    position += bytes.length;
  }
  const length = wholeBlocks(position);
  target.fill(0, position, length);
  target.writeUInt32BE(position, 4);
  target.writeUInt32BE(crc32(target.subarray(4, position), head.checksum), 0);
  return length;
}

/** What a record there has for its sequence, whether there is one or not. */
export function sequenceAt(bytes: Buffer, from: number): bigint {
  return bytes.readBigUInt64BE(from + 16);
}

/** What a record there has for its length. */
export function lengthAt(bytes: Buffer, from: number): number {
  return bytes.readUInt32BE(from + 4);
}

/** Whether a whole record of this file begins there and ends before `until`. */
export function isRecord(bytes: Buffer, from: number, until: number, head: LogHead): boolean {
  const length = lengthAt(bytes, from);
  if (length < RECORD_HEADER_BYTES || length > until - from) return false;
  if (bytes.readBigUInt64BE(from + 8) !== head.epoch) return false;
  return crc32(bytes.subarray(from + 4, from + length), head.checksum) === bytes.readUInt32BE(from);
}

/** The record that begins there, which `isRecord` has found whole; undefined if lengths in it lie. Its keys and values are views. */
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

function keyLength(key: RowKey | Uint8Array): number {
  return key instanceof Uint8Array ? key.length : SPACE_BYTES + payloadLength(key[1], key[2]);
}
