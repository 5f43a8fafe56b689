// What an audit has to know of a kind of derived rows: which of them a row of the entity should have, of which row one is that stands, and how each is set right. Each kind says it in a
// file of its own; audit.ts walks the table.
import type { Condition } from '../filter/condition.js';
import type { EncodedRow } from '../model/encode-entity.js';
import type { AnyEntity, KeyOf } from '../model/entity.js';
import type { Stored, StoredOf } from '../model/stored.js';
import type { ReadOptions } from '../transport/table-requests.js';
import type { Instant } from '../values/instant.js';
import type { AnyPatternError, RowAddress } from '../values/pattern-error.js';
import type { AnyFinding } from './look.js';

/** A row that should be there. */
export interface ExpectedRow {
  readonly address: RowAddress;
  readonly row: EncodedRow<unknown>;
}

/** A kind of rows that follow from an entity's rows. */
export interface DerivedRows<E extends AnyEntity = AnyEntity> {
  /** `byEmail`. */
  readonly name: string;
  /** The derived rows, as an entity. */
  readonly entity: AnyEntity;
  readonly table: string;
  /** Where they stand there: in all of the table, or in a partition. */
  readonly condition: Condition;
  /** Whether those are walked, too. */
  readonly findsOrphans: boolean;
  /** The row that should be there for a row of the entity, if any. Throws what encoding throws. */
  expected(row: StoredOf<E>): ExpectedRow | undefined;
  /** The key of the entity's row that a derived row is of. */
  ownerOf(derived: Stored<unknown>): KeyOf<E>;
  /** When the row was written by a write that reserved it and may not have been done; undefined for others. */
  reservedSince?(derived: Stored<unknown>): Instant | undefined;
  /** Writes what should be there, if the entity's row is as it was read, over what stands there. Throws what a write throws. */
  put(
    row: StoredOf<E>,
    expected: ExpectedRow,
    found: string | undefined,
    options: ReadOptions,
  ): Promise<void>;
  /** Deletes what should not be there, if it is as it was read; `key` is that of the entity's row which it is of. Throws what a write throws. */
  remove(derived: RowAddress & { readonly etag: string }, key: KeyOf<E>, options: ReadOptions): Promise<void>;
}

/**
 * What is wrong: a derived row is `missing`, or `stale`, because it has other properties than it should; an `orphan` is of no row that should have it; and what is `unreadable` is none of what its
 * place is for, so that an audit can only tell where it is.
 */
export type Fault = 'missing' | 'stale' | 'orphan' | 'unreadable';

/** What an audit found, by the address of the row that is wrong. */
export interface Finding<E extends AnyEntity = AnyEntity> extends AnyFinding {
  readonly fault: Fault;
  /** The kind of derived rows; the entity's name for one of its own rows. */
  readonly of: string;
  /** Of the entity's row; undefined where it cannot be told. */
  readonly key: KeyOf<E> | undefined;
  /** Why it was not repaired or could not be read: `UniqueViolation` if two living rows should have it. */
  readonly reason: AnyPatternError | undefined;
}
