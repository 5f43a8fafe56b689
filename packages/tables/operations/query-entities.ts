// Query Entities: one page of the rows that a filter matches, in order (protocol: queries), or one row by its key.
// The bounds of the scan come from the filter, the caller's key range and the continuation; the residual predicate is evaluated on each row.
import type { Position, RowInPlace, Visit } from '#store';
import type { EntityKey } from '../entity/entity-key.js';
import { compileFilter } from '../filter/compile-filter.js';
import { rowsInBoth, scanPlanOf } from '../filter/filter-range.js';
import { PAGE_BYTES_MAX, PAGE_MILLISECONDS_MAX } from '../limits.js';
import type { GetEntity, QueryEntities } from '../operation.js';
import type { Outcome } from '../outcome.js';
import { TableError } from '../table-error.js';
import { missingTable, openTable, type TableContext } from '../table-space.js';

const START: Position = { partition: '', key: '' };
const positionOf = (key: EntityKey): Position => ({ partition: key.partitionKey, key: key.rowKey });

/** The end of a page. */
interface EntitiesEnd {
  readonly next: EntityKey | undefined;
  readonly examined: number;
}

/** Calls `write` for each row of the page, in place: the row is valid during the call only (`Store.scan`). `isReadWhole`: it reads all of the row. */
export async function queryEntities(
  context: TableContext,
  operation: QueryEntities,
  write: (row: RowInPlace) => void,
  isReadWhole: boolean,
): Promise<EntitiesEnd> {
  const { range: asked, residual } = scanPlanOf(operation.filter);
  const effort = { steps: 0 };
  const matches = residual && compileFilter(residual, effort);
  const space = await openTable(context, operation.table);
  if (!space) throw await missingTable(context, operation.table);
  const allowed = asked && context.within ? rowsInBoth(asked, context.within) : asked;
  const range = allowed && rowsInBoth(allowed, { from: operation.from ? positionOf(operation.from) : START });
  if (!range || operation.top === 0) return { next: undefined, examined: 0 };
  const budget = {
    rows: operation.top,
    bytes: PAGE_BYTES_MAX,
    examined: Number.POSITIVE_INFINITY,
    milliseconds: PAGE_MILLISECONDS_MAX,
    effort,
    isReadWhole,
  };
  const visit: Visit = row => {
    if (matches !== undefined && !matches(row)) return false;
    write(row);
    return true;
  };
  const { next, examined } = await context.store.scan(space, range, budget, visit);
  return { next: next && { partitionKey: next.partition, rowKey: next.key }, examined };
}

/** By key: a point query. A missing table and a missing entity look the same (protocol: entities#get). */
export async function getEntity(context: TableContext, { table, key }: GetEntity): Promise<Outcome> {
  const space = await openTable(context, table);
  const row = space && (await context.store.read(space, key.partitionKey, [key.rowKey]))[0];
  if (!row) throw new TableError('ResourceNotFound');
  return { kind: 'entity', row };
}
