// Values in blobs, as `shelfmark-patterns/large`: the guide's large entities, whose rows name blobs that have what is too large for them. An entry of its own, because it needs a client of blobs.

import type { AnyEntity } from './model/definition.js';
import { Db } from './repo/open.js';
import { type SweepOptions, type SweepProgress, sweep } from './shapes/large/large-blobs.js';
import { LargeRepo, type LargesOptions } from './shapes/large/large-repo.js';

export type { SweepProgress } from './shapes/large/large-blobs.js';
export type { LargeRepo } from './shapes/large/large-repo.js';
export { type LargeProperty, type LargeValue, largeBytes, largeText } from './shapes/large/large-value.js';

/** The rows of an entity with large values. Throws DefinitionInvalid without a client of blobs or operation ids. */
export const larges = <E extends AnyEntity>(db: Db, entity: E, options: LargesOptions): LargeRepo<E> =>
  new LargeRepo(Db.serviceOf(db), entity, options);

/** Deletes blobs of the entity that no row names, page by page, as the caller consumes progress. Throws ValueInvalid for a minimum age below an hour. */
export const sweepLarges = <E extends AnyEntity>(
  db: Db,
  entity: E,
  options: SweepOptions,
): AsyncGenerator<SweepProgress, void, undefined> => sweep(Db.serviceOf(db), entity, options);
