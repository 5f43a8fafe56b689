// Entities of more than 252 properties or 1 MiB, as `shelfmark-patterns/wide`: the guide's wide entities, in several rows of one partition that are read and written as one. An entry of its own, because
// most entities are one row.
import type { InTable } from './model/address.js';
import type { AnyEntity } from './model/definition.js';
import { Db } from './repo/open.js';
import type { WideEntity } from './shapes/wide/wide.js';
import { WideRepo } from './shapes/wide/wide-repo.js';

export { type WideEntity, wide } from './shapes/wide/wide.js';
export type { WideRepo } from './shapes/wide/wide-repo.js';
export type { WideStored } from './shapes/wide/wide-rows.js';

/** The wide entities of a definition. */
export const wideRepo = <E extends AnyEntity>(
  db: Db,
  definition: WideEntity<E>,
  options: InTable = {},
): WideRepo<E> => new WideRepo(Db.serviceOf(db), definition, options);
