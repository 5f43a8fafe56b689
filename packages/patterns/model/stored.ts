// A value together with the row that it was read from: keys, ETag, and what a later write of that row needs. Callers may change the value, so what the row held is kept apart: writes compare with it, and find index rows by it.
import { type Instant, isInstant } from '../values/instant.js';
import type { Refused } from '../values/pattern-error.js';
import type { Values } from '../values/property.js';
import type { WireProperty } from '../values/wire-property.js';
import type { AnyEntity, KeyOf, Of } from './definition.js';

interface Read<T, N extends string> {
  readonly value: T;
  /** The name of the entity that the row was read or written as. Writes refuse a row of another one. */
  readonly entity: N;
  readonly table: string;
  readonly partitionKey: string;
  readonly rowKey: string;
  /** Of the row as it was read or written: conditional writes compare it. */
  readonly etag: string;
  /** When the row was last written. Undefined where the service did not say. */
  readonly timestamp: Instant | undefined;
  /** The version of the entity by which the row was written. `value` has the form of the newest version that the program knows. */
  readonly version: number;
}

/** A whole row. Writes that depend on what was read take it. */
export interface Stored<T, N extends string = string> extends Read<T, N> {
  readonly whole: true;
  /** Properties of the row that the entity does not have: a replace writes them back. */
  readonly unknown: readonly WireProperty[];
}

/** Some properties of a row, which cannot replace it. */
export interface Projected<T, N extends string = string> extends Read<T, N> {
  readonly whole: false;
}

/** A whole row of an entity. */
export type StoredOf<E extends AnyEntity> = Stored<Of<E>, E['name']>;

/** A row that was not read: by its key, and the ETag that it must have, or `*` for whatever is there. */
export interface RowRef<E extends AnyEntity = AnyEntity> {
  readonly key: KeyOf<E>;
  readonly etag: string;
}

/** For the compiler only: a key by itself, which is not a row to be changed. The message stands here twice because the compiler prints the name of a type that has one. */
export type BareKey<E extends AnyEntity> =
  Refused<'Give a row that was read, or { key, etag }; the ETag * is that of any row'> & {
    readonly [K in keyof KeyOf<E>]: Refused<'Give a row that was read, or { key, etag }; the ETag * is that of any row'>;
  };

/** An enumerable symbol, so that a copy of the row by `{ ...row }` has it too. */
const AS_READ = Symbol('as read');

const canChange = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !isInstant(value);

/** Its members are private, so that deep comparisons of rows do not see them. */
class AsRead {
  readonly #values: Values;
  readonly #decodeAgain: (() => Values) | undefined;

  constructor(values: Values, decodeAgain: (() => Values) | undefined) {
    this.#values = { ...values };
    this.#decodeAgain = decodeAgain;
  }

  /** New at each call. Only objects are decoded again: defaults that a function gave stay the same. */
  values(): Values {
    const values: Record<string, unknown> = { ...this.#values };
    const changeable = Object.keys(values).filter(name => canChange(values[name]));
    if (changeable.length === 0 || this.#decodeAgain === undefined) return values;
    const again = this.#decodeAgain();
    for (const name of changeable) values[name] = again[name];
    return values;
  }
}

interface Tracked {
  readonly value: unknown;
  [AS_READ]?: AsRead;
}

/** Keeps the row's value as it is now. `decodeAgain` gives the row anew, for the objects in it; a projection has none. */
export function trackAsRead<S extends { readonly value: unknown }>(
  { plan }: AnyEntity,
  row: S,
  decodeAgain?: () => { readonly value: unknown },
): S {
  const again = decodeAgain && plan.hasObjects ? () => decodeAgain().value as Values : undefined;
  (row as Tracked)[AS_READ] = new AsRead(row.value as Values, again);
  return row;
}

/** The row with the value that was read, whatever the caller changed since. A row without the symbol, such as one parsed from JSON, is returned as is. */
export function asRead<S extends { readonly value: unknown }>(row: S): S {
  const read = (row as Tracked)[AS_READ];
  return read === undefined ? row : { ...row, value: read.values() };
}

/** Whether writes of the entity's rows also write other rows. */
export const hasDerivedRows = ({ plan }: AnyEntity): boolean => plan.derivations.length > 0;
