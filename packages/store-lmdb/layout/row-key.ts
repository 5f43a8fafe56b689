// The key of a row, encoded in the bytes that LMDB orders by. long-keys.ts stores keys too long for LMDB.
//
//   rows:  | space id, 4 bytes | partition | 00 | key |          all numbers big-endian
//                              '------- payload ------'
import { StoreError } from '#store';
import { decodeText, encodedLength, encodeText, UNIT_BYTES_MAX } from './key-encoding.js';

/** Space id, partition, key: as it is handed to LMDB, which has `writeRowKey` write the bytes. */
export type RowKey = [space: number, partition: string, key: string];

export const SPACE_BYTES = 4;
export const SPACE_ID_MAX = 2 ** 32 - 2;

/** Bytes of the payload, that is without the space. */
export function payloadLength(partition: string, key: string): number {
  return encodedLength(partition) + 1 + encodedLength(key);
}

/** True if the payload is at most `limit` bytes; ordinary keys are known to be by their number of characters. */
export function fits(partition: string, key: string, limit: number): boolean {
  if ((partition.length + key.length) * UNIT_BYTES_MAX < limit) return true;
  return payloadLength(partition, key) <= limit;
}

/** Writes a key, or bytes as they are; gives the position after the last byte. LMDB calls it for each key. */
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
  return writePayload(key[1], key[2], target, position + SPACE_BYTES);
}

export function encodeSpace(space: number): Buffer {
  const bytes = Buffer.allocUnsafe(SPACE_BYTES);
  bytes.writeUInt32BE(space);
  return bytes;
}

/** The first key after all that begin with the prefix; ids never use their greatest value, so there is one. */
export function endOfPrefix(prefix: Buffer): Buffer {
  const end = Buffer.from(prefix);
  let index = end.length - 1;
  while (end[index] === 0xff) index -= 1;
  end[index] = (end[index] ?? 0) + 1;
  return end.subarray(0, index + 1);
}

export function encodePayload(partition: string, key: string): Buffer {
  const bytes = Buffer.allocUnsafe(payloadLength(partition, key));
  writePayload(partition, key, bytes, 0);
  return bytes;
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

function writePayload(partition: string, key: string, target: Uint8Array, position: number): number {
  const terminator = encodeText(partition, target, position);
  target[terminator] = 0;
  return encodeText(key, target, terminator + 1);
}
