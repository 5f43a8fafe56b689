// Rolling tables, as `shelfmark-patterns/rolling`: the guide's high volume delete pattern, which drops a table instead of deleting its rows. An entry of its own, because few entities have a time that is over.
import type { AnyEntity } from './model/definition.js';
import { Db } from './repo/open.js';
import { type ExpiringOptions, ExpiringRows } from './rolling/expiring-rows.js';
import {
  type OutsidePolicy,
  type RollingOptions,
  RollingTables,
  type TimeName,
} from './rolling/rolling-tables.js';

export type { ExpiringRows } from './rolling/expiring-rows.js';
export type { RollingTables } from './rolling/rolling-tables.js';
export type { RollingPlan } from './rolling/tables-on-demand.js';

/** The rows of an entity in tables of an hour, a day or a month. Throws DefinitionInvalid. */
export const rolling = <E extends AnyEntity, T extends TimeName<E>, O extends OutsidePolicy = 'refuse'>(
  db: Db,
  entity: E,
  options: RollingOptions<E, T, O>,
): RollingTables<E, T, O> => new RollingTables(Db.serviceOf(db), entity, options);

/** The rows of an entity that have a time to live, in tables of the time at which they expire. Throws DefinitionInvalid. */
export const expiring = <E extends AnyEntity, T extends TimeName<E>>(
  db: Db,
  entity: E,
  options: ExpiringOptions<E, T>,
): ExpiringRows<E, T> => new ExpiringRows(db, entity, options);
