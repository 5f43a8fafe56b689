// Plans the request of a write of one row: its condition, its operation id, and the row afterwards. Pure. operations.ts names the writes, and adds what follows from
// them; repositories send them one by one, batches together.

import { addressOfKey } from '../../model/address.js';
import { decodeWritten } from '../../model/decode-entity.js';
import type { AnyEntity, KeyOf, NewOf, Of } from '../../model/definition.js';
import {
  type EncodedRow,
  encodeEntity,
  encodePatch,
  encodeUpdated,
  refusePartOfRow,
  refuseTaking,
} from '../../model/encode-entity.js';
import { readPatch } from '../../model/patch.js';
import { refuseNewer } from '../../model/row-fault.js';
import { asRead, type RowRef, type Stored, type StoredOf, trackAsRead } from '../../model/stored.js';
import type { RowWrite } from '../../transport/row-write.js';
import { Instant, instantOfEtag } from '../../values/instant.js';
import { type RowAddress, refuseValue } from '../../values/pattern-error.js';
import type { Values } from '../../values/property.js';
import { rowBytes, type WireProperty } from '../../values/wire-property.js';
import type { OperationId } from './operation-id.js';
import type { Identity, PlannedWrite } from './planned-write.js';
import type { Service } from './service.js';

/** A write's operation id, or none where operation ids are off. */
export const newIdentity = ({ operationIds }: Pick<Service, 'operationIds'>): Identity =>
  operationIds && { operationIds, operationId: operationIds.next() };

/** The time of a write. */
export const timeOfWrite = ({ surroundings }: Pick<Service, 'surroundings'>): Instant =>
  Instant.fromDate(new Date(surroundings.now()));

/** What a write is of: an entity's row in a table, by which operation. */
export interface Subject<E extends AnyEntity> {
  readonly entity: E;
  readonly table: string;
  readonly identity: Identity;
  /** The time of the write. */
  readonly now: Instant;
}

export const subjectOf = <E extends AnyEntity>(
  service: Pick<Service, 'operationIds' | 'surroundings'>,
  entity: E,
  table: string,
  identity = newIdentity(service),
): Subject<E> => ({ entity, table, identity, now: timeOfWrite(service) });

/** What a row has beyond its entity, as a write leaves it. */
export const withId = (identity: Identity, unknown: readonly WireProperty[]): readonly WireProperty[] =>
  identity ? identity.operationIds.added(identity.operationId, unknown) : unknown;

/** Of the row that a write is made from. */
export const newestId = (identity: Identity, stored: Stored<unknown>): OperationId | undefined =>
  identity?.operationIds.ofUnknown(stored.unknown)[0];

/** What the write of some properties sends of its operation id. */
export const idProperty = (
  identity: Identity,
  unknown: readonly WireProperty[] = [],
): readonly WireProperty[] =>
  identity ? [identity.operationIds.encoded(identity.operationId, unknown)] : [];

/** Programs without types may hand over what a projection gave. */
function refuseParts(stored: Stored<unknown>): void {
  if (stored.whole !== true) refuseValue('whole', 'a whole row', 'only some properties were read');
}

/** The value stands under the keys of the row, be it that of an earlier number of buckets. */
function refuseOtherKeys({ name, plan }: AnyEntity, row: Omit<RowAddress, 'table'>, values: Values): void {
  const isSame =
    plan.partition.encodeAll(values).includes(row.partitionKey) &&
    plan.row.encodeAll(values).includes(row.rowKey);
  if (!isSame) refuseValue(`${name}.key`, 'what it was', 'a row cannot change its keys');
}

