// How one value of a program is stored in several properties of its row. Encoding and decoding use the property's definition, and each definition has its own pieces: long strings and binaries here, where a value
// over the size of a property is stored in up to sixteen; series and large values in entries of their own.
import { joinBytes } from './bytes.js';
import type { EdmType } from './edm.js';
import type { TypedValue } from './typed-value.js';
import { BINARY_BYTES_MAX, checkSize, STRING_LENGTH_MAX } from './wire-property.js';

/** A piece as it is stored. */
export interface Piece {
  readonly name: string;
  readonly type: EdmType;
  readonly value: unknown;
}

/** What pieces of a row make: a value, or why they make none. */
export type Joined = { readonly typed: TypedValue } | { readonly fault: string };

/** How a value stands in several properties. `wire` is the name of the property in the table. */
export interface Pieces {
  /** Every name that a piece may have. */
  names(wire: string): readonly string[];
  /** How many properties are counted where the entity is defined. */
  readonly count: number;
  /** A piece means nothing without the others: a write of the value leaves none of an earlier value. */
  readonly isWhole: boolean;
  /** Why the value can only be written together with its whole row; undefined if a merge may write it. */
  readonly withRow?: string | undefined;
  /** Why a merge cannot take the value away either; undefined if it may. */
  readonly stays?: string | undefined;
  /** Why the stored value means nothing in another row, so that no key, index, list or copy has it; undefined if it does. */
  readonly onlyHere?: string | undefined;
  /** What a merge that did not read the row makes of the value there: pieces that stand by themselves stay. That which is given, by default. */
  readonly over?: (before: unknown, given: unknown) => unknown;
  /** In place of the check of the type. Throws ValueInvalid. */
  readonly check?: (value: unknown, name: string) => unknown;
  /** Throws TooLarge. `where` is what the user knows the property by. */
  split(wire: string, value: unknown, where: string): readonly Piece[];
  /** Undefined if none is there. */
  join(wire: string, read: (name: string) => TypedValue | undefined): Joined | undefined;
}

/** The names that a property may have in the table. */
export const wiresOf = ({
  wire,
  property: { pieces },
}: {
  readonly wire: string;
  readonly property: { readonly pieces: Pieces | undefined };
}): readonly string[] => pieces?.names(wire) ?? [wire];

/** As many as a row of 1 MiB has room for. */
const LONG_PIECES_MAX = 16;

/** `text`, `text__2`, `text__3`: from 0. */
const nameOfPiece = (wire: string, at: number): string => (at === 0 ? wire : `${wire}__${at + 1}`);

/** `text` of `text__2`; undefined for what is not a name of a further piece. */
export function wireOfPiece(name: string): string | undefined {
  const [, wire, number] = /^(.+)__([2-9]|1[0-6])$/s.exec(name) ?? [];
  return number === undefined ? undefined : wire;
}

const namesOf = (wire: string): readonly string[] =>
  Array.from({ length: LONG_PIECES_MAX }, (_, at) => nameOfPiece(wire, at));

/** Half of a surrogate pair is not text that a service must keep, so no piece ends within a pair. */
function endOfText(text: string, from: number): number {
  const end = from + STRING_LENGTH_MAX;
  if (end >= text.length) return text.length;
  const last = text.charCodeAt(end - 1);
  return last >= 0xd800 && last < 0xdc00 ? end - 1 : end;
}

function cut(value: string | Uint8Array): readonly (string | Uint8Array)[] {
  const parts: (string | Uint8Array)[] = [];
  for (let from = 0; from < value.length || from === 0; ) {
    const end =
      typeof value === 'string' ? endOfText(value, from) : Math.min(from + BINARY_BYTES_MAX, value.length);
    parts.push(typeof value === 'string' ? value.slice(from, end) : value.subarray(from, end));
    if (end === value.length) break;
    from = end;
  }
  return parts;
}

function join(wire: string, read: (name: string) => TypedValue | undefined): Joined | undefined {
  const found = namesOf(wire).map(read);
  const count = found.findLastIndex(each => each !== undefined) + 1;
  const [first] = found;
  if (count === 0) return undefined;
  const wrong = found.slice(0, count).findIndex(each => each === undefined || each.type !== first?.type);
  if (first === undefined || wrong >= 0)
    return { fault: `its piece ${nameOfPiece(wire, Math.max(wrong, 0))} is missing or of another type` };
  if (count === 1) return { typed: first };
  const values = found.slice(0, count).map(each => each?.value);
  if (first.type === 'Binary') return { typed: { ...first, value: joinBytes(values as Uint8Array[]) } };
  return { typed: { ...first, value: values.join('') } };
}

/** The pieces of a long String or Binary. */
export const longPieces = (type: Extract<EdmType, 'String' | 'Binary'>): Pieces => ({
  names: namesOf,
  // Most values are short.
  count: 1,
  isWhole: true,
  join,
  split: (wire, value, where): readonly Piece[] => {
    const parts = cut(value as string | Uint8Array);
    const { length } = value as string | Uint8Array;
    if (parts.length > LONG_PIECES_MAX) {
      const each = type === 'String' ? STRING_LENGTH_MAX : BINARY_BYTES_MAX;
      checkSize(type === 'String' ? 'string' : 'binary', where, length, LONG_PIECES_MAX * each);
    }
    return parts.map((part, at) => ({ name: nameOfPiece(wire, at), type, value: part }));
  },
});
