// The rows of an entity's indexes, computed from a value: pure, and from the whole value, so that writes and checks of index rows agree. Other modules read and write
// them.

import { Instant, instantOfEtag } from '../values/instant.js';
import { type RowAddress, refuseDefinition } from '../values/pattern-error.js';
import type { Values } from '../values/property.js';
import { MARKS } from '../values/row-member.js';
import { encodeProperty, type WireProperty, wireText } from '../values/wire-property.js';
import type { AnyEntity, IndexPlan } from './definition.js';
import { type EncodedRow, encodeEntity } from './encode-entity.js';
import type { CompiledKey } from './keys/compiled-key.js';
import type { Stored } from './stored.js';

/** The row that the index has of the value; undefined if the value lacks a part of the index's key. Throws KeyInvalid and TooLarge. */
export function encodeIndexRow(
  { entity, needs }: IndexPlan,
  value: unknown,
  extra: readonly WireProperty[] = [],
): EncodedRow<unknown> | undefined {
  const values = value as Values;
  if (needs.some(name => values[name] === undefined || values[name] === null)) return undefined;
  return encodeEntity(entity, valueOfIndex(entity, values), { extra });
}

/** The properties of the value that an index row has. */
const valueOfIndex = ({ plan }: AnyEntity, values: Values): Values =>
  Object.fromEntries(plan.fields.map(({ name }) => [name, values[name]]));

/** The values of an index's key, for errors. */
export const indexKeyOf = ({ needs }: IndexPlan, value: unknown): Values =>
  Object.fromEntries(needs.map(name => [name, (value as Values)[name]]));

/** The index of this name. Throws DefinitionInvalid. */
export function indexNamed({ name, plan }: AnyEntity, index: string): IndexPlan {
  const found = [...plan.indexes, ...plan.remoteIndexes].find(each => each.name === index);
  return found ?? refuseDefinition(name, `it has no index ${index}`);
}

/** Throws DefinitionInvalid for an index that has no queries yet. */
export function refuseBuilding(entity: AnyEntity, { name, definition }: IndexPlan): void {
  if (definition.state !== 'ready')
    refuseDefinition(
      `${entity.name}.indexes.${name}`,
      'it is being built, so that rows may be missing: it has no queries until its definition says no longer that it is',
    );
}

/** The row keys of the indexes that these entities may have in a partition of their table. */
export const indexKeysIn = (entities: readonly AnyEntity[], partitionKey: string): readonly CompiledKey[] =>
  entities
    .flatMap(({ plan }) => [...plan.indexes, ...plan.remoteIndexes])
    .filter(({ table, entity }) => table === undefined && entity.plan.partition.begins(partitionKey))
    .map(({ entity }) => entity.plan.row);

/** Whether a row with these keys is one of an index: what begins with its literals is. */
export const isIndexRow = (entities: readonly AnyEntity[], { partitionKey, rowKey }: RowAddress): boolean =>
  indexKeysIn(entities, partitionKey).some(key => key.begins(rowKey));

/** The table of an index's rows; the entity's are in `table`. Throws DefinitionInvalid where an index with a table of its own would mix rows of two tables. */
export function tableOfIndex(owner: AnyEntity, { name, table: own }: IndexPlan, table: string): string {
  if (own === undefined) return table;
  if (table.toLowerCase() !== owner.table.toLowerCase())
    refuseDefinition(
      `${owner.name}.indexes.${name}`,
      `its rows stand in ${own}, and are of rows in ${owner.table} alone, not of those in ${table}`,
    );
  return own;
}

/** The version of a row, as remote index rows have it: later ones are greater. */
export const versionOf = ({ etag, timestamp }: Pick<Stored<unknown>, 'etag' | 'timestamp'>): Instant =>
  instantOfEtag(etag) ?? timestamp ?? Instant.fromTicks(0n);

/** The index row, with the version that it was made from. */
export const withSource = (row: EncodedRow<unknown>, source: Instant): EncodedRow<unknown> => ({
  ...row,
  properties: [...row.properties, encodeProperty(MARKS.source, 'DateTime', source)],
});

/** Where an index has the row of a value, and the row. */
export interface ExpectedIndexRow {
  readonly address: RowAddress;
  /** Without its source, for which there is room. */
  readonly row: EncodedRow<unknown>;
}

const ROOM = [encodeProperty(MARKS.source, 'DateTime', Instant.fromTicks(0n))];

/** The row that an index should have of a row of its entity in `table`; undefined if it should have none. */
export function expectedIndexRow(
  owner: AnyEntity,
  index: IndexPlan,
  table: string,
  value: unknown,
): ExpectedIndexRow | undefined {
  if (index.definition.kind === 'same-partition') {
    const row = encodeIndexRow(index, value);
    return row && { address: { table, partitionKey: row.partitionKey, rowKey: row.rowKey }, row };
  }
  const whole = encodeIndexRow(index, value, ROOM);
  if (whole === undefined) return undefined;
  const { partitionKey, rowKey } = whole;
  const row = { ...whole, properties: whole.properties.slice(0, -ROOM.length) };
  return { address: { table: tableOfIndex(owner, index, table), partitionKey, rowKey }, row };
}

/** Whether an index row is as it should be, apart from the version that it was made from. */
export const isAsExpected = (
  { entity }: IndexPlan,
  found: Stored<unknown>,
  { row }: ExpectedIndexRow,
): boolean =>
  found.version === entity.version && wireText(encodeEntity(entity, found.value as never)) === wireText(row);
