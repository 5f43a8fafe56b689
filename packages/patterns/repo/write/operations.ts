// The one vocabulary of writes: names, arguments and results. Repositories, batches and bulk writes have these names, with these arguments, and plan
// them here; plan-write.ts makes the requests.

import { addresses, addressOfKey } from '../../model/address.js';
import type { AnyEntity, KeyOf, NewOf, Of } from '../../model/definition.js';
import { encodeEntity } from '../../model/encode-entity.js';
import type { GivenPatch, PatchOf } from '../../model/patch.js';
import { refuseNewer } from '../../model/row-fault.js';
import {
  asRead,
  hasDerivedRows,
  type Projected,
  type RowRef,
  type Stored,
  type StoredOf,
} from '../../model/stored.js';
import { addressOf } from '../../transport/row-write.js';
import { isObject } from '../../values/is-object.js';
import { PatternError, refuseValue } from '../../values/pattern-error.js';
import type { Values } from '../../values/property.js';
import { following, readingOf } from './derivation.js';
import {
  idsAlone,
  planDelete,
  planMerge,
  planMergeOf,
  planNew,
  planReplace,
  planReplaceOf,
  planUpsertMerge,
  type Subject,
} from './plan-write.js';
import type { DerivingWrite, PlannedWrite, RebucketingRow } from './planned-write.js';

/** The row to be changed: one that was read or written, or a key and the ETag that the row must have, `*` for any. */
export type Target<E extends AnyEntity> = StoredOf<E> | RowRef<E>;

/** The row to delete; perhaps only some of its properties were read. */
export type Deletable<E extends AnyEntity> = Target<E> | Projected<Partial<Of<E>>, E['name']>;

/** `never`, which is given by a cast, counts as read. */
type IfRead<T, Yes, No> = [T] extends [never] ? Yes : T extends { readonly whole: true } ? Yes : No;

/** What a merge into such a row may change: of one that was not read, nothing is taken away. */
export type PatchInto<E extends AnyEntity, T> = IfRead<T, GivenPatch<E>, GivenPatch<E, never>>;

/** What is given of a row that was merged into: the row, if it was read before. */
export type Merged<E extends AnyEntity, T> = IfRead<T, StoredOf<E>, RowRef<E>>;

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

/** The target as what it is, checked, and as it was read: the caller may have changed its value since. */
function read<E extends AnyEntity>(at: Subject<E>, target: Target<E>): StoredOf<E> | undefined {
  refuseStrange(target);
  if (!isRead(target)) return undefined;
  refuseForeign(at, target);
  return asRead(target);
}

function planDeleteOf<E extends AnyEntity>(at: Subject<E>, target: Deletable<E>): PlannedWrite<undefined> {
  refuseStrange(target);
  if (!isRead(target)) {
    const planned = planDelete(addressOfKey(at.entity, at.table, target.key), target.etag);
    return inBuckets(at, readFirst(at, planned, target.etag, deleteOf(at)), target.key);
  }
  refuseForeign(at, target);
  at.entity.plan.rebucketing?.refuseMoving(target);
  const row = asRead(target);
  const planned = row.whole
    ? deleteOf(at)(row as StoredOf<E>)
    : readFirst(at, planDelete(row, row.etag), row.etag, deleteOf(at));
  return inBuckets(at, planned, row.value as Values, true);
}

const deleteOf =
  <E extends AnyEntity>(at: Subject<E>) =>
  (stored: StoredOf<E>): PlannedWrite<undefined> => {
    const planned = planDelete(stored, stored.etag);
    return withFollowers(at, planned, stored, undefined, () => planned);
  };

/**
 * The write with those of the entity's index rows, and with what its derivations have to know; `after` is the value that it leaves. A newer program may have index rows that this one does not
 * know.
 */
function withFollowers<E extends AnyEntity, T>(
  { entity }: Subject<E>,
  planned: PlannedWrite<T>,
  before: StoredOf<E> | undefined,
  after: unknown,
  again: DerivingWrite<T>['again'],
): PlannedWrite<T> {
  if (!hasDerivedRows(entity)) return planned;
  if (before !== undefined) refuseNewer(entity, before);
  const { operationId, write } = planned;
  const row = { entity, before, after: after as Values | undefined };
  const { indexWrites = [], remote } = following({ ...row, address: addressOf(write), operationId });
  // Named one by one: to spread them takes a tenth of the time of a plan.
  const followed = { ...planned, indexWrites, remote };
  return readingOf(entity).length === 0 ? followed : { ...followed, deriving: { ...row, again } };
}

