// Strings as bytes that compare (memcmp) as JavaScript's `<` compares the strings, and back.
// It knows code units only; row-key.ts composes a row's key.
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

/** Writes into `target` from `position` on; gives the position after the last byte. */
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

/** The string in `bytes` from `from` until `until`. Throws `corrupt` for bytes that `encodeText` never writes. */
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
