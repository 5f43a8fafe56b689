// What an audit needs to know of something that follows from an entity's rows: what is wrong for one row of the entity, and what is stored that no row may have. Rows of indexes, ids of lists and
// copies each have a file; audit.ts walks the table.

import type { AnyEntity, KeyOf } from '../../model/definition.js';
import type { StoredOf } from '../../model/stored.js';
import type { Page, PageOptions } from '../../repo/read/results.js';
import type { AnyPatternError, RowAddress } from '../../values/pattern-error.js';

/**
 * The fault: what follows from a row is `missing`; `stale`, if it is not what it should be; or an `orphan`, if it follows from no row. A row is `dangling` whose source is gone although its deletion is
 * refused, which an audit does not repair; and `unreadable` is what the audit can only report the address of.
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

/** A fault that was seen, and what repairs it. */
export interface Wrong extends Pick<Finding, 'fault' | 'id'> {
  readonly address: RowAddress;
  /** If it is not that of the entity's row. */
  readonly key?: unknown;
  readonly reason?: AnyPatternError | undefined;
  /** Throws what a write throws. */
  readonly repair?: (() => Promise<unknown>) | undefined;
}

/** Something stored that follows from a row, or from none. */
export interface Member<E extends AnyEntity> {
  readonly address: RowAddress;
  /** Where its row stands; undefined if it names none. */
  owner(): RowAddress | undefined;
  /** Whether that row should have it. Throws what encoding throws. */
  isOf(row: StoredOf<E>): boolean;
  /** What is wrong as no row should have it; undefined if it is gone, or another write is about to decide. */
  orphan(): Promise<Wrong | 'changed' | undefined>;
}

/** What is stored, page by page, and what is in each item. */
export interface Stock<E extends AnyEntity> {
  pages(options: PageOptions): AsyncGenerator<Page<unknown>, void, undefined>;
  membersOf(item: never): Promise<readonly (Member<E> | Wrong)[]>;
}

/** What the first looks at the rows of one page share. */
export type Seen = Map<string, unknown>;

/** What follows from an entity's rows, as an audit sees it. */
export interface Derived<E extends AnyEntity = AnyEntity> {
  readonly name: string;
  /** A repair is refused if the entity's row was changed since it was read. */
  readonly isGuarded: boolean;
  /** What is wrong for a row of the entity. Throws what encoding throws. */
  wrongOf(row: StoredOf<E>, seen: Seen | undefined): Promise<Wrong | undefined>;
  /** Where orphans are looked for. */
  readonly stock: Stock<E> | undefined;
}
