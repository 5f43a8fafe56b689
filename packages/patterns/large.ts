// Values in blobs, as `shelfmark-patterns/large`: the guide's large entities, whose rows name blobs that have what is too large for them. An entry of its own, because it needs a client of blobs.
import { LargeRepo, type LargesOptions } from './large/large-repo.js';
import { type SweepOptions, type SweepProgress, sweep } from './large/sweep.js';
import type { AnyEntity } from './model/entity.js';
import { Db } from './open.js';

export type { ContentOf, GivenLarge, LargeName, LargeRepo, LargesOptions } from './large/large-repo.js';
export {
  type BlobPointer,
  type LargeOptions,
  type LargeProperty,
  type LargeValue,
  largeBytes,
  largeText,
} from './large/large-value.js';
export type { SweepOptions, SweepProgress } from './large/sweep.js';

/** The rows of an entity with large values. Throws DefinitionInvalid without a client of blobs or operation ids. */
export const larges = <E extends AnyEntity>(db: Db, entity: E, options: LargesOptions): LargeRepo<E> =>
  new LargeRepo(Db.serviceOf(db), entity, options);

/** Deletes blobs of the entity that no row names, page by page, as the caller consumes progress. Throws ValueInvalid for a minimum age below an hour. */
export const sweepLarges = <E extends AnyEntity>(
  db: Db,
  entity: E,
  options: SweepOptions,
): AsyncGenerator<SweepProgress, void, undefined> => sweep(Db.serviceOf(db), entity, options);
