// Queries over rows of several entities of one table, each decoded as its own type. A row that matches no entity is given undecoded: one bad row never
// ends the query.

import { type Bag, decodeBag } from '../../model/bag.js';
import { checkTable } from '../../model/check-table.js';
import { decodeEntity } from '../../model/decode-entity.js';
import type { AnyEntity, PartitionOf } from '../../model/definition.js';
import { allOf, anyOf, type Condition, compare, keyCondition, TRUE } from '../../model/filter/condition.js';
import type { Plan } from '../../model/filter/plan.js';
import { indexKeysIn, isIndexRow } from '../../model/index-row.js';
import type { KeyRange } from '../../model/keys/compiled-key.js';
import { refuseChanging } from '../../model/row-fault.js';
import { parseTag, readAddress } from '../../model/row-head.js';
import type { StoredOf } from '../../model/stored.js';
import {
  type AnyPatternError,
  PatternError,
  type RowAddress,
  refuseDefinition,
  refuseKey,
} from '../../values/pattern-error.js';
import type { Values } from '../../values/property.js';
import type { WireObject } from '../../values/read-wire.js';
import { textOf } from '../../values/row-member.js';
import { AnyRows } from './any-rows.js';
import type { Scanning } from './query.js';
import type { Results } from './results.js';
import type { QuerySettings } from './table-query.js';

/** A row of an entity; the name distinguishes it from rows of others. */
type Named<E extends AnyEntity> = E extends AnyEntity ? StoredOf<E> : never;

/** A row of no entity, or one that its entity cannot read. */
type UnknownRow = Bag & {
  /** Why an entity that the row names could not read it. */
  readonly fault: AnyPatternError | undefined;
};

/** A row of one of the entities, or an unknown one: `entity` is its entity, and undefined for unknown ones. */
export type MixedRow<E extends readonly AnyEntity[]> = Named<E[number]> | UnknownRow;

interface MixedSettings extends QuerySettings {
  /** Names the entity of a row without a tag. Undefined leaves it unknown. */
  readonly resolve?: ((row: Bag) => string | undefined) | undefined;
}

function tableOf(entities: readonly AnyEntity[]): string {
  const [first, ...others] = entities;
  if (first === undefined) return refuseDefinition('mixed()', 'it has no entities');
  const other = others.find(({ table }) => table.toLowerCase() !== first.table.toLowerCase());
  if (other !== undefined)
    refuseDefinition('mixed()', `${first.name} is in ${first.table}, and ${other.name} in ${other.table}`);
  checkTable(entities);
  return first.table;
}

/** The rows of a partition, or a part of them. */
export interface MixedQuery<E extends readonly AnyEntity[]> extends Results<MixedRow<E>> {
  /** Those of the rows whose row keys are in the range. */
  rows(range: KeyRange): MixedQuery<E>;
  allowScan(reason: string): MixedQuery<E>;
  /** What would be sent, and what the service would have to do. Sends nothing. */
  explain(): Plan;
}

/** Whether the row's keys begin as the entity's do, and one of them begins with a literal. */
function hasKeysOf({ plan: { partition, row } }: AnyEntity, partitionKey: string, rowKey: string): boolean {
  const hasLiteral = partition.beginning.text + row.beginning.text !== '';
  return hasLiteral && partition.begins(partitionKey) && row.begins(rowKey);
}

/** By the row's tag; without one as `resolve` names it or, where there is none, by the literals of its keys. */
function entityOf<E extends AnyEntity>(
  entities: readonly E[],
  row: WireObject,
  { table, partitionKey, rowKey }: RowAddress,
  resolve: MixedSettings['resolve'],
): E | undefined {
  for (const entity of entities) {
    const tag = entity.tag === undefined ? undefined : textOf(row, entity.tag);
    if (tag !== undefined && parseTag(tag).name === entity.name) return entity;
  }
  const tag = entities[0]?.tag;
  if (tag !== undefined && textOf(row, tag) !== undefined) return undefined;
  if (resolve === undefined) return entities.find(entity => hasKeysOf(entity, partitionKey, rowKey));
  const name = resolve(decodeBag(row, { table, tag }));
  return entities.find(entity => entity.name === name);
}

