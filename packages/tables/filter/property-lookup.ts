// Finds the properties that a filter names in stored entities, each once a row however often the filter names it, and counts
// what that costs. compile-filter.ts compares what is found.
import type { Effort, RowInPlace } from '#store';
import type { EdmValue } from '../entity/edm.js';
import { escapeText } from '../entity/edm-text.js';
import {
  cutOff,
  DOUBLE,
  decodeValue,
  ENTRY_BYTES,
  HEADER_BYTES,
  propertyCount,
  TEXT_OVERHEAD,
} from '../entity/entity-codec.js';

/** Decoding or comparing this many bytes takes about as long as a step. */
const BYTES_DECODED_A_STEP = 8;
const BYTES_COMPARED_A_STEP = 16;
/** With more names than this, every property of the row is looked up among the names instead of each name in the row. */
const NAMES_SOUGHT_ONE_BY_ONE = 8;

/** A u32 by its bytes, whose highest must be 0: several times as fast as the buffer's own method, which checks what it reads. */
const readLength = (bytes: Buffer, at: number): number =>
  (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16);
const readInteger = (bytes: Buffer, at: number): number =>
  readLength(bytes, at) | ((bytes[at + 3] ?? 0) << 24);

/** V8 inlines constants of this module into the code, and reads imported ones at each use. */
const DOUBLE_TYPE = DOUBLE;
const DIRECTORY_AT = HEADER_BYTES;
const ENTRY = ENTRY_BYTES;
const OVERHEAD = TEXT_OVERHEAD;

function isAt(bytes: Buffer, at: number, name: Buffer): boolean {
  for (let i = 0; i < name.length; i++) if (bytes[at + i] !== name[i]) return false;
  return true;
}

/** A property that a filter names. After `find` the other methods read it, of the same row. */
export class PropertyLookup {
  readonly #name: Buffer;
  readonly #of: PropertyLookups;
  /** The number of the row that the following fields are about. */
  #row = -1;
  #isThere = false;
  #entryAt = 0;
  #value: EdmValue | undefined;
  literalAt = 0;
  literalLength = 0;

  /** @param name as it is stored. */
  constructor(name: Buffer, of: PropertyLookups) {
    this.#name = name;
    this.#of = of;
  }

  /** Whether the row has the property. */
  find(row: RowInPlace): boolean {
    const of = this.#of;
    of.effort.steps += 1;
    if (this.#row === of.row) return this.#isThere;
    if (of.isIndexed) {
      of.readRow(row);
      if (this.#row !== of.row) this.#reset();
    } else {
      this.#reset();
      this.#seek(row);
    }
    return this.#isThere;
  }

  /** Compares the bytes of names. */
  #seek({ bytes, from, until }: RowInPlace): void {
    const count = propertyCount(bytes, from, until);
    const name = this.#name;
    const wanted = name.length;
    const { effort } = this.#of;
    let at = from + DIRECTORY_AT + ENTRY * count;
    for (let entryAt = from + DIRECTORY_AT, i = 0; i < count; i++, entryAt += ENTRY) {
      const nameLength = (bytes[entryAt + 2] ?? 0) | ((bytes[entryAt + 3] ?? 0) << 8);
      const literalLength = readLength(bytes, entryAt + 4);
      const literalAt = at + nameLength + OVERHEAD;
      const end = literalAt + literalLength;
      if (end > until) throw cutOff();
      if (nameLength === wanted && isAt(bytes, at + 2, name)) {
        effort.steps += i;
        this.#isThere = true;
        this.#entryAt = entryAt;
        this.literalAt = literalAt;
        this.literalLength = literalLength;
        return;
      }
      at = end;
    }
    effort.steps += count;
  }

  #reset(): void {
    this.#row = this.#of.row;
    this.#isThere = false;
    this.#value = undefined;
  }

  /** The current row has it there. */
  found(entryAt: number, literalAt: number, literalLength: number): void {
    this.#reset();
    this.#isThere = true;
    this.#entryAt = entryAt;
    this.literalAt = literalAt;
    this.literalLength = literalLength;
  }

  type(bytes: Buffer): number {
    return bytes[this.#entryAt] ?? -1;
  }

  /** Decoded once a row. */
  value(bytes: Buffer): EdmValue {
    if (this.#value !== undefined) return this.#value;
    this.#of.effort.steps += Math.floor(this.literalLength / BYTES_DECODED_A_STEP);
    this.#value = decodeValue(bytes, this.#entryAt, this.literalAt, this.literalLength);
    return this.#value;
  }

  /** Whether the literal is this one, to the byte. */
  isLiteral(bytes: Buffer, literal: Buffer): boolean {
    const { length } = literal;
    if (this.literalLength !== length) return false;
    this.#of.effort.steps += Math.floor(length / BYTES_COMPARED_A_STEP);
    return bytes.compare(literal, 0, length, this.literalAt, this.literalAt + length) === 0;
  }

  /** Of a Double, an Int32 or a Boolean. */
  number(bytes: Buffer): number {
    const at = this.#entryAt + 8;
    return bytes[this.#entryAt] === DOUBLE_TYPE ? bytes.readDoubleLE(at) : readInteger(bytes, at);
  }

  /** The order of a stored integer of 8 bytes and this one, whose upper half is signed: below, at or above 0. */
  integerOrder(bytes: Buffer, high: number, low: number): number {
    const at = this.#entryAt + 8;
    const difference = readInteger(bytes, at + 4) - high;
    return difference === 0 ? (readInteger(bytes, at) >>> 0) - low : difference;
  }
}

/** The properties that one filter names, and the row that it is evaluated on. */
export class PropertyLookups {
  readonly effort: Effort;
  /** The number of the current row: what was found holds for one row only. */
  row = 0;
  isIndexed = false;
  /** The row that was read whole. */
  #rowRead = -1;
  /** By names as they are stored. */
  readonly #byName = new Map<string, PropertyLookup>();

  constructor(effort: Effort) {
    this.effort = effort;
  }

  /** One for each name, so that neither a row allocates nor a name is sought twice. */
  of(name: string): PropertyLookup {
    const stored = escapeText(name);
    const known = this.#byName.get(stored);
    if (known !== undefined) return known;
    const lookup = new PropertyLookup(Buffer.from(stored, 'latin1'), this);
    this.#byName.set(stored, lookup);
    this.isIndexed = this.#byName.size > NAMES_SOUGHT_ONE_BY_ONE;
    return lookup;
  }

  /** Finds all properties of the current row that the filter names, unless that was done. */
  readRow({ bytes, from, until }: RowInPlace): void {
    if (this.#rowRead === this.row) return;
    this.#rowRead = this.row;
    const count = propertyCount(bytes, from, until);
    let at = from + HEADER_BYTES + ENTRY_BYTES * count;
    this.effort.steps += count * BYTES_DECODED_A_STEP;
    for (let entryAt = from + HEADER_BYTES, i = 0; i < count; i++, entryAt += ENTRY_BYTES) {
      const nameLength = (bytes[entryAt + 2] ?? 0) | ((bytes[entryAt + 3] ?? 0) << 8);
      const literalLength = readLength(bytes, entryAt + 4);
      const end = at + nameLength + TEXT_OVERHEAD + literalLength;
      if (end > until) throw cutOff();
      const name = bytes.toString('latin1', at + 2, at + 2 + nameLength);
      this.#byName.get(name)?.found(entryAt, at + nameLength + TEXT_OVERHEAD, literalLength);
      at = end;
    }
  }
}
