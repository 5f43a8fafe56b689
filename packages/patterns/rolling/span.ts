// The rows of a time span over several tables, as one result: tables by their names, in the order of time; rows in the order of time, or as a query gives them; pages with which another process can continue.

import type { CallOptions } from '../concurrency/abort.js';
import type { AnyEntity } from '../model/definition.js';
import { allOf, compare } from '../model/filter/condition.js';
import { EntityQuery } from '../repo/read/query.js';
import {
  noPosition,
  PAGE_SIZE_MAX,
  type Page,
  type PageOptions,
  type Part,
  type Results,
  StreamedResults,
  tokenPages,
} from '../repo/read/results.js';
import { type Instant, isInstant } from '../values/instant.js';
import { isObject } from '../values/is-object.js';
import { refuseValue } from '../values/pattern-error.js';

/** A row among results: of a table, with what the query asked for. */
export interface SpanRow {
  readonly value: object;
  readonly table: string;
  readonly partitionKey: string;
  readonly rowKey: string;
}

/** Tables of a period: of each generation one. */
export interface SpanTables<R extends SpanRow> {
  readonly period: number;
  /** Not all instants of it are in the span. */
  readonly isCut: boolean;
  readonly queries: readonly { readonly table: string; readonly query: () => Results<R> }[];
}

interface SpanSpec<E extends AnyEntity, R extends SpanRow> {
  readonly entity: E;
  readonly time: string;
  readonly from: Instant;
  readonly to: Instant;
  /** In the order of results. */
  readonly tables: (options: CallOptions) => Promise<readonly SpanTables<R>[]>;
  readonly order: SpanOrder;
  readonly newestFirst: boolean;
  /** Rows of one period that are put in order at most. */
  readonly sortMost: number;
  /** What distinguishes the span and its query from others. */
  readonly identity: string;
  readonly secret: Uint8Array | undefined;
}

/** `time`: rows in the order of time, for which those of one period are held in memory. `tables`: periods in the order of time, and within each the order of its query. */
export type SpanOrder = 'time' | 'tables';

const PAGE_SIZE = 100;

/** In a period: `b` is the row that comes before, by its ticks and its key; `t` the table whose own query continues, at `n` if it has begun. */
interface Position {
  readonly p: number;
  readonly b?: readonly [ticks: string, key: string];
  readonly t?: string;
  readonly n?: string;
}

const keyOf = ({ partitionKey, rowKey, table }: SpanRow): string =>
  JSON.stringify([partitionKey, rowKey, table]);

function positionIn(at: unknown): Position | undefined {
  if (at === undefined) return undefined;
  const { p, b, t, n } = isObject(at) ? at : {};
  if (typeof p !== 'number') return noPosition();
  if (Array.isArray(b) && /^\d+$/.test(String(b[0]))) return { p, b: [String(b[0]), String(b[1])] };
  if (typeof t === 'string') return { p, t, ...(typeof n === 'string' && { n }) };
  return { p };
}

interface Timed<R> {
  readonly row: R;
  readonly ticks: bigint;
  readonly key: string;
}

export class SpanResults<E extends AnyEntity, R extends SpanRow> extends StreamedResults<R> {
  readonly #spec: SpanSpec<E, R>;

  constructor(spec: SpanSpec<E, R>) {
    super();
    this.#spec = spec;
  }

  override pages({
    size = PAGE_SIZE,
    resume,
    signal,
  }: PageOptions = {}): AsyncGenerator<Page<R>, void, undefined> {
    const { identity, secret } = this.#spec;
    return tokenPages(identity, secret, { size, resume }, from =>
      this.#parts(positionIn(from), size, signal),
    );
  }

