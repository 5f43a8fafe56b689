// Collects copies of scanned rows, for callers of `scan` that keep rows instead of using each one in place.
import type { Budget, Row, RowInPlace, ScanEnd, ScanRange, Space, Store, Visit } from './store.js';

/** The rows of one scan for which the visitor returned true. */
export interface Page extends ScanEnd {
  /** Copies, which the caller may keep. */
  readonly rows: readonly Row[];
}

export const copyRow = ({ partition, key, version, value }: Row): Row => ({
  partition,
  key,
  version,
  value: Buffer.from(value),
});

/** For visitors, of a row that has its value in memory of its own. */
export const inPlace = ({ partition, key, version, value }: Row): RowInPlace => ({
  partition,
  key,
  version,
  value,
  bytes: value,
  from: 0,
  until: value.length,
  keyFrom: -1,
  keyUntil: -1,
});

/** The rows of one scan for which `visit` returns true; all of them without it. */
export async function collectRows(
  store: Store,
  space: Space,
  range: ScanRange,
  budget: Budget,
  visit?: Visit,
): Promise<Page> {
  const rows: Row[] = [];
  const { next, examined } = await store.scan(space, range, budget, row => {
    if (visit !== undefined && !visit(row)) return false;
    rows.push(copyRow(row));
    return true;
  });
  return { rows, next, examined };
}
