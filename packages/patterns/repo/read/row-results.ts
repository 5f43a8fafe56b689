// The results of one query: asks for its pages, or for the rows that it names, follows continuations to the end, over empty pages too, and decodes rows. query.ts makes
// the query, table-query.ts decides whether it may be sent.

import type { CallOptions } from '../../concurrency/abort.js';
import { allInOrder } from '../../concurrency/in-order.js';
import {
  isByPoints,
  type PointQuery,
  pointFilter,
  pointQuery,
  type RowQuery,
} from '../../model/filter/plan.js';
import type { PageStart, RowSource } from '../../transport/row-source.js';
import { isObject } from '../../values/is-object.js';
import type { WireObject } from '../../values/read-wire.js';
import { noPosition } from './merge.js';
import {
  checkPageSize,
  checkWhole,
  PAGE_SIZE_MAX,
  type Page,
  PagedResults,
  type PageOptions,
} from './results.js';
import { formatToken, parseToken } from './resume-token.js';

/** A position in a query: what the service said, or how many of its rows are done. JSON holds it. */
type Position = { readonly p: string; readonly r?: string | undefined } | { readonly n: number };

interface RowPage {
  readonly rows: readonly WireObject[];
  readonly next: Position | undefined;
}

interface FetchOptions {
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

async function fetchRows(source: RowSource, query: RowQuery, options: FetchOptions): Promise<RowPage> {
  if (query.classification.class === 'none') return { rows: [], next: undefined };
  if (isByPoints(query.classification.class)) return fetchPoints(source, query, options);
  const { table, filter, select } = query;
  const { size: top, from, signal } = options;
  const page = await source.queryPage({ table, filter, select, top, next: startOf(from), signal });
  const { next } = page;
  return { rows: page.rows, next: next && { p: next.partitionKey, r: next.rowKey } };
}

interface RowRunSpec<R> {
  readonly source: RowSource;
  readonly query: RowQuery;
  /** Undefined for a row that is none of the results. Throws what should end the query. */
  readonly decode: (row: WireObject) => R | undefined;
  /** What else makes results differ: the entity and its version. */
  readonly shape: string;
  readonly secret: Uint8Array | undefined;
  readonly concurrency: number;
}

interface Decoded<R> {
  readonly items: readonly R[];
  readonly next: Position | undefined;
}

function placeIn(value: unknown): Position {
  const { n, p, r } = isObject(value) ? value : {};
  if (Number.isSafeInteger(n) && Number(n) >= 0) return { n: Number(n) };
  if (typeof p !== 'string') return noPosition();
  return { p, r: typeof r === 'string' ? r : undefined };
}

export class RowResults<R> extends PagedResults<R> {
  readonly #spec: RowRunSpec<R>;
  readonly #query: string;

  constructor(spec: RowRunSpec<R>) {
    super();
    this.#spec = spec;
    const { table, filter = '', select = [] } = spec.query;
    this.#query = JSON.stringify([table, filter, select, spec.shape]);
  }

  override async *pages({
    size,
    resume,
    signal,
  }: PageOptions = {}): AsyncGenerator<Page<R>, void, undefined> {
    checkPageSize(size);
    let from = await this.#placeOf(resume);
    do {
      const { items, next } = await this.#some({ size, signal, from });
      if (items.length > 0) yield { items, next: await this.#tokenOf(next) };
      from = next;
    } while (from !== undefined);
  }

  override async take(count: number, { signal }: CallOptions = {}): Promise<readonly R[]> {
    checkWhole('count', count, 0);
    const taken: R[] = [];
    let from: Position | undefined;
    while (taken.length < count) {
      const size = Math.min(count - taken.length, PAGE_SIZE_MAX);
      const { items, next } = await this.#some({ size, signal, from });
      taken.push(...items);
      if (next === undefined) break;
      from = next;
    }
    return taken;
  }

  /** The next page that has items; an empty one only at the end. */
  async #some({ size, signal, from }: Omit<FetchOptions, 'concurrency'>): Promise<Decoded<R>> {
    const { source, query, decode, concurrency } = this.#spec;
    for (let position = from; ; ) {
      signal?.throwIfAborted();
      const { rows, next } = await fetchRows(source, query, { size, from: position, signal, concurrency });
      const items = rows.flatMap(row => decode(row) ?? []);
      if (items.length > 0 || next === undefined) return { items, next };
      position = next;
    }
  }

  async #placeOf(token: string | undefined): Promise<Position | undefined> {
    return token === undefined ? undefined : placeIn(await parseToken(token, this.#query, this.#spec.secret));
  }

  async #tokenOf(position: Position | undefined): Promise<string | undefined> {
    return position && formatToken(this.#query, position, this.#spec.secret);
  }
}
