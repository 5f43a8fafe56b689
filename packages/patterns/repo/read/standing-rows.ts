// Keys and ETags of the rows in a partition, by one query: for callers that need to know only whether many rows exist, unchanged.
import type { CallOptions } from '../../concurrency/abort.js';
import { allOf } from '../../model/filter/condition.js';
import { formatFilter } from '../../model/filter/format-filter.js';
import { keyCondition } from '../../model/filter/key-condition.js';
import type { RowSource } from '../../transport/row-source.js';
import type { RowAddress } from '../../values/pattern-error.js';
import { textOf } from '../../values/row-member.js';

/** Rows that stand between the first and the last key that were asked for. */
export interface StandingRows {
  /** ETags by row key; undefined where the answer had none. */
  readonly etags: ReadonlyMap<string, string | undefined>;
  /** The last row key up to which all is known; undefined if that is all that was asked for. */
  readonly until: string | undefined;
}

/** One page, of the addresses of one partition: of rows that lie far apart only the first are known. */
export async function standingRows(
  source: RowSource,
  addresses: readonly RowAddress[],
  { signal }: CallOptions,
): Promise<StandingRows> {
  const [first] = addresses;
  const rowKeys = addresses.map(({ rowKey }) => rowKey).sort();
  const [ge, le] = [rowKeys[0], rowKeys.at(-1)];
  if (first === undefined || ge === undefined || le === undefined)
    return { etags: new Map(), until: undefined };
  const { table, partitionKey } = first;
  const condition = allOf([
    keyCondition('PartitionKey', { eq: partitionKey }),
    keyCondition('RowKey', { ge, le }),
  ]);
  const select = ['PartitionKey', 'RowKey'];
  const page = await source.queryPage({ table, filter: formatFilter(condition), select, signal });
  const etags = new Map(page.rows.map(row => [textOf(row, 'RowKey') ?? '', textOf(row, 'odata.etag')]));
  return { etags, until: page.next === undefined ? undefined : ([...etags.keys()].at(-1) ?? '') };
}
