// Rows as copies, for callers of `scan` that keep what they find instead of using each row in place.
import type { Budget, Row, ScanEnd, ScanRange, Space, Store, Visit } from './store.js';

/** The rows of one scan that counted. */
export interface Page extends ScanEnd {
  /** Copies, which are the caller's to keep. */
  readonly rows: readonly Row[];
}

export const copyRow = ({ partition, key, version, value }: Row): Row => ({
  partition,
  key,
  version,
  value: Buffer.from(value),
});

/** The rows of one scan that `accept` takes; all of them without it. */
export async function collectRows(
  store: Store,
  space: Space,
  range: ScanRange,
  budget: Budget,
  accept?: Visit,
): Promise<Page> {
  const rows: Row[] = [];
  const { next, examined } = await store.scan(space, range, budget, row => {
    if (accept !== undefined && !accept(row)) return false;
    rows.push(copyRow(row));
    return true;
  });
  return { rows, next, examined };
}