/** The row as its entity reads it. Rows of indexes are none of the results. */
function decoded<E extends readonly AnyEntity[]>(
  entities: E,
  table: string,
  { onDrift, resolve }: MixedSettings,
  row: WireObject,
): MixedRow<E> | undefined {
  const address = readAddress(row, table);
  if (isIndexRow(entities, address)) return undefined;
  let fault: AnyPatternError | undefined;
  try {
    const entity = entityOf(entities, row, address, resolve);
    if (entity !== undefined) return decodeEntity(entity, row, { table, onDrift }) as Named<E[number]>;
  } catch (thrown) {
    if (!PatternError.is(thrown)) throw thrown;
    fault = thrown;
  }
  return { ...decodeBag(row, { table, tag: entities[0]?.tag }), fault };
}

/** The rows of a table: results only for a reason. */
export type MixedScan<E extends readonly AnyEntity[]> = Pick<MixedQuery<E>, 'allowScan' | 'explain'> &
  Scanning;

/** What mixed queries begin with. */
export interface MixedReads<E extends readonly AnyEntity[]> {
  /** All rows of a partition, which is named by its text or by what the entities' partition keys are made of. */
  partition(key: string | PartitionOf<E[number]>): Omit<MixedQuery<E>, 'allowScan'>;
  /** All rows of the table. */
  scan(): MixedScan<E>;
  /** The same in another table than the entities'. */
  inTable(table: string): MixedReads<E>;
  /** The same, with a function that names the entity of a row without a tag. */
  resolving(resolve: (row: Bag) => E[number]['name'] | undefined): MixedReads<E>;
}

/** Conditions that leave out so many indexes: each takes two of the comparisons that a filter may have. */
const LEFT_OUT_MAX = 6;

/** All rows of a partition but those of indexes; of further ones each is left out when it is read. */
const besidesIndexes = (entities: readonly AnyEntity[], partitionKey: string): readonly Condition[] =>
  indexKeysIn(entities, partitionKey)
    .map(key => key.range({}))
    .flatMap(({ eq, ge, lt }) => {
      if (eq !== undefined) return [compare('RowKey', 'ne', { type: 'String', value: eq })];
      // Without a literal it may be any row of a partition that is the index's own.
      if (ge === undefined || lt === undefined) return [];
      return [anyOf([keyCondition('RowKey', { lt: ge }), keyCondition('RowKey', { ge: lt })])];
    })
    .slice(0, LEFT_OUT_MAX);

/** The one text that the values are in all entities' partition keys. */
function partitionKeyOf(entities: readonly AnyEntity[], values: Values): string {
  const changing = entities.find(({ plan }) =>
    plan.partition.bound.some(part => part.codec.rebucketing !== undefined),
  );
  if (changing !== undefined)
    refuseChanging(changing.name, 'its partition is one of several; name each by its text');
  const texts = new Set(
    entities
      .filter(({ plan }) => plan.partition.names.every(name => values[name] !== undefined))
      .map(({ plan }) => plan.partition.encode(values)),
  );
  const [text] = texts;
  if (text === undefined || texts.size > 1)
    refuseKey('partition', text === undefined ? 'is not given' : 'is not the same for all entities');
  return text;
}

/** Reads of several entities of one table. Throws DefinitionInvalid if their rows would be indistinguishable. */
export function mixedReads<const E extends readonly AnyEntity[]>(
  entities: E,
  settings: MixedSettings,
): MixedReads<E> {
  const table = settings.table ?? tableOf(entities);
  const query = (condition: Condition): MixedQuery<E> =>
    new AnyRows({
      settings,
      table,
      condition,
      shape: entities.map(({ name, version }) => `${name}.${version}`).join(),
      decode: row => decoded(entities, table, settings, row),
    });
  return {
    partition: key => {
      const eq = typeof key === 'string' ? key : partitionKeyOf(entities, key as Values);
      return query(allOf([keyCondition('PartitionKey', { eq }), ...besidesIndexes(entities, eq)]));
    },
    scan: () => query(TRUE) as unknown as MixedScan<E>,
    inTable: other => mixedReads(entities, { ...settings, table: other }),
    resolving: resolve => mixedReads(entities, { ...settings, resolve }),
  };
}
