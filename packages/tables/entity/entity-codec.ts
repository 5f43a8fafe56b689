// The stored form of an entity's custom properties, laid out for fast answers: their JSON text as on the wire
// without metadata, behind a directory of fixed-width entries. Keys and version belong to the row.
//
//   0        1        2                4                              4 + 16 n
//   +--------+--------+----------------+------------------------------+----------------------------------+
//   | format | 0      | n, u16         | n directory entries          | n texts: ,"name":literal         |
//   +--------+--------+----------------+------------------------------+----------------------------------+
//   entry: type u8 | flags u8 | length of the name's text u16 | length of the literal u32 | scalar, 8 bytes
//
// All numbers are little-endian. The scalar is the value itself for Int32, Int64, Double, Boolean and DateTime,
// the count of UTF-16 units for String and of bytes for Binary, 0 for Guid. Texts are ASCII (edm-text.ts).
// This file defines and reads the form; entity-encoder.ts writes it.
import { parseGuid } from '#base';
import { StoreError } from '#store';
import type { EdmType, EdmValue, Property } from './edm.js';
import { parseBinary } from './edm-text.js';

export const ENTITY_FORMAT = 1;
export const HEADER_BYTES = 4;
export const ENTRY_BYTES = 16;
/** Comma, two quotes and colon around a name and its literal. */
export const TEXT_OVERHEAD = 4;

/** The literal contains an escape, so it differs from the text. */
export const FLAG_ESCAPED = 1;
/** The type is named at minimal metadata (protocol: json#metadata-levels). */
export const FLAG_ANNOTATED = 2;

/** The type's number in a directory entry is its index in this list; the list only grows. */
export const EDM_TYPES = [
  'Edm.String',
  'Edm.Int32',
  'Edm.Int64',
  'Edm.Double',
  'Edm.Boolean',
  'Edm.DateTime',
  'Edm.Guid',
  'Edm.Binary',
] as const satisfies readonly EdmType[];

export const STRING = 0;
export const INT32 = 1;
export const INT64 = 2;
export const DOUBLE = 3;
export const BOOLEAN = 4;
export const DATE_TIME = 5;
export const GUID = 6;
export const BINARY = 7;

/** The position of one property in the stored form. Offsets are in bytes from its start. */
interface StoredProperty {
  readonly entryAt: number;
  readonly nameAt: number;
  readonly nameLength: number;
  readonly literalAt: number;
  readonly literalLength: number;
}

/** The offset of the texts: all of them, each with a comma before it, are the body of an answer. */
export const textStart = (bytes: Buffer, from = 0, until = bytes.length): number =>
  from + HEADER_BYTES + ENTRY_BYTES * propertyCount(bytes, from, until);

/** For a damaged stored form. Nothing past its end is read, since that memory may not exist. */
export const cutOff = (): StoreError => new StoreError('corrupt', 'A stored entity is shorter than it says.');

/** The stored form is in `bytes` from `from` until `until`, and has the whole directory. */
export function propertyCount(bytes: Buffer, from = 0, until = bytes.length): number {
  if (bytes[from] !== ENTITY_FORMAT)
    throw new StoreError('corrupt', `An entity is stored in format ${bytes[from]}, not ${ENTITY_FORMAT}.`);
  const count = (bytes[from + 2] ?? 0) | ((bytes[from + 3] ?? 0) << 8);
  if (from + HEADER_BYTES + ENTRY_BYTES * count > until) throw cutOff();
  return count;
}

/** The directory, in stored order. */
export function storedProperties(bytes: Buffer): StoredProperty[] {
  const count = propertyCount(bytes);
  const found: StoredProperty[] = [];
  let at = HEADER_BYTES + ENTRY_BYTES * count;
  for (let i = 0; i < count; i++) {
    const entryAt = HEADER_BYTES + ENTRY_BYTES * i;
    const nameLength = bytes.readUInt16LE(entryAt + 2);
    const literalLength = bytes.readUInt32LE(entryAt + 4);
    const literalAt = at + nameLength + TEXT_OVERHEAD;
    found.push({ entryAt, nameAt: at + 2, nameLength, literalAt, literalLength });
    at = literalAt + literalLength;
  }
  return found;
}

/** The text of the JSON string literal at `from` .. `until`, quotes included. */
function decodeString(bytes: Buffer, from: number, until: number, escaped: boolean): string {
  if (!escaped) return bytes.toString('latin1', from + 1, until - 1);
  const text: unknown = JSON.parse(bytes.toString('latin1', from, until));
  return String(text);
}

/** A name from its text: the inside of a JSON string. */
export const decodeName = (text: string): string =>
  text.includes('\\') ? String(JSON.parse(`"${text}"`)) : text;

export const storedName = (bytes: Buffer, { nameAt, nameLength }: StoredProperty): string =>
  decodeName(bytes.toString('latin1', nameAt, nameAt + nameLength));

/** The value of the property with that directory entry and literal. */
export function decodeValue(
  bytes: Buffer,
  entryAt: number,
  literalAt: number,
  literalLength: number,
): EdmValue {
  const scalarAt = entryAt + 8;
  const type = EDM_TYPES[bytes[entryAt] ?? 0];
  const until = literalAt + literalLength;
  switch (type) {
    case 'Edm.String':
      return {
        type,
        value: decodeString(bytes, literalAt, until, ((bytes[entryAt + 1] ?? 0) & FLAG_ESCAPED) !== 0),
      };
    case 'Edm.Int32':
      return { type, value: bytes.readInt32LE(scalarAt) };
    case 'Edm.Int64':
    case 'Edm.DateTime':
      return { type, value: bytes.readBigInt64LE(scalarAt) };
    case 'Edm.Double':
      return { type, value: bytes.readDoubleLE(scalarAt) };
    case 'Edm.Boolean':
      return { type, value: bytes[scalarAt] === 1 };
    case 'Edm.Guid': {
      const value = parseGuid(decodeString(bytes, literalAt, until, false), ['D']);
      if (value !== undefined) return { type, value };
      break;
    }
    case 'Edm.Binary': {
      const value = parseBinary(decodeString(bytes, literalAt, until, false));
      if (value) return { type, value };
    }
  }
  throw new StoreError('corrupt', `A stored property has type number ${bytes[entryAt]} and no value of it.`);
}

/** The properties as values, in stored order. */
export function decodeEntity(bytes: Buffer): Property[] {
  return storedProperties(bytes).map(stored => ({
    name: storedName(bytes, stored),
    ...decodeValue(bytes, stored.entryAt, stored.literalAt, stored.literalLength),
  }));
}
