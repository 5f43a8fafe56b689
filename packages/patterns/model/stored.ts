// A value together with the row that it was read from: keys, ETag, and what a later write of that row needs.
import type { Instant } from '../values/instant.js';
import type { WireProperty } from '../values/wire-property.js';
import type { AnyEntity, KeyOf, Of } from './entity.js';

interface Read<T, N extends string> {
  readonly value: T;
  /** The name of the entity that the row was read or written as. Writes refuse a row of another one. */
  readonly entity: N;
  readonly table: string;
  readonly partitionKey: string;
  readonly rowKey: string;
  /** What a conditional write compares: the row as it was when it was read or written. */
  readonly etag: string;
  /** When the row was last written. Undefined where the service did not say. */
  readonly timestamp: Instant | undefined;
  /** Of the entity, by which the row was written. `value` has the form of the newest version that the program knows. */
  readonly version: number;
}

/** A whole row. Writes that depend on what was read take it. */
export interface Stored<T, N extends string = string> extends Read<T, N> {
  readonly whole: true;
  /** What the row has beyond the entity's properties: a replace writes it back. */
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