/** The whole row that a write leaves, by the ETag of its answer. */
export function whole<E extends AnyEntity>(
  table: string,
  entity: E,
  row: EncodedRow<Of<E>>,
  unknown: readonly WireProperty[],
): (etag: string | undefined) => StoredOf<E> {
  const { name, version } = entity;
  const { partitionKey, rowKey, value } = row;
  return (etag = '') => {
    const timestamp = instantOfEtag(etag);
    const head = { entity: name, table, partitionKey, rowKey, etag, timestamp, version };
    const stored = { ...head, value, whole: true, unknown } as const;
    return trackAsRead(entity, stored, () => decodeWritten(entity, row, table));
  };
}

/** The write under its operation id. */
const planned = <T>(
  write: RowWrite,
  identity: Identity,
  result: (etag: string | undefined) => T,
  previousId?: OperationId | undefined,
): PlannedWrite<T> => ({ write, operationId: identity?.operationId, previousId, result });

/** What is known of a row when a write saw only a part of it. */
const refTo =
  <E extends AnyEntity>(key: KeyOf<E>): ((etag: string | undefined) => RowRef<E>) =>
  (etag = '') => ({ key, etag });

/** A row of nothing but the value. */
export function planNew<E extends AnyEntity>(
  kind: 'create' | 'upsert',
  { entity, table, identity, now }: Subject<E>,
  value: NewOf<E>,
): PlannedWrite<StoredOf<E>> {
  const unknown = withId(identity, []);
  const row = encodeEntity(entity, value, { extra: unknown, now });
  return planned({ kind, table, row }, identity, whole(table, entity, row, unknown));
}

/** The row at this place as the value says, with what it has beyond its entity, if it was read. */
export function planReplace<E extends AnyEntity>(
  { entity, identity, now }: Subject<E>,
  place: RowAddress & { readonly etag: string },
  value: NewOf<E>,
  before?: StoredOf<E>,
): PlannedWrite<StoredOf<E>> {
  if (before !== undefined) {
    refuseParts(before);
    refuseNewer(entity, before);
  }
  const unknown = withId(identity, before?.unknown ?? []);
  const encoded = encodeEntity(entity, value, { extra: unknown, now, before: before?.value });
  refuseOtherKeys(entity, place, encoded.value as Values);
  const { table, partitionKey, rowKey, etag } = place;
  const row = { ...encoded, partitionKey, rowKey };
  const previousId = before && newestId(identity, before);
  return planned(
    { kind: 'replace', table, row, etag },
    identity,
    whole(table, entity, row, unknown),
    previousId,
  );
}

/** What a row has beyond its entity that identifies writes: all else is lost in a write of the whole row. */
export const idsAlone = (identity: Identity, unknown: readonly WireProperty[]): readonly WireProperty[] =>
  unknown.filter(({ name }) => name === identity?.operationIds.property);

interface Changes {
  readonly changed: readonly WireProperty[];
  /** Pieces of a value would stay that the new value does not have. */
  readonly leaves: boolean;
}

/** The properties that the patch changes, as a merge sends them. */
function changesOf(entity: AnyEntity, before: Values, set: Values): Changes {
  const each = Object.entries(set).map(([name, value]) => {
    const now = encodePatch(entity, { [name]: value });
    const was = before[name] === undefined ? [] : encodePatch(entity, { [name]: before[name] });
    const literals = new Map(was.map(property => [property.name, property.literal]));
    return {
      changed: now.filter(property => literals.get(property.name) !== property.literal),
      leaves: was.some(old => now.every(property => property.name !== old.name)),
    };
  });
  return { changed: each.flatMap(({ changed }) => changed), leaves: each.some(({ leaves }) => leaves) };
}

/**
 * The changes alone. A merge cannot take a property away, and would leave a row of an earlier version half in each; both become a replace
 * under the same condition.
 */
