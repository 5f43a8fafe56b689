// What an audit needs to know of a kind of derived rows: which ones a row of the entity should have, which row a stored one belongs to, and how to repair each. Each kind has its own
// file; audit.ts walks the table.

import type { AnyEntity, KeyOf } from '../../model/definition.js';
import type { EncodedRow } from '../../model/encode-entity.js';
import type { Condition } from '../../model/filter/condition.js';
import type { Stored, StoredOf } from '../../model/stored.js';
import type { ReadOptions } from '../../transport/table-requests.js';
import type { Instant } from '../../values/instant.js';
import type { AnyPatternError, RowAddress } from '../../values/pattern-error.js';
import type { AnyFinding } from './recheck.js';

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
  /** Deletes a row that should not exist, if it is unchanged since the read; `key` is that of its owner, the entity's row. Throws what a write throws. */
  remove(derived: RowAddress & { readonly etag: string }, key: KeyOf<E>, options: ReadOptions): Promise<void>;
}

/**
 * The fault: a derived row is `missing`; `stale`, if its properties differ from those that it should have; an `orphan`, if no row should have it; or `unreadable`, if it is not
 * a row of this kind, and the audit can only report its address.
 */
export type Fault = 'missing' | 'stale' | 'orphan' | 'unreadable';

/** A finding of an audit, with the address of the faulty row. */
export interface Finding<E extends AnyEntity = AnyEntity> extends AnyFinding {
  readonly fault: Fault;
  /** The kind of derived rows; the entity's name for one of its own rows. */
  readonly of: string;
  /** Of the entity's row; undefined if unknown. */
  readonly key: KeyOf<E> | undefined;
  /** Why it was not repaired or could not be read: `UniqueViolation` if two living rows should have it. */
  readonly reason: AnyPatternError | undefined;
}
