// The one vocabulary of writes: what each is called, takes and gives. Repositories, batches and bulk writes have these names, with these arguments, and plan
// them here; plan-write.ts makes the requests.
import type { AnyEntity, KeyOf, NewOf, Of } from '../model/entity.js';
import type { PatchOf } from '../model/patch.js';
import type { Projected, RowRef, Stored, StoredOf } from '../model/stored.js';
import { addresses } from '../read/addresses.js';
import { isObject } from '../values/is-object.js';
import { PatternError, refuseValue } from '../values/pattern-error.js';
import { refuseMoving } from './moving-row.js';
import {
  addressOfKey,
  type PlannedWrite,
  planDelete,
  planMerge,
  planMergeOf,
  planNew,
  planReplace,
  planReplaceOf,
  planUpsertMerge,
  type Subject,
} from './plan-write.js';

/** The row to be changed: one that was read or written, or a key and the ETag that the row must have, `*` for any. */
export type Target<E extends AnyEntity> = StoredOf<E> | RowRef<E>;

/** The row to be deleted, of which only some properties may have been read. */
export type Deletable<E extends AnyEntity> = Target<E> | Projected<Partial<Of<E>>, E['name']>;

/** What a write gives: the row as it is now, its key and ETag where the write did not see all of it, and nothing for a delete. */
export type WriteResult = Stored<unknown> | RowRef | undefined;

const isRead = <E extends AnyEntity>(
  target: Deletable<E>,
): target is StoredOf<E> | Projected<Partial<Of<E>>, E['name']> => 'whole' in target;

/** Throws ValueInvalid for what names no row. */
function refuseStrange(target: unknown): void {
  const isTarget = isObject(target) && 'etag' in target && ('whole' in target || 'key' in target);
  if (!isTarget) refuseValue('row', 'a row that was read, or { key, etag }', 'it is neither');
}

/** Throws WrongEntity for a row of another entity, and ValueInvalid for one of another table. */
function refuseForeign<E extends AnyEntity>(
  { entity, table }: Subject<E>,
  row: Stored<unknown> | Projected<unknown>,
): void {
  const { partitionKey, rowKey } = row;
  const wrong = (found: string): PatternError =>
    new PatternError('WrongEntity', { table: row.table, partitionKey, rowKey, expected: entity.name, found });
  if (row.entity !== entity.name) throw wrong(row.entity);
  if (row.table.toLowerCase() !== table.toLowerCase())
    refuseValue('table', table, `the row is of ${row.table}`);
  try {
    entity.plan.partition.decode(partitionKey);
    entity.plan.row.decode(rowKey);
  } catch (thrown) {
    if (PatternError.is(thrown, 'KeyInvalid')) throw wrong(`${partitionKey}, ${rowKey}`);
    throw thrown;
  }
}

type Values = Readonly<Record<string, unknown>>;

/** The target as what it is, checked. */
function read<E extends AnyEntity>(at: Subject<E>, target: Target<E>): StoredOf<E> | undefined {
  refuseStrange(target);
  if (!isRead(target)) return undefined;
  refuseForeign(at, target);
  return target;
}

function planDeleteOf<E extends AnyEntity>(at: Subject<E>, target: Deletable<E>): PlannedWrite<undefined> {
  refuseStrange(target);
  if (!isRead(target))
    return spread(at, planDelete(addressOfKey(at.entity, at.table, target.key), target.etag), target.key);
  refuseForeign(at, target);
  refuseMoving(at.entity, target);
  return spread(at, planDelete(target, target.etag), target.value as Values, true);
}

/** Where rows of this entity may stand in several buckets, the write goes to where its row is. */
function spread<E extends AnyEntity, T>(
  { entity, table }: Subject<E>,
  planned: PlannedWrite<T>,
  key: Values,
  isOfRead = false,
): PlannedWrite<T> {
  if (!entity.plan.isChanging) return planned;
  return {
    ...planned,
    isOfRead,
    spread: { entity: entity.name, addresses: addresses(entity, table, key as KeyOf<E>) },
  };
}

/** Every write by its name. */
export const OPERATIONS = {
  /** There is no such row yet. */
  create: <E extends AnyEntity>(at: Subject<E>, value: NewOf<E>): PlannedWrite<StoredOf<E>> =>
    spread(at, planNew('create', at, value), value),
  /** The row is there, under the condition of its ETag, and becomes this. */
  replace: <E extends AnyEntity>(
    at: Subject<E>,
    target: Target<E>,
    value: NewOf<E>,
  ): PlannedWrite<StoredOf<E>> => {
    const stored = read(at, target);
    if (stored !== undefined) return spread(at, planReplace(at, stored, value), value, true);
    const row = target as RowRef<E>;
    return spread(at, planReplaceOf(at, row, value), row.key);
  },
  /** The row is there, under the condition of its ETag, and gets these properties. */
  merge: <E extends AnyEntity>(
    at: Subject<E>,
    target: Target<E>,
    patch: PatchOf<E>,
  ): PlannedWrite<StoredOf<E> | RowRef<E>> => {
    const stored = read(at, target);
    if (stored !== undefined) return spread(at, planMerge(at, stored, patch), stored.value as Values, true);
    const row = target as RowRef<E>;
    return spread(at, planMergeOf(at, row, patch), row.key);
  },
  /** Whatever row is there becomes this, or there is one. */
  upsert: <E extends AnyEntity>(at: Subject<E>, value: NewOf<E>): PlannedWrite<StoredOf<E>> =>
    spread(at, planNew('upsert', at, value), value),
  /** Whatever row is there gets these properties and keeps its others, or there is one. */
  upsertMerge: <E extends AnyEntity>(at: Subject<E>, value: NewOf<E>): PlannedWrite<RowRef<E>> =>
    spread(at, planUpsertMerge(at, value), value),
  /** The row is there, under the condition of its ETag, and goes. */
  delete: planDeleteOf,
  /** The same, and that there is no row is no failure. */
  deleteIfExists: <E extends AnyEntity>(at: Subject<E>, target: Deletable<E>): PlannedWrite<undefined> => ({
    ...planDeleteOf(at, target),
    ifExists: true,
  }),
} as const;

/** The name of a write. */
export type WriteName = keyof typeof OPERATIONS;
