// The values of an entity with encrypted properties as a program sees them: open, without content keys, and without keyed hashes where they are given. Types, and the rows that have such values.
import type { AnyEntity, KeyOf, NewOf, Of } from '../model/definition.js';
import type { RowRef, Stored, StoredOf } from '../model/stored.js';
import { PatternError } from '../values/pattern-error.js';
import type { Ciphertext, ContentKey } from './ciphertext.js';

/** What is in a value. */
type Clear<V> = V extends Ciphertext<infer T> ? T : V;

/** Names that a program does not see. */
type Hidden<V, H> = {
  [K in keyof V]: NonNullable<V[K]> extends ContentKey ? K : K extends H ? K : never;
}[keyof V];

/** An entity's value, open. */
export type ClearOf<E extends AnyEntity> = {
  readonly [K in keyof Of<E> as K extends Hidden<Of<E>, never> ? never : K]: Clear<Of<E>[K]>;
};

/** What a program gives to be written: without the properties that the library makes. `H` are keyed hashes. */
export type NewClearOf<E extends AnyEntity, H extends PropertyKey = never> = {
  readonly [K in keyof NewOf<E> as K extends Hidden<NewOf<E>, H> ? never : K]: Clear<NewOf<E>[K]>;
};

/** Properties that a merge cannot write. */
type Unmergeable<E extends AnyEntity, H> = {
  [K in keyof Of<E>]: NonNullable<Of<E>[K]> extends Ciphertext<unknown, infer P>
    ? 'row' extends P
      ? K
      : never
    : K extends H | keyof KeyOf<E>
      ? K
      : never;
}[keyof Of<E>];

/** What a merge may change: no part of a key, and no value under the key of its row. Null takes an optional property away. */
export type ClearPatchOf<E extends AnyEntity, H extends PropertyKey = never> = {
  readonly [K in Exclude<keyof ClearOf<E>, Unmergeable<E, H>>]?: ClearOf<E>[K] | null | undefined;
};

/** A whole row that was read and opened. */
export type ClearStored<E extends AnyEntity> = Stored<ClearOf<E>, E['name']> & {
  /** As it stands in the table. */
  readonly sealed: StoredOf<E>;
};

/** The row to be changed: one that was opened, or a key and the ETag that the row must have. */
export type ClearTarget<E extends AnyEntity> = ClearStored<E> | RowRef<E>;

/** A value that cannot be opened, and why: KeyUnavailable or CiphertextRefused. */
export interface LostValue {
  readonly property: string;
  readonly error: PatternError<'KeyUnavailable'> | PatternError<'CiphertextRefused'>;
}

export const isLoss = (thrown: unknown): thrown is LostValue['error'] =>
  PatternError.is(thrown, 'KeyUnavailable') || PatternError.is(thrown, 'CiphertextRefused');

/** What becomes of values that cannot be opened. */
export interface OpenOptions {
  /** What stands for a value that cannot be opened; undefined for none. Without it the error is thrown. */
  readonly onLost?: ((lost: LostValue) => unknown) | undefined;
}
