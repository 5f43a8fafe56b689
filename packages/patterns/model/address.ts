// The addresses at which a row may be found: one, unless the number of buckets of its key is being changed.
import type { AnyEntity, KeyOf } from '../model/entity.js';
import type { RowAddress } from '../values/pattern-error.js';

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