  async *#parts(
    from: Position | undefined,
    size: number,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<Part<R>, void, undefined> {
    const { newestFirst, order } = this.#spec;
    const isBehind = (period: number): boolean =>
      from !== undefined && (newestFirst ? period > from.p : period < from.p);
    const all = (await this.#spec.tables({ signal })).filter(({ period }) => !isBehind(period));
    for (const [at, tables] of all.entries()) {
      const place = tables.period === from?.p ? from : undefined;
      const pieces =
        order === 'time'
          ? this.#sorted(tables, place, size, signal)
          : this.#asTheyCome(tables, place, size, signal);
      const following = all[at + 1];
      for await (const { items, next } of pieces)
        yield { items, next: next ?? (following && { p: following.period }) };
    }
  }

  async *#sorted(
    tables: SpanTables<R>,
    place: Position | undefined,
    size: number,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<Part<R>, void, undefined> {
    const { newestFirst, sortMost } = this.#spec;
    const compareRows = (a: Pick<Timed<R>, 'ticks' | 'key'>, b: Pick<Timed<R>, 'ticks' | 'key'>): number => {
      if (a.ticks !== b.ticks) return a.ticks < b.ticks !== newestFirst ? -1 : 1;
      return a.key < b.key ? -1 : a.key > b.key ? 1 : 0;
    };
    const behind = place?.b && { ticks: BigInt(place.b[0]), key: place.b[1] };
    const found: Timed<R>[] = [];
    for (const { query, table } of tables.queries)
      for await (const row of this.#cut(query(), tables).stream({ size: PAGE_SIZE_MAX, signal })) {
        const timed = { row, ticks: this.#ticksOf(row), key: keyOf(row) };
        if (!this.#has(timed.ticks) || (behind && compareRows(timed, behind) <= 0)) continue;
        if (found.length === sortMost)
          refuseValue(
            'order',
            "'tables'",
            `${table} and its like have more than ${sortMost} rows to put in order at once`,
          );
        found.push(timed);
      }
    found.sort(compareRows);
    for (let at = 0; at < found.length; at += size) {
      const piece = found.slice(at, at + size);
      const last = piece.at(-1);
      const isEnd = at + size >= found.length;
      const next =
        isEnd || last === undefined ? undefined : { p: tables.period, b: [`${last.ticks}`, last.key] };
      yield { items: piece.map(({ row }) => row), next };
    }
  }

  async *#asTheyCome(
    tables: SpanTables<R>,
    place: Position | undefined,
    size: number,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<Part<R>, void, undefined> {
    const { period, isCut, queries } = tables;
    const { t: first = '', n } = place ?? {};
    const left = queries.filter(({ table }) => table >= first);
    for (const [index, { table, query }] of left.entries()) {
      const resume = table === first ? n : undefined;
      for await (const page of this.#cut(query(), tables).pages({ size, resume, signal })) {
        const items = isCut ? page.items.filter(row => this.#has(this.#ticksOf(row))) : page.items;
        const following = left[index + 1];
        const own = page.next === undefined ? undefined : { p: period, t: table, n: page.next };
        yield { items, next: own ?? (following && { p: period, t: following.table }) };
      }
    }
  }

  /** What the service can leave out by itself of a table that is not all in the span; the rest is left out here. */
  #cut(results: Results<R>, { isCut }: SpanTables<R>): Results<R> {
    const { entity, time, from, to } = this.#spec;
    const field = entity.plan.byName.get(time);
    if (!isCut || !(results instanceof EntityQuery) || field === undefined || field.rebuiltFrom !== undefined)
      return results;
    const bound = (operator: 'ge' | 'lt', at: Instant) =>
      compare(field.wire, operator, { type: 'DateTime', value: at });
    // Before 1601 there are no times in a table.
    const bounds = [from, to].map((each, index) =>
      each.isStorable ? [bound(index === 0 ? 'ge' : 'lt', each)] : [],
    );
    const conditions = bounds.flat();
    return conditions.length === 0 ? results : (results.narrowed(allOf(conditions)) as unknown as Results<R>);
  }

  #has(ticks: bigint): boolean {
    return ticks >= this.#spec.from.ticks && ticks < this.#spec.to.ticks;
  }

  #ticksOf({ value }: SpanRow): bigint {
    const { time } = this.#spec;
    const at = (value as Readonly<Record<string, unknown>>)[time];
    if (isInstant(at)) return at.ticks;
    return refuseValue(
      time,
      'among what is selected',
      'a span of time cannot be cut or put in order without it',
    );
  }
}
