// Rows of several entities of a table, of none, or of programs with other types, as `shelfmark-patterns/mixed`: each row as its own type, or as a property bag.
import type { AnyEntity } from './model/definition.js';
import { Db } from './repo/open.js';
import { type BagReads, bagReads } from './repo/read/any-rows.js';
import { type MixedReads, mixedReads } from './repo/read/mixed.js';
import { querySettings } from './repo/write/service.js';

export type { Bag } from './model/bag.js';
export { checkTable } from './model/check-table.js';
export { coerce } from './model/coerce.js';
export type { BagQuery, BagReads, BagScan } from './repo/read/any-rows.js';
export type { MixedQuery, MixedReads, MixedRow, MixedScan } from './repo/read/mixed.js';

/** Rows of several entities of a table, read together. Throws DefinitionInvalid if their rows would be indistinguishable. */
export const mixed = <const E extends readonly AnyEntity[]>(db: Db, ...entities: E): MixedReads<E> =>
  mixedReads(entities, querySettings(Db.serviceOf(db), undefined));

/** Rows of a table as property bags, without an entity. */
export const bags = (db: Db, table: string): BagReads =>
  bagReads(table, querySettings(Db.serviceOf(db), table));
