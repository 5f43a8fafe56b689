// How one value of a program is stored in several properties of its row. Encoding and decoding use the property's definition, and each definition has its own pieces: long values here
// (long-pieces.ts), series and large values in entries of their own.
import type { EdmType } from './edm.js';
import type { TypedValue } from './typed-value.js';

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
