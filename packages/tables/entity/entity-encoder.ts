// Writes the stored form of entities (entity-codec.ts): of properties as values, and of a stored entity with changes, whose
// other properties are copied as they are. Limits are checked elsewhere.

import type { EdmType, Property } from './edm.js';
import { escapeText, formatLiteral } from './edm-text.js';
import {
  BINARY,
  BOOLEAN,
  DATE_TIME,
  DOUBLE,
  ENTITY_FORMAT,
  ENTRY_BYTES,
  FLAG_ANNOTATED,
  FLAG_ESCAPED,
  GUID,
  HEADER_BYTES,
  INT32,
  INT64,
  STRING,
} from './entity-codec.js';

const TYPE_CODES: Readonly<Record<EdmType, number>> = {
  'Edm.String': STRING,
  'Edm.Int32': INT32,
  'Edm.Int64': INT64,
  'Edm.Double': DOUBLE,
  'Edm.Boolean': BOOLEAN,
  'Edm.DateTime': DATE_TIME,
  'Edm.Guid': GUID,
  'Edm.Binary': BINARY,
};

/** The maximum of the directory's count field. */
const PROPERTIES_MAX = 0xffff;

/** Builds one entity at a time and reuses the directory's memory for the next. */
class EntityEncoder {
  #directory = Buffer.alloc(HEADER_BYTES + ENTRY_BYTES * 32);
  #view = new DataView(this.#directory.buffer, this.#directory.byteOffset, this.#directory.length);
  #at = HEADER_BYTES;
  #text = '';

  /** Exactly this many properties follow. */
  begin(count: number): void {
    const size = HEADER_BYTES + ENTRY_BYTES * Math.min(count, PROPERTIES_MAX);
    if (size > this.#directory.length) {
      this.#directory = Buffer.alloc(size);
      this.#view = new DataView(this.#directory.buffer, this.#directory.byteOffset, size);
    }
    this.#directory.fill(0, HEADER_BYTES, size);
    this.#view.setUint16(0, ENTITY_FORMAT, true);
    this.#view.setUint16(2, count, true);
    this.#at = HEADER_BYTES;
    this.#text = '';
  }

  put(property: Property): void {
    const name = escapeText(property.name);
    const literal = property.literal ?? formatLiteral(property);
    const at = this.#at;
    this.#view.setUint8(at, TYPE_CODES[property.type]);
    this.#view.setUint8(at + 1, this.#scalarAndFlags(property, literal));
    this.#view.setUint16(at + 2, name.length, true);
    this.#view.setUint32(at + 4, literal.length, true);
    this.#at = at + ENTRY_BYTES;
    this.#text += `,"${name}":${literal}`;
  }

  /** Writes the scalar, over zeros, and returns the flags. */
  #scalarAndFlags(property: Property, literal: string): number {
    const view = this.#view;
    const at = this.#at + 8;
    switch (property.type) {
      case 'Edm.String':
        view.setUint32(at, property.value.length, true);
        return property.literal === undefined && literal.includes('\\') ? FLAG_ESCAPED : 0;
      case 'Edm.Int32':
        view.setInt32(at, property.value, true);
        return 0;
      case 'Edm.Boolean':
        view.setUint32(at, property.value ? 1 : 0, true);
        return 0;
      case 'Edm.Double':
        view.setFloat64(at, property.value, true);
        return Number.isFinite(property.value) ? 0 : FLAG_ANNOTATED;
      case 'Edm.Int64':
      case 'Edm.DateTime':
        view.setBigInt64(at, property.value, true);
        return FLAG_ANNOTATED;
      case 'Edm.Binary':
        view.setUint32(at, property.value.length, true);
        return FLAG_ANNOTATED;
      case 'Edm.Guid':
        return FLAG_ANNOTATED;
    }
  }

  /** Copies a property from another stored entity: its directory entry, and its text with the comma before it. */
  keep(stored: Buffer, entryAt: number, text: string): void {
    for (let i = 0; i < ENTRY_BYTES; i++) this.#directory[this.#at + i] = stored[entryAt + i] ?? 0;
    this.#at += ENTRY_BYTES;
    this.#text += text;
  }

  end(): Buffer {
    const textAt = this.#at;
    const bytes = Buffer.allocUnsafe(textAt + this.#text.length);
    this.#directory.copy(bytes, 0, 0, textAt);
    bytes.write(this.#text, textAt, 'latin1');
    // Release the texts: otherwise they live until the next entity.
    this.#text = '';
    return bytes;
  }
}

const encoder = new EntityEncoder();

/** The stored form of properties in the order given. */
export function encodeEntity(properties: readonly Property[]): Buffer {
  encoder.begin(properties.length);
  for (const property of properties) encoder.put(property);
  return encoder.end();
}

/** A property of an entity: as a value, or in its stored form. */
export interface Piece {
  readonly name: string;
  /** The offset of the directory entry in the stored entity. */
  readonly entryAt: number;
  /** The stored text, with the comma before it. */
  readonly text: string;
  /** Replaces the stored property. */
  readonly change: Property | undefined;
}

/** The stored form of pieces in the order given; pieces without a change are copied from `stored`. */
export function encodePieces(stored: Buffer, pieces: readonly Piece[]): Buffer {
  encoder.begin(pieces.length);
  for (const { change, entryAt, text } of pieces) {
    if (change === undefined) encoder.keep(stored, entryAt, text);
    else encoder.put(change);
  }
  return encoder.end();
}
