// Scans of a space: walks its partitions' pages within a budget. partition-pages.ts provides the pages.
import type { Clock } from '#base';
import { type Budget, type Position, type Row, type ScanEnd, Spending, type Visit } from '#store';

/** Rows of one partition in one state, in order; `next` ends the walk early. */
export interface RowsInOrder {
  readonly rows: readonly Row[];
  /** Where the walk continues behind them. */
  readonly reached?: Position | undefined;
  readonly next?: Position | undefined;
}

export async function walk(
  pages: AsyncIterable<RowsInOrder>,
  budget: Budget,
  visit: Visit,
  clock: Clock,
): Promise<ScanEnd> {
  const spending = new Spending(budget, visit, clock);
  let isSpent = false;
  for await (const { rows, reached, next } of pages) {
    for (const row of rows) {
      if (isSpent) return spending.endAt(row);
      spending.visit(row);
      isSpent = spending.isSpent;
    }
    if (next !== undefined) return spending.endAt(next);
    // Many pages may be without rows.
    if (rows.length === 0 && reached !== undefined && spending.isSpent) return spending.endAt(reached);
  }
  return spending.endAt();
}
