// Plans a write of an entity's value: the request, its condition, its operation id, and the row afterwards. Pure; repositories send such writes one by
// one, batches together.

import { type EncodedRow, encodeEntity, encodePatch } from '../model/encode-entity.js';
import type { AnyEntity, Of } from '../model/entity.js';
import { refuseNewer } from '../model/refuse-newer.js';
import { instantOfEtag, type Stored } from '../model/stored.js';
import { PatternError, type RowAddress } from '../values/pattern-error.js';
import type { WireProperty } from '../values/wire-property.js';
import type { IdentifiedWrite } from './judge-write.js';
import type { OperationId, OperationIds } from './operation-id.js';

/** A write, and what it gives when the service has done it. */
export interface PlannedWrite<T> extends IdentifiedWrite {
  readonly result: (etag: string | undefined) => T;
}

/** The operation id that a write leaves; undefined where operation ids are off. */
export type Identity = { readonly operationIds: OperationIds; readonly operationId: OperationId } | undefined;

/** Some properties by their names in the program; undefined takes one away. */
type Patch = Readonly<Record<string, unknown>>;

const withId = (identity: Identity, unknown: readonly WireProperty[]): readonly WireProperty[] =>
  identity ? identity.operationIds.added(identity.operationId, unknown) : unknown;

const newestId = (identity: Identity, stored: Stored<unknown>): OperationId | undefined =>
  identity?.operationIds.ofUnknown(stored.unknown)[0];

function refuseOther(property: string, expected: string, reason: string): never {
  throw new PatternError('ValueInvalid', { property, expected, reason });
}

/** Programs without types may hand over what a projection gave. */
function refuseParts(stored: Stored<unknown>): void {
  if (stored.whole !== true) refuseOther('whole', 'a whole row', 'only some properties were read');
}

/** The value stands under the keys of the row, be it that of an earlier number of buckets. */
function refuseOtherKeys({ name, plan }: AnyEntity, stored: Stored<unknown>, values: Patch): void {
  const isSame =
    plan.partition.encodeAll(values).includes(stored.partitionKey) &&
    plan.row.encodeAll(values).includes(stored.rowKey);
  if (!isSame) refuseOther(`${name}.key`, 'what it was', 'a row cannot change its keys');
}

function whole<E extends AnyEntity>(
  table: string,
  { version }: E,
  row: EncodedRow<Of<E>>,
  unknown: readonly WireProperty[],
): (etag: string | undefined) => Stored<Of<E>> {
  const { partitionKey, rowKey, value } = row;
  return (etag = '') => ({
    value,
    table,
    partitionKey,
    rowKey,
    etag,
    timestamp: instantOfEtag(etag),
    version,
    whole: true,
    unknown,
  });
}

/** `create` and `put` make a row of nothing but the value. */
export function planNew<E extends AnyEntity>(
  kind: 'create' | 'put',
  entity: E,
  value: Of<E>,
  identity: Identity,
  table: string = entity.table,
): PlannedWrite<Stored<Of<E>>> {
  const unknown = withId(identity, []);
  const row = encodeEntity(entity, value, { extra: unknown });
  return {
    write: { kind, table, row },
    operationId: identity?.operationId,
    previousId: undefined,
    result: whole(table, entity, row, unknown),
  };
}

