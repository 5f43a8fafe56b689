// Joins in the client, as `shelfmark-patterns/joins`: links between entities, small tables that are remembered, and conditions on rows that have been read.
import type { AnyEntity } from './model/definition.js';
import type { Db } from './repo/open.js';
import { Lookup, type LookupOptions } from './repo/read/lookup.js';
import type { RepoOptions } from './repo/write/repo.js';

export { satisfies } from './model/filter/satisfies.js';
export { type Link, link, linkMany, type ManyLink, type ReadsByEntity } from './repo/read/link.js';
export type { Cached, Lookup } from './repo/read/lookup.js';

/** Rows of a small table, remembered for a while. */
export const lookup = <E extends AnyEntity>(
  db: Db,
  entity: E,
  options: LookupOptions & RepoOptions,
): Lookup<E> => new Lookup(entity, db.repo(entity, options), options);
