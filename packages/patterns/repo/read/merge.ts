// What the merges of several partitions share. A position among the results is a row's keys, so that resuming repeats nothing; with it go the queries of
// what is left.
import { type Condition, keyCondition } from '../../model/filter/condition.js';
import { isObject } from '../../values/is-object.js';
import { PatternError } from '../../values/pattern-error.js';
import type { Page, PageOptions } from './results.js';

export interface RowPosition {
  readonly partitionKey: string;
  readonly rowKey: string;
}

/** A query that can be narrowed to what is behind a position. */
export interface MergeQuery<R> {
  narrowed(further: Condition): MergeQuery<R>;
  pages(options: PageOptions): AsyncGenerator<Page<R>, void, undefined>;
}

export interface MergePart<R> {
  readonly partitionKey: string;
  readonly query: MergeQuery<R>;
}

export interface MergeOptions {
  /** What `position` gave, in JSON. */
  readonly from: unknown;
  readonly size: number | undefined;
  readonly concurrency: number;
  readonly signal: AbortSignal | undefined;
}

export interface Merging<R> {
  readonly items: AsyncGenerator<R, void, undefined>;
  /** The position behind the item that came last. */
  position(last: R): unknown;
}

/** The results of parts that are in the order of their partition keys. Throws TokenMismatch for a position that is none. */
export type Merge = <R extends RowPosition>(
  parts: readonly MergePart<R>[],
  options: MergeOptions,
) => Merging<R>;

/** The part's rows behind the row key, or from it on. */
export const behind = <R>(
  part: MergePart<R>,
  rowKey: string,
  operator: 'gt' | 'ge' = 'gt',
): MergePart<R> => ({
  ...part,
  query: part.query.narrowed(keyCondition('RowKey', { [operator]: rowKey })),
});

export function noPosition(): never {
  throw new PatternError('TokenMismatch', { reason: 'it names no position' });
}

/** The keys in a position. */
export function keysIn(from: unknown): RowPosition {
  const { p, r } = isObject(from) ? from : {};
  return typeof p === 'string' && typeof r === 'string' ? { partitionKey: p, rowKey: r } : noPosition();
}

export const positionOfRow = ({ partitionKey, rowKey }: RowPosition): unknown => ({
  p: partitionKey,
  r: rowKey,
});
