// Lists of ids, as `shelfmark-patterns/lists`: the guide's index entities. An entry of its own, because one index row for each id serves most programs better.
import type { AnyList } from './lists/list.js';
import { type ListOptions, ListRepo } from './lists/list-repo.js';
import { Db } from './open.js';

export type { ListContention } from './lists/contention.js';
export { type AnyList, type List, type ListKey, type ListSpec, list } from './lists/list.js';
export type { ListOptions, ListPlan, ListRepo } from './lists/list-repo.js';

/** The lists of a definition. */
export const lists = <L extends AnyList>(db: Db, definition: L, options: ListOptions = {}): ListRepo<L> =>
  new ListRepo(Db.serviceOf(db), definition, options);
