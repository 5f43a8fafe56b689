// Series of values in one row, as `shelfmark-patterns/series`: the guide's data series, whose slots are written one by one by any number of writers. An entry of its own, because few entities have one.
import type { AnyEntity } from './model/definition.js';
import { Db } from './repo/open.js';
import { type SeriesName, type SeriesOptions, SeriesRepo } from './shapes/series/series-repo.js';

export { type Ring, type RingSlot, ring, type Series, type Slots, series } from './shapes/series/series.js';
export type { RingValue, SeriesRepo, SlotCounter } from './shapes/series/series-repo.js';

/** A series of an entity's rows. Throws DefinitionInvalid for an entity whose rows a slot alone does not make. */
export const seriesOf = <E extends AnyEntity, S extends SeriesName<E>>(
  db: Db,
  entity: E,
  name: S,
  options: SeriesOptions = {},
): SeriesRepo<E, S> => new SeriesRepo(Db.serviceOf(db), entity, name, options);