/** The same, of a write that gives the row as it leaves it. */
const withFollowersOf = <E extends AnyEntity>(
  at: Subject<E>,
  planned: PlannedWrite<StoredOf<E>>,
  before: StoredOf<E> | undefined,
  again: DerivingWrite<StoredOf<E>>['again'],
): PlannedWrite<StoredOf<E>> =>
  hasDerivedRows(at.entity)
    ? withFollowers(at, planned, before, planned.result(undefined).value, again)
    : planned;

/** The value with other properties; null is none. */
const filled = <V extends object>(value: V, set: Values): V => ({
  ...value,
  ...Object.fromEntries(Object.entries(set).map(([name, is]) => [name, is ?? undefined])),
});

/** The patch of a merge that did not know the row before, as one of this row. */
const over = <E extends AnyEntity>({ plan }: E, before: StoredOf<E>, patch: Values): Values =>
  Object.fromEntries(
    Object.entries(patch).map(([name, given]) => {
      const pieces = plan.byName.get(name)?.property.pieces;
      const was = (before.value as Values)[name];
      const isOver = pieces?.over !== undefined && was !== undefined && given !== undefined;
      return [name, isOver ? pieces.over(was, given) : given];
    }),
  );

/** A merge would leave pieces of an earlier value behind that it does not know. */
const mayLeavePieces = ({ plan }: AnyEntity, patch: Values): boolean =>
  Object.keys(patch).some(
    name => patch[name] !== undefined && plan.byName.get(name)?.property.pieces?.isWhole,
  );

/** Of an entity from whose rows others follow, a write that does not know the row before is planned again when that was read; so is a merge of what stands in pieces. */
function readFirst<E extends AnyEntity, T>(
  { entity }: Subject<E>,
  planned: PlannedWrite<T>,
  etag: string,
  withRow: (stored: StoredOf<E>) => PlannedWrite<T>,
  withoutRow?: () => PlannedWrite<T>,
  merged: Values = {},
): PlannedWrite<T> {
  if (!hasDerivedRows(entity) && !mayLeavePieces(entity, merged)) return planned;
  const plan = (stored: StoredOf<AnyEntity> | undefined): PlannedWrite<T> => {
    if (stored !== undefined) return withRow(stored as StoredOf<E>);
    return withoutRow === undefined ? planned : withoutRow();
  };
  return { ...planned, readFirst: { entity, etag, makesRow: withoutRow !== undefined, plan } };
}

/** The whole row as the value says; what it has beyond its entity is lost, whether or not it was read. */
function replaceAll<E extends AnyEntity>(
  at: Subject<E>,
  stored: StoredOf<E>,
  value: NewOf<E>,
): PlannedWrite<StoredOf<E>> {
  const bare = { ...stored, unknown: idsAlone(at.identity, stored.unknown) };
  return withFollowersOf(at, planReplace(at, bare, value), stored, set =>
    replaceAll(at, stored, filled(value, set)),
  );
}

/** The returned part of a row when only some properties were given. */
function refOf<E extends AnyEntity>(
  { readFirst: _, deriving, ...planned }: PlannedWrite<StoredOf<E>>,
  key: KeyOf<E>,
): PlannedWrite<RowRef<E>> {
  const result = (etag = ''): RowRef<E> => ({ key, etag });
  if (deriving === undefined) return { ...planned, result };
  return { ...planned, result, deriving: { ...deriving, again: set => refOf(deriving.again(set), key) } };
}

const planMerged = <E extends AnyEntity>(
  at: Subject<E>,
  stored: StoredOf<E>,
  patch: Values,
): PlannedWrite<StoredOf<E>> =>
  withFollowersOf(at, planMerge(at, stored, patch), stored, set =>
    planMerged(at, stored, { ...patch, ...set }),
  );

