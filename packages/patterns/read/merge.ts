// What the ways to put the results of several partitions together have in common. A place among the results is a row's keys, so that going on from it
// repeats nothing; with it go the queries of what is left.
import type { Condition } from '../filter/condition.js';
import { keyCondition } from '../filter/where.js';
import { PatternError } from '../values/pattern-error.js';
import type { Page, PageOptions } from './run.js';

export interface RowPlace {
  readonly partitionKey: string;
  readonly rowKey: string;
}

/** A query that can be narrowed to what is behind a place. */
export interface MergeQuery<R> {
  narrowed(further: Condition): MergeQuery<R>;
  pages(options: PageOptions): AsyncGenerator<Page<R>, void, undefined>;
}

export interface MergePart<R> {
  readonly partitionKey: string;
  readonly query: MergeQuery<R>;
}

export interface MergeOptions {
  /** What `place` gave, in JSON. */
  readonly from: unknown;
  readonly size: number | undefined;
  readonly concurrency: number;
  readonly signal: AbortSignal | undefined;
}

export interface Merging<R> {
  readonly items: AsyncGenerator<R, void, undefined>;
  /** The place behind the item that came last. */
  place(last: R): unknown;
}

/** The results of parts that are in the order of their partition keys. Throws TokenMismatch for a place that is none. */
export type Merge = <R extends RowPlace>(parts: readonly MergePart<R>[], options: MergeOptions) => Merging<R>;

/** The part's rows behind the row key, or from it on. */
export const behind = <R>(
  part: MergePart<R>,
  rowKey: string,
  operator: 'gt' | 'ge' = 'gt',
): MergePart<R> => ({
  ...part,
  query: part.query.narrowed(keyCondition('RowKey', { [operator]: rowKey })),
});

export function noPlace(): never {
  throw new PatternError('TokenMismatch', { reason: 'it names no place' });
}

/** The keys in a place. */
export function keysIn(from: unknown): RowPlace {
  if (typeof from === 'object' && from !== null && 'p' in from && 'r' in from)
    if (typeof from.p === 'string' && typeof from.r === 'string')
      return { partitionKey: from.p, rowKey: from.r };
  return noPlace();
}

export const placeOfRow = ({ partitionKey, rowKey }: RowPlace): unknown => ({ p: partitionKey, r: rowKey });
