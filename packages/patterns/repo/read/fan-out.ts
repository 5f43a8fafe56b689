// Queries many partitions concurrently and gives their results as one: in the order of a scan, in the order of row keys, or as they arrive. merge-*.ts
// combine the results.
import type { CallOptions } from '../../concurrency/abort.js';
import type { RowQuery } from '../../model/filter/plan.js';
import { refuseValue } from '../../values/pattern-error.js';
import type { Merge, MergePart, MergeQuery, RowPosition } from './merge.js';
import { mergeAny } from './merge-any.js';
import { mergeDistinct, mergeRows } from './merge-rows.js';
import { mergeScan } from './merge-scan.js';
import { checkPageSize, checkWhole, type Page, type PageOptions, StreamedResults } from './results.js';
import { formatToken, parseToken } from './resume-token.js';

/**
 * `scan`: by partition key, then by row key, as one query would give them. `rows`: by row key, whatever the partition, which holds a page of each partition
 * in memory. `none`: as they come.
 */
export type FanOutOrder = 'scan' | 'rows' | 'none';

/** How many partitions are asked at once, and in which order their rows come. */
export interface FanOutOptions {
  /** Partitions that are asked at once: 8 by default. */
  readonly concurrency?: number | undefined;
  readonly order?: FanOutOrder | undefined;
}

const CONCURRENCY = 8;
const PAGE_SIZE = 100;

/** `distinct`: by row key, as parts of one partition that is being moved; the first of them wins. */
type MergeOrder = FanOutOrder | 'distinct';

const MERGES: { readonly [O in MergeOrder]: Merge } = {
  scan: mergeScan,
  rows: mergeRows,
  none: mergeAny,
  distinct: mergeDistinct,
};

const byPartition = (a: { partitionKey: string }, b: { partitionKey: string }): number =>
  a.partitionKey < b.partitionKey ? -1 : a.partitionKey > b.partitionKey ? 1 : 0;

/** A query of one partition. */
interface FanOutPart<R> {
  readonly partitionKey: string;
  readonly query: MergeQuery<R> & { readonly rowQuery: RowQuery };
}

export class FanOut<R extends RowPosition> extends StreamedResults<R> {
  readonly #parts: readonly MergePart<R>[];
  readonly #merge: Merge;
  readonly #concurrency: number;
  readonly #query: string;
  readonly #secret: Uint8Array | undefined;

  constructor(
    parts: readonly FanOutPart<R>[],
    {
      concurrency = CONCURRENCY,
      order = 'scan',
    }: Omit<FanOutOptions, 'order'> & { readonly order?: MergeOrder | undefined },
    secret: Uint8Array | undefined,
  ) {
    super();
    checkWhole('concurrency', concurrency);
    if (MERGES[order] === undefined) refuseValue('order', 'scan, rows or none', `it is ${order}`);
    const distinct = [...new Map(parts.map(part => [part.partitionKey, part])).values()];
    const sorted = order === 'distinct' ? distinct : distinct.sort(byPartition);
    this.#parts = sorted;
    this.#merge = MERGES[order];
    this.#concurrency = concurrency;
    this.#secret = secret;
    const queries = sorted.map(({ query: { rowQuery } }) => [
      rowQuery.table,
      rowQuery.filter ?? '',
      rowQuery.select ?? [],
    ]);
    this.#query = JSON.stringify(['fan-out', order, queries]);
  }

  override async *pages({
    size = PAGE_SIZE,
    resume,
    signal,
  }: PageOptions = {}): AsyncGenerator<Page<R>, void, undefined> {
    checkPageSize(size);
    const from = resume === undefined ? undefined : await parseToken(resume, this.#query, this.#secret);
    const merging = this.#merge(this.#parts, { from, size, concurrency: this.#concurrency, signal });
    let items: R[] = [];
    for await (const item of merging.items) {
      items.push(item);
      if (items.length < size) continue;
      yield { items, next: await formatToken(this.#query, merging.position(item), this.#secret) };
      items = [];
    }
    if (items.length > 0) yield { items, next: undefined };
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
