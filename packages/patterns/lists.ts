// Lists of ids, as `shelfmark-patterns/lists`: the guide's index entities, in rows or blobs, standalone or derived from an entity. A separate entry, because one index row for each id serves
// most programs better.
import type { AuditProgress } from './derived/audit/audit.js';
import type { AuditOptions } from './derived/audit/walk.js';
import { auditList } from './derived/lists/audit-lists.js';
import type { EntityList } from './derived/lists/entity-list.js';
import type { AnyList } from './derived/lists/list.js';
import { type ListOptions, ListRepo } from './derived/lists/list-repo.js';
import { ListedRepo } from './derived/lists/listed-repo.js';
import type { InTable } from './model/address.js';
import type { AnyEntity } from './model/definition.js';
import { Db } from './repo/open.js';
import type { Values } from './values/property.js';

export type { ListContention } from './derived/lists/contention.js';
export type { EntityList } from './derived/lists/entity-list.js';
export { type List, list } from './derived/lists/list.js';
export { type ListFlowInput, listFlow } from './derived/lists/list-derivation.js';
export { listOf } from './derived/lists/list-of.js';
export type { ListRepo } from './derived/lists/list-repo.js';
export type { ListedRepo, ListMembers } from './derived/lists/listed-repo.js';

/** The lists of a definition. */
export const lists = <L extends AnyList>(db: Db, definition: L, options: ListOptions = {}): ListRepo<L> =>
  new ListRepo(Db.serviceOf(db), definition, options);

/** The repository of an entity, with reads of its lists. Every repository of the entity keeps them. */
export const listed = <E extends AnyEntity>(
  db: Db,
  entity: E,
  own: readonly EntityList<E, unknown>[],
  options: InTable = {},
): ListedRepo<E> => new ListedRepo(db, entity, own, options);

/** Compares the lists of an entity with its rows, page by page, as the caller consumes progress. */
export const auditLists = <E extends AnyEntity>(
  db: Db,
  definition: EntityList<E, unknown>,
  { table = definition.owner.table, ...options }: AuditOptions & InTable = {},
): AsyncGenerator<AuditProgress<E, Values>, void, undefined> =>
  auditList(Db.serviceOf(db), definition as unknown as EntityList, table, options) as AsyncGenerator<
    AuditProgress<E, Values>,
    void,
    undefined
  >;