export function planMerge<E extends AnyEntity>(
  at: Subject<E>,
  stored: StoredOf<E>,
  patch: Values,
): PlannedWrite<StoredOf<E>> {
  const { entity, identity, now } = at;
  refuseParts(stored);
  const before: Values = stored.value;
  const { set, removed } = readPatch(entity, patch);
  refuseTaking(entity, removed);
  const { changed, leaves } = changesOf(entity, before, set);
  const gone = Object.fromEntries(removed.map(name => [name, undefined]));
  const merged = { ...before, ...set, ...gone } as NewOf<E>;
  const takesAway = removed.some(name => before[name] !== undefined);
  if (takesAway || leaves || stored.version < entity.version) return planReplace(at, stored, merged, stored);
  const unknown = withId(identity, stored.unknown);
  // Whether the row still fits the service's limits shows only in the whole of it.
  const encoded = encodeEntity(entity, merged, { extra: unknown, now, before });
  const { table, partitionKey, rowKey, etag, version } = stored;
  const row = { ...encoded, partitionKey, rowKey };
  const properties = [...changed, ...encodeUpdated(entity, now), ...idProperty(identity, stored.unknown)];
  const result = whole(table, entity, row, unknown);
  return planned(
    { kind: 'merge', table, row: { ...row, properties }, etag },
    identity,
    given => ({ ...result(given), version }),
    newestId(identity, stored),
  );
}

function refuseRemovals([name]: readonly string[]): void {
  if (name !== undefined)
    refuseValue(name, 'a value', 'a merge takes nothing away, and the row was not read');
}

/** Into the row of this key. It is not read, so nothing can be taken away from it. */
export function planMergeOf<E extends AnyEntity>(
  { entity, table, identity, now }: Subject<E>,
  { key, etag }: RowRef<E>,
  patch: Values,
): PlannedWrite<RowRef<E>> {
  const { partitionKey, rowKey } = addressOfKey(entity, table, key);
  const { set, removed } = readPatch(entity, patch);
  refuseRemovals(removed);
  const properties = [...encodePatch(entity, set), ...encodeUpdated(entity, now), ...idProperty(identity)];
  const bytes = rowBytes(entity.name, partitionKey, rowKey, properties);
  const row = { partitionKey, rowKey, properties, bytes };
  return planned({ kind: 'merge', table, row, etag }, identity, refTo(key));
}

/** The value's properties, into whatever row is there. It is a whole value, so that a row which this makes can be read. Defaults are left to the read: here they would write over what the row has. */
export function planUpsertMerge<E extends AnyEntity>(
  { entity, table, identity, now }: Subject<E>,
  value: NewOf<E>,
): PlannedWrite<RowRef<E>> {
  refuseRemovals(Object.entries(value).flatMap(([name, each]) => (each === null ? [name] : [])));
  refusePartOfRow(entity, value);
  const row = encodeEntity(entity, value, { extra: withId(identity, []), now, keepsRow: true });
  const { partition, row: ownKey } = entity.plan;
  const parts = [...partition.names, ...ownKey.names].map(name => [name, (row.value as Values)[name]]);
  return planned({ kind: 'upsertMerge', table, row }, identity, refTo(Object.fromEntries(parts) as KeyOf<E>));
}

/** A merge of nothing: the row must be as it was read. */
export function planConditionCheck<T, N extends string>(
  stored: Stored<T, N>,
  identity: Identity,
): PlannedWrite<Stored<T, N>> {
  refuseParts(stored);
  const { table, partitionKey, rowKey, etag } = stored;
  const row = { partitionKey, rowKey, properties: idProperty(identity, stored.unknown), bytes: 0 };
  const unknown = withId(identity, stored.unknown);
  return planned(
    { kind: 'merge', table, row, etag },
    identity,
    (now = '') => ({ ...asRead(stored), etag: now, timestamp: instantOfEtag(now), unknown }),
    newestId(identity, stored),
  );
}

/** `etag` is `*` for whatever row is there. */
export const planDelete = (address: RowAddress, etag: string): PlannedWrite<undefined> => {
  const { table, partitionKey, rowKey } = address;
  return planned({ kind: 'delete', table, partitionKey, rowKey, etag }, undefined, () => undefined);
};
