// The address of a key's row: one, unless the number of buckets of its key is being changed.
import type { RowAddress } from '../values/pattern-error.js';
import type { AnyEntity, KeyOf } from './definition.js';

/** Where rows stand. */
export interface InTable {
  /** Where the rows stand; the entity's table by default. */
  readonly table?: string | undefined;
}

/** Where the row stands, or goes. */
export const addressOfKey = <E extends AnyEntity>({ plan }: E, table: string, key: KeyOf<E>): RowAddress => ({
  table,
  partitionKey: plan.partition.encode(key),
  rowKey: plan.row.encode(key),
});

/** Where the row may stand: under its key, then under those of earlier numbers of buckets. */
export function addresses<E extends AnyEntity>(
  { plan }: E,
  table: string,
  key: KeyOf<E>,
): readonly RowAddress[] {
  const rowKeys = plan.row.encodeAll(key);
  return plan.partition
    .encodeAll(key)
    .flatMap(partitionKey => rowKeys.map(rowKey => ({ table, partitionKey, rowKey })));
}

type Keys = Omit<RowAddress, 'table'>;

/** Whether two addresses in a table are one. */
export const isSameRow = (a: Keys, b: Keys): boolean =>
  a.partitionKey === b.partitionKey && a.rowKey === b.rowKey;
