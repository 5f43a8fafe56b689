// Which rows of an entity's remote indexes a write may change, by the values before and after it. Pure.
import type { AnyEntity, IndexPlan } from '../../model/definition.js';
import { expectedIndexRow } from '../../model/index-row.js';
import type { Stored } from '../../model/stored.js';
import type { RowAddress } from '../../values/pattern-error.js';
import { wireText } from '../../values/wire-property.js';
import type { IndexRowKey, RemoteChange } from './index-message.js';
import type { Before } from './index-write.js';

/** The keys that an index's row has before and after a write; none if it stays as it is. */
function keysOf(
  entity: AnyEntity,
  index: IndexPlan,
  table: string,
  before: Before | undefined,
  after: unknown,
): readonly IndexRowKey[] {
  const expected = (value: unknown) =>
    value === undefined ? undefined : expectedIndexRow(entity, index, table, value);
  const [old, now] = [expected(before?.value), expected(after)];
  const isSameKey = old?.row.partitionKey === now?.row.partitionKey && old?.row.rowKey === now?.row.rowKey;
  const isAsItWas = old !== undefined && now !== undefined && wireText(old.row) === wireText(now.row);
  if (isAsItWas && before?.version === entity.version) return [];
  const rows = isSameKey ? [old] : [old, now];
  return rows.flatMap(each =>
    each === undefined ? [] : [[index.name, each.row.partitionKey, each.row.rowKey] as const],
  );
}

/** What a write changes in remote indexes, `undefined` standing for no row. Throws KeyInvalid, ValueInvalid, TooLarge, and DefinitionInvalid for rows of another table than an index is of. */
export function remoteChange(
  entity: AnyEntity,
  { table, partitionKey, rowKey }: RowAddress,
  before: (Before & Pick<Stored<unknown>, 'etag'>) | undefined,
  after: unknown,
  operationId: string | undefined,
): RemoteChange {
  const rows = entity.plan.remoteIndexes.flatMap(index => keysOf(entity, index, table, before, after));
  if (rows.length === 0) return { entity, table, change: undefined };
  const announced = before === undefined ? { operationId } : { etag: before.etag };
  return { entity, table, change: { partitionKey, rowKey, ...announced, rows } };
}
