// The one vocabulary of writes: names, arguments and results. Repositories, batches and bulk writes have these names, with these arguments, and plan
// them here, with the index rows, lists and copies that follow; plan-write.ts makes the requests.

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
  planUpsertMerge,
  type Subject,
} from './plan-write.js';
import type { PlannedWrite, ReadFirst } from './planned-write.js';

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
export function refuseForeign<E extends AnyEntity>(
  { entity, table }: Pick<Subject<E>, 'entity' | 'table'>,
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

/** A row that was read, checked, and as it was read: the caller may have changed its value since. Undefined for a key. */
function rowIn<E extends AnyEntity>(
  at: Subject<E>,
  target: Deletable<E>,
): Exclude<Deletable<E>, RowRef<E>> | undefined {
  refuseStrange(target);
  if (!isRead(target)) return undefined;
  refuseForeign(at, target);
  return asRead(target);
}

/**
 * The write of a row that is known, or of a new one, with those of its index rows and what its derivations have to know. `plan` makes it with these properties in addition; null removes one. A newer program may have
 * index rows that this one does not know.
 */
function followed<E extends AnyEntity, R extends StoredOf<E> | undefined>(
  at: Subject<E>,
  before: StoredOf<E> | undefined,
  plan: (set?: Values) => PlannedWrite<R>,
): PlannedWrite<R> {
  const { entity } = at;
  const planned = plan();
  if (!hasDerivedRows(entity)) return planned;
  if (before !== undefined) refuseNewer(entity, before);
  const { operationId, write } = planned;
  const row = { entity, before, after: planned.result(undefined)?.value as Values | undefined };
  const { indexWrites = [], remote } = following({ ...row, address: addressOf(write), operationId });
  // Named one by one: to spread them takes a tenth of the time of a plan.
  const all = { ...planned, indexWrites, remote };
  if (readingOf(entity).length === 0) return all;
  const again = (set: Values): PlannedWrite<R> => followed(at, before, more => plan({ ...set, ...more }));
  return { ...all, deriving: { ...row, again } };
}

/** The value with other properties; null is none. */
const filled = <V extends object>(value: V, set?: Values): V =>
  set === undefined
    ? value
    : {
        ...value,
        ...Object.fromEntries(Object.entries(set).map(([name, is]) => [name, is ?? undefined])),
      };

const created = <E extends AnyEntity>(at: Subject<E>, value: NewOf<E>): PlannedWrite<StoredOf<E>> =>
  followed(at, undefined, set => planNew('create', at, filled(value, set)));

const replaced = <E extends AnyEntity>(
  at: Subject<E>,
  row: StoredOf<E>,
  value: NewOf<E>,
  kept = row,
): PlannedWrite<StoredOf<E>> => followed(at, row, set => planReplace(at, row, filled(value, set), kept));

/** The whole row as the value says; what it has beyond its entity is lost, whether or not it was read. */
const written = <E extends AnyEntity>(
  at: Subject<E>,
  row: StoredOf<E>,
  value: NewOf<E>,
): PlannedWrite<StoredOf<E>> =>
  replaced(at, row, value, { ...row, unknown: idsAlone(at.identity, row.unknown) });

const merged = <E extends AnyEntity>(
  at: Subject<E>,
  row: StoredOf<E>,
  patch: Values,
): PlannedWrite<StoredOf<E>> => followed(at, row, set => planMerge(at, row, { ...patch, ...set }));

const deleted = <E extends AnyEntity>(at: Subject<E>, row: StoredOf<E>): PlannedWrite<undefined> =>
  followed(at, row, () => planDelete(row, row.etag));

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

/** What takes the place of a write that does not know the row before, when that has been read. */
interface Instead<E extends AnyEntity, T> {
  readonly withRow: (row: StoredOf<E>) => PlannedWrite<unknown>;
  /** Makes the row, where there is none. */
  readonly withoutRow?: () => PlannedWrite<unknown>;
  /** What is given of the row as it is then; the row itself by default. */
  readonly result?: ReadFirst<T>['result'];
}

/** Of an entity from whose rows others follow, a write that does not know the row before is planned again when that was read; so is a merge of what stands in pieces. */
function readFirst<E extends AnyEntity, T>(
  { entity }: Subject<E>,
  planned: PlannedWrite<T>,
  etag: string,
  { withRow, withoutRow, result = given => given as T }: Instead<E, T>,
  patch: Values = {},
): PlannedWrite<T> {
  if (!hasDerivedRows(entity) && !mayLeavePieces(entity, patch)) return planned;
  const plan: ReadFirst<T>['plan'] = row =>
    row === undefined ? (withoutRow?.() ?? planned) : withRow(row as StoredOf<E>);
  return { ...planned, readFirst: { entity, etag, makesRow: withoutRow !== undefined, plan, result } };
}

/** The returned part of a row when only some properties were given. */
const refOf =
  <E extends AnyEntity>(key: KeyOf<E>) =>
  (given: unknown): RowRef<E> => ({ key, etag: (given as StoredOf<E>).etag });

/** The value as what it changes in a row. */
export function patchOfValue<E extends AnyEntity>(
  { entity, now }: Pick<Subject<E>, 'entity' | 'now'>,
  value: NewOf<E>,
  isWide = false,
): Values {
  const { value: whole } = encodeEntity(entity, value, { now, keepsRow: true, isWide });
  return Object.fromEntries(
    Object.entries(whole as Values).filter(([name]) => entity.plan.byName.get(name)?.inKey !== true),
  );
}

/** Where rows of this entity may stand in several buckets, the write goes to where its row is. */
function inBuckets<E extends AnyEntity, T>(
  { entity, table }: Subject<E>,
  key: Values,
  planned: PlannedWrite<T>,
): PlannedWrite<T> {
  const { rebucketing } = entity.plan;
  if (rebucketing === undefined) return planned;
  const places = addresses(entity, table, key as KeyOf<E>);
  return { ...planned, rebucketing: { entity: entity.name, by: rebucketing, addresses: places } };
}

function planDeleteOf<E extends AnyEntity>(at: Subject<E>, target: Deletable<E>): PlannedWrite<undefined> {
  const row = rowIn(at, target);
  const key = (row === undefined ? (target as RowRef<E>).key : row.value) as Values;
  if (row?.whole) return inBuckets(at, key, deleted(at, row as StoredOf<E>));
  const planned = planDelete(row ?? addressOfKey(at.entity, at.table, key as KeyOf<E>), target.etag);
  return inBuckets(at, key, readFirst(at, planned, target.etag, { withRow: read => deleted(at, read) }));
}

/** Every write by its name. */
export const OPERATIONS = {
  /** There is no such row yet. */
  create: <E extends AnyEntity>(at: Subject<E>, value: NewOf<E>): PlannedWrite<StoredOf<E>> =>
    inBuckets(at, value, created(at, value)),
  /** The row is there, under the condition of its ETag, and becomes this. */
  replace: <E extends AnyEntity>(
    at: Subject<E>,
    target: Target<E>,
    value: NewOf<E>,
  ): PlannedWrite<StoredOf<E>> => {
    const row = rowIn(at, target) as StoredOf<E> | undefined;
    if (row !== undefined) return inBuckets(at, value, replaced(at, row, value));
    const { key, etag } = target as RowRef<E>;
    const planned = planReplace(at, { ...addressOfKey(at.entity, at.table, key), etag }, value);
    return inBuckets(at, key, readFirst(at, planned, etag, { withRow: read => written(at, read, value) }));
  },
  /** The row is there, under the condition of its ETag, and gets these properties. */
  merge: <E extends AnyEntity>(
    at: Subject<E>,
    target: Target<E>,
    patch: PatchOf<E>,
  ): PlannedWrite<StoredOf<E> | RowRef<E>> => {
    const row = rowIn(at, target) as StoredOf<E> | undefined;
    if (row !== undefined) return inBuckets(at, row.value, merged(at, row, patch));
    const ref = target as RowRef<E>;
    const planned = planMergeOf(at, ref, patch);
    const withRow = (read: StoredOf<E>) => merged(at, read, over(at.entity, read, patch));
    const instead = { withRow, result: refOf<E>(ref.key) };
    return inBuckets(at, ref.key, readFirst(at, planned, ref.etag, instead, patch));
  },
  /** Whatever row is there becomes this, or there is one. */
  upsert: <E extends AnyEntity>(at: Subject<E>, value: NewOf<E>): PlannedWrite<StoredOf<E>> => {
    const instead: Instead<E, StoredOf<E>> = {
      withRow: read => written(at, read, value),
      withoutRow: () => created(at, value),
    };
    return inBuckets(at, value, readFirst(at, planNew('upsert', at, value), '*', instead));
  },
  /** Whatever row is there gets these properties and keeps its others, or there is one. */
  upsertMerge: <E extends AnyEntity>(at: Subject<E>, value: NewOf<E>): PlannedWrite<RowRef<E>> => {
    const planned = planUpsertMerge(at, value);
    const instead: Instead<E, RowRef<E>> = {
      withRow: read => merged(at, read, over(at.entity, read, patchOfValue(at, value))),
      withoutRow: () => created(at, value),
      result: refOf(planned.result(undefined).key as KeyOf<E>),
    };
    return inBuckets(at, value, readFirst(at, planned, '*', instead, value));
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