/** The row as the value says, with what it has beyond its entity. */
export function planReplace<E extends AnyEntity>(
  entity: E,
  stored: Stored<Of<E>>,
  value: Of<E>,
  identity: Identity,
): PlannedWrite<Stored<Of<E>>> {
  refuseParts(stored);
  refuseNewer(entity, stored);
  const unknown = withId(identity, stored.unknown);
  const encoded = encodeEntity(entity, value, { extra: unknown });
  refuseOtherKeys(entity, stored, encoded.value as Patch);
  const { table, partitionKey, rowKey, etag } = stored;
  const row = { ...encoded, partitionKey, rowKey };
  return {
    write: { kind: 'replace', table, row, etag },
    operationId: identity?.operationId,
    previousId: newestId(identity, stored),
    result: whole(table, entity, row, unknown),
  };
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== null;

/** The properties that the patch changes, as a merge sends them. */
function changes(entity: AnyEntity, before: Patch, patch: Patch): readonly WireProperty[] {
  return encodePatch(entity, patch).filter(property => {
    const name = entity.plan.byWire.get(property.name)?.name ?? property.name;
    const [old] = isGiven(before[name]) ? encodePatch(entity, { [name]: before[name] }) : [];
    return old?.literal !== property.literal;
  });
}

/**
 * The changes alone. A merge cannot take a property away, and would leave a row of an earlier version half in each; both become a replace
 * under the same condition.
 */
export function planMerge<E extends AnyEntity>(
  entity: E,
  stored: Stored<Of<E>>,
  patch: Patch,
  identity: Identity,
): PlannedWrite<Stored<Of<E>>> {
  refuseParts(stored);
  const before: Patch = stored.value;
  const changed = changes(entity, before, patch);
  const merged = { ...before, ...patch } as Of<E>;
  const takesAway = Object.keys(patch).some(name => !isGiven(patch[name]) && isGiven(before[name]));
  if (takesAway || stored.version < entity.version) return planReplace(entity, stored, merged, identity);
  const unknown = withId(identity, stored.unknown);
  // Whether the row still fits the service's limits shows only in the whole of it.
  const encoded = encodeEntity(entity, merged, { extra: unknown });
  const { table, partitionKey, rowKey, etag, version } = stored;
  const properties = [
    ...changed,
    ...(identity ? [identity.operationIds.encoded(identity.operationId, stored.unknown)] : []),
  ];
  const row = { ...encoded, partitionKey, rowKey };
  return {
    write: { kind: 'merge', table, row: { ...row, properties }, etag },
    operationId: identity?.operationId,
    previousId: newestId(identity, stored),
    result: now => ({ ...whole(table, entity, row, unknown)(now), version }),
  };
}

/** A merge of nothing: the row must be as it was read. */
export function planConditionCheck<T>(stored: Stored<T>, identity: Identity): PlannedWrite<Stored<T>> {
  refuseParts(stored);
  const { table, partitionKey, rowKey, etag } = stored;
  const properties = identity ? [identity.operationIds.encoded(identity.operationId, stored.unknown)] : [];
  const unknown = withId(identity, stored.unknown);
  return {
    write: { kind: 'merge', table, row: { partitionKey, rowKey, properties, bytes: 0 }, etag },
    operationId: identity?.operationId,
    previousId: newestId(identity, stored),
    result: (now = '') => ({ ...stored, etag: now, timestamp: instantOfEtag(now), unknown }),
  };
}

/** Whatever row is there. It is not read, so nothing can be taken away from it. */
export function planMergeOver(
  entity: AnyEntity,
  { table, partitionKey, rowKey }: RowAddress,
  patch: Patch,
  identity: Identity,
): PlannedWrite<void> {
  const missing = Object.keys(patch).find(name => !isGiven(patch[name]));
  if (missing !== undefined)
    refuseOther(missing, 'a value', 'a merge takes nothing away, and the row was not read');
  const properties = [
    ...encodePatch(entity, patch),
    ...(identity ? [identity.operationIds.encoded(identity.operationId)] : []),
  ];
  return {
    write: { kind: 'merge', table, row: { partitionKey, rowKey, properties, bytes: 0 }, etag: '*' },
    operationId: identity?.operationId,
    previousId: undefined,
    result: () => undefined,
  };
}

/** `etag` is `*` for whatever row is there. */
export const planDelete = (address: RowAddress, etag: string): PlannedWrite<undefined> => {
  const { table, partitionKey, rowKey } = address;
  return {
    write: { kind: 'delete', table, partitionKey, rowKey, etag },
    operationId: undefined,
    previousId: undefined,
    result: () => undefined,
  };
};
