// One step of a query over undecoded rows: a page, or some of the rows that it names. row-results.ts follows continuations.
import { isByPoints, type PointQuery, pointFilter, pointQuery, type RowQuery } from '../filter/plan.js';
import { allInOrder } from '../flow/in-order.js';
import type { PageStart, RowSource } from '../transport/row-source.js';
import type { WireObject } from '../values/read-wire.js';

/** A position in a query: what the service said, or how many of its rows are done. JSON holds it. */
export type Position = { readonly p: string; readonly r?: string | undefined } | { readonly n: number };

export interface RowPage {
  readonly rows: readonly WireObject[];
  readonly next: Position | undefined;
}

export interface FetchOptions {
  /** Rows at most; as many as the service gives by default. */
  readonly size: number | undefined;
  readonly from: Position | undefined;
  readonly signal: AbortSignal | undefined;
  /** How many rows are asked for at once. */
  readonly concurrency: number;
}

/** Of rows that are asked for one by one. */
const POINTS_PER_PAGE = 100;

async function fetchPoint(
  source: RowSource,
  query: RowQuery,
  point: PointQuery,
  signal: AbortSignal,
): Promise<readonly WireObject[]> {
  const { table, select } = query;
  if (point.rest !== undefined) {
    const filter = pointFilter(point);
    let next: PageStart | undefined;
    do {
      const page = await source.queryPage({ table, filter, select, next, signal });
      if (page.rows.length > 0) return page.rows;
      next = page.next;
    } while (next !== undefined);
    return [];
  }
  const found = await source.get({ table, ...point }, { select, signal });
  if (found === undefined) return [];
  const { row, etag } = found;
  return [etag === undefined || 'odata.etag' in row ? row : { ...row, 'odata.etag': etag }];
}

async function fetchPoints(source: RowSource, query: RowQuery, options: FetchOptions): Promise<RowPage> {
  const { size = POINTS_PER_PAGE, from, signal, concurrency } = options;
  const start = from !== undefined && 'n' in from ? from.n : 0;
  const { points } = query.classification;
  const end = Math.min(start + size, points.length);
  const asked = points.slice(start, end).flatMap(point => pointQuery(query, point) ?? []);
  const found = await allInOrder(asked, { concurrency, signal }, (point, each) =>
    fetchPoint(source, query, point, each),
  );
  return { rows: found.flat(), next: end < points.length ? { n: end } : undefined };
}

const startOf = (from: Position | undefined): PageStart | undefined =>
  from !== undefined && 'p' in from ? { partitionKey: from.p, rowKey: from.r } : undefined;

export async function fetchRows(source: RowSource, query: RowQuery, options: FetchOptions): Promise<RowPage> {
  if (query.classification.class === 'none') return { rows: [], next: undefined };
  if (isByPoints(query.classification.class)) return fetchPoints(source, query, options);
  const { table, filter, select } = query;
  const { size: top, from, signal } = options;
  const page = await source.queryPage({ table, filter, select, top, next: startOf(from), signal });
  const { next } = page;
  return { rows: page.rows, next: next && { p: next.partitionKey, r: next.rowKey } };
}
