// Query Entities: one page of the rows that a filter takes, in order (table-rest.md 9).
// The bounds of the scan come from the filter, the caller's key range and the continuation; the filter itself decides.
import type { Position, Row, ScanRange, Show } from '#store';
import { compileFilter } from '../filter/compile-filter.js';
import { scanPlanOf } from '../filter/filter-range.js';
import { PAGE_BYTES_MAX, PAGE_MILLISECONDS_MAX } from '../limits.js';
import { missingTable } from '../missing-table.js';
import type { EntityKey, QueryEntities } from '../operation.js';
import type { Outcome } from '../outcome.js';
import { openTable, type TableContext } from '../table-space.js';

const isBefore = (a: Position, b: Position): boolean =>
  a.partition < b.partition || (a.partition === b.partition && a.key < b.key);
const latest = (a: Position, b: Position): Position => (isBefore(a, b) ? b : a);
const START: Position = { partition: '', key: '' };

/** What all of the ranges share; undefined if that is nothing. */
function intersection(a: ScanRange, b: ScanRange | undefined): ScanRange | undefined {
  if (!b) return a;
  const from = latest(a.from, b.from);
  const until = a.until && b.until ? (isBefore(a.until, b.until) ? a.until : b.until) : (a.until ?? b.until);
  return until && !isBefore(from, until) ? undefined : { from, until };
}

const positionOf = (key: EntityKey): Position => ({ partition: key.partitionKey, key: key.rowKey });
const acceptAll = (_row: Row): boolean => true;

/** With `show` the rows are shown to it, in place (`Store.scan`), and none is in the outcome. */
export async function queryEntities(
  context: TableContext,
  operation: QueryEntities,
  show?: Show,
): Promise<Extract<Outcome, { kind: 'entities' }>> {
  const { range: asked, rest } = scanPlanOf(operation.filter);
  const accept = rest ? compileFilter(rest) : acceptAll;
  const space = await openTable(context, operation.table);
  if (!space) throw await missingTable(context, operation.table);
  const allowed = asked && intersection(asked, context.within);
  const range =
    allowed && intersection(allowed, { from: operation.from ? positionOf(operation.from) : START });
  if (!range || operation.top === 0) return { kind: 'entities', rows: [], next: undefined, examined: 0 };
  const budget = {
    rows: operation.top,
    bytes: PAGE_BYTES_MAX,
    examined: Number.POSITIVE_INFINITY,
    milliseconds: PAGE_MILLISECONDS_MAX,
  };
  const { rows, next, examined } = await context.store.scan(space, range, budget, accept, show);
  return {
    kind: 'entities',
    rows,
    next: next && { partitionKey: next.partition, rowKey: next.key },
    examined,
  };
}