/** The value as what it changes in a row. */
function patchOfValue<E extends AnyEntity>({ entity, now }: Subject<E>, value: NewOf<E>): Values {
  const { value: whole } = encodeEntity(entity, value, { now, keepsRow: true });
  return Object.fromEntries(
    Object.entries(whole as Values).filter(([name]) => entity.plan.byName.get(name)?.inKey !== true),
  );
}

type WithWrites = Pick<RebucketingRow, 'writes'>;

/** Where rows of this entity may stand in several buckets, the write goes to where its row is. */
function inBuckets<E extends AnyEntity, T>(
  { entity, table }: Subject<E>,
  planned: PlannedWrite<T>,
  key: Values,
  isOfRead = false,
): PlannedWrite<T> {
  const { rebucketing } = entity.plan;
  if (rebucketing === undefined) return planned;
  const { writes } = rebucketing as WithWrites;
  return {
    ...planned,
    isOfRead,
    rebucketing: {
      addresses: addresses(entity, table, key as KeyOf<E>),
      refuseBatch: () => rebucketing.refuseBatch(entity.name),
      writes,
    },
  };
}

/** Every write by its name. */
export const OPERATIONS = {
  /** There is no such row yet. */
  create: <E extends AnyEntity>(at: Subject<E>, value: NewOf<E>): PlannedWrite<StoredOf<E>> =>
    inBuckets(
      at,
      withFollowersOf(at, planNew('create', at, value), undefined, set =>
        OPERATIONS.create(at, filled(value, set)),
      ),
      value,
    ),
  /** The row is there, under the condition of its ETag, and becomes this. */
  replace: <E extends AnyEntity>(
    at: Subject<E>,
    target: Target<E>,
    value: NewOf<E>,
  ): PlannedWrite<StoredOf<E>> => {
    const stored = read(at, target);
    if (stored !== undefined) {
      const again = (set: Values): PlannedWrite<StoredOf<E>> =>
        OPERATIONS.replace(at, stored, filled(value, set));
      return inBuckets(at, withFollowersOf(at, planReplace(at, stored, value), stored, again), value, true);
    }
    const row = target as RowRef<E>;
    const planned = planReplaceOf(at, row, value);
    return inBuckets(
      at,
      readFirst(at, planned, row.etag, before => replaceAll(at, before, value)),
      row.key,
    );
  },
  /** The row is there, under the condition of its ETag, and gets these properties. */
  merge: <E extends AnyEntity>(
    at: Subject<E>,
    target: Target<E>,
    patch: PatchOf<E>,
  ): PlannedWrite<StoredOf<E> | RowRef<E>> => {
    const stored = read(at, target);
    if (stored !== undefined)
      return inBuckets(at, planMerged(at, stored, patch), stored.value as Values, true);
    const row = target as RowRef<E>;
    const planned = planMergeOf(at, row, patch);
    return inBuckets(
      at,
      readFirst(
        at,
        planned,
        row.etag,
        before => refOf(planMerged(at, before, over(at.entity, before, patch)), row.key),
        undefined,
        patch,
      ),
      row.key,
    );
  },
  /** Whatever row is there becomes this, or there is one. */
  upsert: <E extends AnyEntity>(at: Subject<E>, value: NewOf<E>): PlannedWrite<StoredOf<E>> => {
    const planned = planNew('upsert', at, value);
    return inBuckets(
      at,
      readFirst(
        at,
        planned,
        '*',
        before => replaceAll(at, before, value),
        () => OPERATIONS.create(at, value),
      ),
      value,
    );
  },
  /** Whatever row is there gets these properties and keeps its others, or there is one. */
  upsertMerge: <E extends AnyEntity>(at: Subject<E>, value: NewOf<E>): PlannedWrite<RowRef<E>> => {
    const planned = planUpsertMerge(at, value);
    const { key } = planned.result(undefined);
    return inBuckets(
      at,
      readFirst(
        at,
        planned,
        '*',
        before => refOf(planMerged(at, before, over(at.entity, before, patchOfValue(at, value))), key),
        () => refOf(OPERATIONS.create(at, value), key),
        value,
      ),
      value,
    );
  },
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
