// What all queries of one table share: the settings by which they are sent, the plan, admission, and how rows are fetched: one page of the service, or the next of the rows that the query names.

import type { CallOptions } from '../../concurrency/abort.js';
import { allInOrder } from '../../concurrency/in-order.js';
import { type Bag, decodeBag } from '../../model/bag.js';
import type { AnyEntity } from '../../model/definition.js';
import type { DriftPolicy } from '../../model/drift.js';
import {
  type Admission,
  admit,
  isByPoints,
  type Plan,
  type PointQuery,
  planOf,
  pointFilter,
  pointQuery,
  type RowQuery,
} from '../../model/filter/plan.js';
import { type PageStart, type RowSource, rowPages } from '../../transport/row-source.js';
import { isObject } from '../../values/is-object.js';
import type { AnyPatternError } from '../../values/pattern-error.js';
import type { WireObject } from '../../values/read-wire.js';
import {
  checkWhole,
  noPosition,
  PAGE_SIZE_MAX,
  type Page,
  PagedResults,
  type PageOptions,
  type Part,
  tokenPages,
} from './results.js';

/** A row as it is, and why its entity cannot read it. */
export type UnreadableRow = Bag & { readonly fault: AnyPatternError };

/**
 * What a query does with a row whose keys, types or upcasts its entity cannot read, or that a newer program wrote in a form that this one cannot read. `throw` ends the query
 * with table and keys in the error; `skip` leaves the row out and continues; a function receives the row, and the query continues without it unless it throws.
 */
export type UnreadablePolicy = 'throw' | 'skip' | ((row: UnreadableRow) => void);

/** Does with the row what the policy says. */
export function handleUnreadable(
  policy: UnreadablePolicy,
  { tag }: AnyEntity,
  row: WireObject,
  table: string,
  fault: AnyPatternError,
): void {
  if (policy === 'throw') throw fault;
  if (policy !== 'skip') policy({ ...decodeBag(row, { table, tag }), fault });
}

/** What a program says of all its queries. */
export interface QueryOptions extends Admission {
  /** Seals tokens, for those that leave the program. */
  readonly tokenSecret?: Uint8Array | undefined;
  /** Point reads at once: 16 by default. */
  readonly concurrency?: number | undefined;
  /** What becomes of rows that their entity cannot read; `throw` by default. */
  readonly onUnreadable?: UnreadablePolicy | undefined;
}

/** Where a query reads, and by which options. */
export interface QuerySettings extends QueryOptions {
  readonly source: RowSource;
  /** Where the rows stand, if not in the entity's table. */
  readonly table?: string | undefined;
  readonly onDrift?: DriftPolicy | undefined;
}

export const POINT_CONCURRENCY = 16;

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

async function fetchRows(source: RowSource, query: RowQuery, options: FetchOptions): Promise<RowPage> {
  if (query.classification.class === 'none') return { rows: [], next: undefined };
  if (isByPoints(query.classification.class)) return fetchPoints(source, query, options);
  const { table, filter, select } = query;
  const { size: top, from, signal } = options;
  const page = await source.queryPage({ table, filter, select, top, next: startOf(from), signal });
  const { next } = page;
  return { rows: page.rows, next: next && { p: next.partitionKey, r: next.rowKey } };
}

/** Throws TokenMismatch for what is no position. */
function positionIn(value: unknown): Position | undefined {
  if (value === undefined) return undefined;
  const { n, p, r } = isObject(value) ? value : {};
  if (Number.isSafeInteger(n) && Number(n) >= 0) return { n: Number(n) };
  if (typeof p !== 'string') return noPosition();
  return { p, r: typeof r === 'string' ? r : undefined };
}

/** A query of one table. It asks for its pages, follows continuations to the end, over empty pages too, and decodes rows. */
export abstract class TableQuery<R> extends PagedResults<R> {
  readonly settings: QuerySettings;
  /** Why it may read many partitions. */
  protected readonly reason: string | undefined;

  constructor(settings: QuerySettings, reason: string | undefined) {
    super();
    this.settings = settings;
    this.reason = reason;
  }

  abstract get rowQuery(): RowQuery;

  /** What makes results differ in addition to the query: entities and their versions. */
  protected abstract readonly shape: string;

  /** Undefined for a row that is none of the results. Throws what should end the query. */
  protected abstract decode(row: WireObject): R | undefined;

  explain(): Plan {
    return planOf(this.rowQuery);
  }

  override pages({ size, resume, signal }: PageOptions = {}): AsyncGenerator<Page<R>, void, undefined> {
    const { table, filter = '', select = [] } = this.rowQuery;
    const subject = JSON.stringify([table, filter, select, this.shape]);
    return tokenPages(subject, this.settings.tokenSecret, { size, resume }, from =>
      this.#parts(positionIn(from), size, signal),
    );
  }

  override async take(count: number, { signal }: CallOptions = {}): Promise<readonly R[]> {
    admit(this.rowQuery, this.settings, this.reason);
    checkWhole('count', count, 0);
    const taken: R[] = [];
    let from: Position | undefined;
    while (taken.length < count) {
      const size = Math.min(count - taken.length, PAGE_SIZE_MAX);
      const { items, next } = await this.#fetch({ size, signal, from });
      taken.push(...items);
      if (next === undefined) break;
      from = next;
    }
    return taken;
  }

  /** Some are empty: the service ends its pages as it likes. */
  async *#parts(
    start: Position | undefined,
    size: number | undefined,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<Part<R, Position>, void, undefined> {
    admit(this.rowQuery, this.settings, this.reason);
    let from = start;
    do {
      const part = await this.#fetch({ size, signal, from });
      yield part;
      from = part.next;
    } while (from !== undefined);
  }

  async #fetch({ size, signal, from }: Omit<FetchOptions, 'concurrency'>): Promise<Part<R, Position>> {
    signal?.throwIfAborted();
    const { source, concurrency = POINT_CONCURRENCY } = this.settings;
    const { rows, next } = await fetchRows(source, this.rowQuery, { size, from, signal, concurrency });
    return { items: rows.flatMap(row => this.decode(row) ?? []), next };
  }
}
