// Keys as the bytes that LMDB orders by. Strings as bytes that compare (memcmp) as JavaScript's `<` compares the strings, and back; and of these
// the key of a row. rows.ts stores keys too long for LMDB, catalog.ts those of spaces.
//
// Each UTF-16 code unit on its own, so that a lone surrogate keeps its place and U+E000 sorts after U+D800:
//
//   U+0000           01 01                          'a'      61
//   U+0001           01 02                          'é'      C3 A9
//   U+0002 - U+007F  one byte, itself               '€'      E2 82 AC
//   U+0080 - U+07FF  110xxxxx 10xxxxxx              U+D83D   ED A0 BD
//   U+0800 - U+FFFF  1110xxxx 10xxxxxx 10xxxxxx     U+FFFF   EF BF BF
//
// So 00 is never written, and ends a string below every longer one; neither is FF, which marks a long key's pointer.
//
//   rows:  | space id, 4 bytes | partition | 00 | key |          all numbers big-endian
//                              '------- payload ------'
import { StoreError } from '#store';

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

export const SPACE_BYTES = 4;
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
  return writePayload(key[1], key[2], target, position + SPACE_BYTES);
}

export function encodeSpace(space: number): Buffer {
  const bytes = Buffer.allocUnsafe(SPACE_BYTES);
  bytes.writeUInt32BE(space);
  return bytes;
}

/** The first key after all that begin with the prefix; ids never reach their maximum, so there is one. */
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
