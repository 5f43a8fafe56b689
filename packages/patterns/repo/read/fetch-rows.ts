// Fetches the rows of a query from a position on: one page of the service, or the next of the rows that the query names.

import { allInOrder } from '../../concurrency/in-order.js';
import {
  isByPoints,
  type PointQuery,
  pointFilter,
  pointQuery,
  type RowQuery,
} from '../../model/filter/plan.js';
import { type PageStart, type RowSource, rowPages } from '../../transport/row-source.js';
import { isObject } from '../../values/is-object.js';
import type { WireObject } from '../../values/read-wire.js';
import { noPosition } from './merge.js';

/** A position in a query: what the service said, or how many of its rows are done. JSON holds it. */
export type Position = { readonly p: string; readonly r?: string | undefined } | { readonly n: number };

interface RowPage {
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
    for await (const rows of rowPages(source, { table, filter: pointFilter(point), select, signal }))
      if (rows.length > 0) return rows;
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

/** Throws TokenMismatch for what is no position. */
export function positionIn(value: unknown): Position {
  const { n, p, r } = isObject(value) ? value : {};
  if (Number.isSafeInteger(n) && Number(n) >= 0) return { n: Number(n) };
  if (typeof p !== 'string') return noPosition();
  return { p, r: typeof r === 'string' ? r : undefined };
}
