// Sends queries of many partitions concurrently and gives their results as one: in the order of a scan, in the order of row keys, or as they arrive. merge.ts
// combines the results.
import type { CallOptions } from '../../concurrency/abort.js';
import type { Plan } from '../../model/filter/plan.js';
import { refuseValue } from '../../values/pattern-error.js';
import { type Merge, mergeAny, mergeRows, mergeScan, type RowPosition } from './merge.js';
import { EntityQuery, type PartQuery } from './query.js';
import {
  checkPageSize,
  checkWhole,
  type Page,
  type PageOptions,
  type Results,
  StreamedResults,
  tokenPages,
} from './results.js';

/**
 * `scan`: by partition key, then by row key, as one query would give them. `rows`: by row key, whatever the partition, which holds a page of each partition
 * in memory. `none`: as they come.
 */
export type FanOutOrder = 'scan' | 'rows' | 'none';

/** How many partitions are asked at once, and in which order their rows come. */
interface FanOutOptions {
  /** Partitions that are asked at once: 8 by default. */
  readonly concurrency?: number | undefined;
  readonly order?: FanOutOrder | undefined;
}

const CONCURRENCY = 8;
const PAGE_SIZE = 100;

const MERGES: { readonly [O in FanOutOrder]: Merge } = { scan: mergeScan, rows: mergeRows, none: mergeAny };

/** A query of one partition. */
interface FanOutPart<R> {
  readonly partitionKey: string;
  readonly query: PartQuery<R>;
}

/** What makes two queries the same, whatever their pages. */
const askedBy = ({ rowQuery: { table, filter = '', select = [] } }: PartQuery<unknown>) => [
  table,
  filter,
  select,
];

export class MergedResults<R extends RowPosition> extends StreamedResults<R> {
  readonly #parts: readonly FanOutPart<R>[];
  readonly #merge: Merge;
  readonly #concurrency: number;
  readonly #query: string;

  /** `order` is the name of the merge in tokens. */
  constructor(parts: readonly FanOutPart<R>[], order: string, merge: Merge, concurrency = CONCURRENCY) {
    super();
    this.#parts = parts;
    this.#merge = merge;
    this.#concurrency = checkWhole('concurrency', concurrency);
    this.#query = JSON.stringify(['fan-out', order, parts.map(({ query }) => askedBy(query))]);
  }

  override pages({
    size = PAGE_SIZE,
    resume,
    signal,
  }: PageOptions = {}): AsyncGenerator<Page<R>, void, undefined> {
    const secret = this.#parts[0]?.query.settings.tokenSecret;
    return tokenPages(this.#query, secret, { size, resume }, from => this.#filled(from, size, signal));
  }

  /** Parts of this size. */
  async *#filled(from: unknown, size: number, signal: AbortSignal | undefined) {
    const merging = this.#merge(this.#parts, { from, size, concurrency: this.#concurrency, signal });
    let items: R[] = [];
    for await (const item of merging.items) {
      items.push(item);
      if (items.length < size) continue;
      yield { items, next: merging.position(item) };
      items = [];
    }
    yield { items, next: undefined };
  }

  override async *stream({
    size,
    signal,
  }: CallOptions & { readonly size?: number | undefined } = {}): AsyncGenerator<R, void, undefined> {
    checkPageSize(size);
    const concurrency = this.#concurrency;
    yield* this.#merge(this.#parts, { from: undefined, size, concurrency, signal }).items;
  }
}

/** What is asked of one partition; several queries, while the number of its buckets is being changed. */
const queriesOf = <R>(query: unknown): readonly PartQuery<R>[] =>
  query instanceof EntityQuery ? query.parts : refuseQuery();

const refuseQuery = (): never =>
  refuseValue('queries', 'queries of one partition each', 'one is something else');

/** The partition that a query is of; undefined if nothing can match it. */
function partitionOf({ rowQuery }: PartQuery<unknown>): string | undefined {
  const [first, ...others] = rowQuery.classification.bounds.map(
    ({ partition: { eq } }) => eq ?? refuseQuery(),
  );
  return others.every(each => each === first) ? first : refuseQuery();
}

const byPartition = (a: { partitionKey: string }, b: { partitionKey: string }): number =>
  a.partitionKey < b.partitionKey ? -1 : 1;

/** The results of queries of one partition each, which are sent at once: `fanOut(stations.map(station => readings.partition({ station })))`. */
export function fanOut<R extends RowPosition>(
  queries: Iterable<Results<R> & { explain(): Plan }>,
  { concurrency, order = 'scan' }: FanOutOptions = {},
): Results<R> {
  const parts = new Map<string, FanOutPart<R>>();
  for (const query of [...queries].flatMap(each => queriesOf<R>(each))) {
    const partitionKey = partitionOf(query);
    if (partitionKey === undefined) continue;
    const earlier = parts.get(partitionKey);
    if (earlier !== undefined && JSON.stringify(askedBy(earlier.query)) !== JSON.stringify(askedBy(query)))
      refuseValue('queries', 'one query of each partition', `there are two of ${partitionKey}`);
    parts.set(partitionKey, { partitionKey, query });
  }
  const merge = MERGES[order] ?? refuseValue('order', 'scan, rows or none', `it is ${order}`);
  return new MergedResults([...parts.values()].sort(byPartition), order, merge, concurrency);
}
