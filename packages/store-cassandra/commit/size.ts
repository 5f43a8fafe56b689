// How large a partition is: the count and the bytes of its rows. Each commit that changes rows writes the size after
// it, under the same condition, so that it is as right as the rows. large-partitions.ts reports large ones.
import type { Row } from '#store';
import type { Change } from './partition.js';

export interface Size {
  readonly rows: number;
  /** Bytes of keys and values. */
  readonly bytes: number;
}

type Sized = Pick<Row, 'key' | 'value'>;

/** A code unit of a key has two bytes, as layout/text.ts writes it. */
const UNIT_BYTES = 2;

const bytesOf = ({ key, value }: Sized): number => UNIT_BYTES * key.length + value.length;

/** After a change; `before` has the rows that it replaces and deletes, if they exist. */
export function sizeAfter(
  size: Size,
  before: ReadonlyMap<string, Sized>,
  { puts, deletes }: Pick<Change, 'puts' | 'deletes'>,
): Size {
  let { rows, bytes } = size;
  const take = (row: Sized | undefined): void => {
    if (row === undefined) return;
    rows -= 1;
    bytes -= bytesOf(row);
  };
  for (const put of puts) {
    take(before.get(put.key));
    rows += 1;
    bytes += bytesOf(put);
  }
  for (const key of deletes) take(before.get(key));
  // The size of anything written before version 4 of the tables is unknown.
  return { rows: Math.max(0, rows), bytes: Math.max(0, bytes) };
}
