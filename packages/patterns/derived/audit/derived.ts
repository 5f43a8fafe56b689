// The interface between an audit and what is derived from an entity's rows: what is wrong for one row, and what is stored for no row. Rows of indexes, ids of lists and copies implement it, each in a
// file; audit.ts walks the table.

import type { AnyEntity, KeyOf } from '../../model/definition.js';
import type { StoredOf } from '../../model/stored.js';
import type { Page, PageOptions } from '../../repo/read/results.js';
import type { AnyPatternError, RowAddress } from '../../values/pattern-error.js';

/**
 * `missing`: it should follow from a row, and is not there. `stale`: it is not what it should be. `orphan`: it follows from no row. `dangling`: the source of the row is gone although its deletion is refused;
 * an audit does not repair that. `unreadable`: the audit can only report the address.
 */
export type Fault = 'missing' | 'stale' | 'orphan' | 'dangling' | 'unreadable';

/** A finding of an audit, with the address of the faulty row; for a list in a blob, its container and the blob's name. `K` is what names it: the key of the entity's row, or of the list. */
export interface Finding<E extends AnyEntity = AnyEntity, K = KeyOf<E>> extends RowAddress {
  readonly fault: Fault;
  /** The name of the index, the list or the copies; the entity's name for one of its own rows. */
  readonly of: string;
  /** Undefined if unknown. */
  readonly key: K | undefined;
  /** The id in a list. */
  readonly id?: string | undefined;
  readonly isRepaired: boolean;
  /** Why it was not repaired or could not be read: `UniqueViolation` if two living rows should have it. */
  readonly reason: AnyPatternError | undefined;
}

/** A fault, and its repair. */
export interface Wrong extends Pick<Finding, 'fault' | 'id'> {
  readonly address: RowAddress;
  /** Given where it is not the key of the entity's row. */
  readonly key?: unknown;
  readonly reason?: AnyPatternError | undefined;
  /** Throws what a write throws. */
  readonly repair?: (() => Promise<unknown>) | undefined;
}

/** Something stored that follows from a row, or is an orphan. */
export interface Member<E extends AnyEntity> {
  readonly address: RowAddress;
  /** Where its row stands; undefined if it names none. */
  owner(): RowAddress | undefined;
  /** Whether that row should have it. Throws what encoding throws. */
  isOf(row: StoredOf<E>): boolean;
  /** The fault that it is an orphan; undefined if it is gone, or a write under way decides. */
  orphan(): Promise<Wrong | 'changed' | undefined>;
}

/** What is stored, page by page, and what is in each item. */
export interface Stock<E extends AnyEntity> {
  pages(options: PageOptions): AsyncGenerator<Page<unknown>, void, undefined>;
  membersOf(item: never): Promise<readonly (Member<E> | Wrong)[]>;
}

/** Shared by the first checks of the rows of one page. */
export type Seen = Map<string, unknown>;

/** Something derived from an entity's rows, as an audit sees it. */
export interface Derived<E extends AnyEntity = AnyEntity> {
  readonly name: string;
  /** A repair is refused if the entity's row was changed since it was read. */
  readonly isGuarded: boolean;
  /** What is wrong for a row of the entity. Throws what encoding throws. */
  wrongOf(row: StoredOf<E>, seen: Seen | undefined): Promise<Wrong | undefined>;
  /** The audit looks here for orphans. */
  readonly stock: Stock<E> | undefined;
}
