// Ranges: that of a scan as the trees have it; and that of keys in one partition, as a commit reads it before it
// decides: its bounds as those of a scan, and its rows as copies. The caller chooses whether the rows come from the tree alone or from overlays too.
import { copyRow, type Reads, type Row, type ScanRange } from '#store';
import { encodePayload } from '../layout/keys.js';
import type { RowSource } from './page-walk.js';
import type { PayloadRange } from './row-cursor.js';

export type KeyRange = NonNullable<Reads['range']>;

/** Without `until` the range ends with the partition. */
export const scanRangeOf = (partition: string, { from, until }: KeyRange): ScanRange => ({
  from: { partition, key: from },
  until: until === undefined ? { partition: `${partition}\0`, key: '' } : { partition, key: until },
});

/** A range of rows as the trees have it. */
export function payloadRange({ from, until }: ScanRange): PayloadRange {
  return {
    from: encodePayload(from.partition, from.key),
    until: until && encodePayload(until.partition, until.key),
  };
}

/** The first `most` rows of the source; closes it. */
export function copyRows(source: RowSource, most: number): Row[] {
  const found: Row[] = [];
  try {
    while (found.length < most && source.next()) found.push(copyRow(source));
  } finally {
    source.close();
  }
  return found;
}
