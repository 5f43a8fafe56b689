// Merges all partitions by row key and then by partition: buffers a page of each, and fetches a partition's next page when the last row of its page is
// taken.

import { linkedController } from '../flow/abort.js';
import { Heap } from '../flow/heap.js';
import { allInOrder } from '../flow/in-order.js';
import {
  behind,
  keysIn,
  type MergeOptions,
  type MergePart,
  type Merging,
  positionOfRow,
  type RowPosition,
} from './merge.js';
import type { Page } from './results.js';

/** A partition with its page, of which the row at `at` comes next. */
interface Head<R> {
  /** Of rows with one key, the one of the least rank comes first. */
  readonly rank: number;
  readonly pages: AsyncGenerator<Page<R>, void, undefined>;
  readonly items: readonly R[];
  readonly at: number;
  readonly item: R;
}

async function nextPage<R>(rank: number, pages: Head<R>['pages']): Promise<Head<R> | undefined> {
  const { value, done } = await pages.next();
  const item = done ? undefined : value.items[0];
  return done || item === undefined ? undefined : { rank, pages, items: value.items, at: 0, item };
}

async function advance<R>({ rank, pages, items, at }: Head<R>): Promise<Head<R> | undefined> {
  const item = items[at + 1];
  return item === undefined ? nextPage(rank, pages) : { rank, pages, items, at: at + 1, item };
}

const isBefore = <R extends RowPosition>(a: Head<R>, b: Head<R>): boolean =>
  a.item.rowKey < b.item.rowKey || (a.item.rowKey === b.item.rowKey && a.rank < b.rank);

async function* itemsOf<R extends RowPosition>(
  parts: readonly MergePart<R>[],
  { size, concurrency, signal }: MergeOptions,
  isDistinct = false,
): AsyncGenerator<R, void, undefined> {
  const linked = linkedController(signal);
  try {
    const begun = await allInOrder(
      parts.entries(),
      { concurrency, signal: linked.signal },
      ([rank, { query }]) => nextPage(rank, query.pages({ size, signal: linked.signal })),
    );
    const heads = new Heap<Head<R>>(isBefore);
    for (const head of begun) if (head !== undefined) heads.push(head);
    let last: string | undefined;
    for (let head = heads.pop(); head; head = heads.pop()) {
      if (!isDistinct || head.item.rowKey !== last) yield head.item;
      last = head.item.rowKey;
      const next = await advance(head);
      if (next !== undefined) heads.push(next);
    }
  } finally {
    linked.abort();
    linked.release();
  }
}

export function mergeRows<R extends RowPosition>(
  parts: readonly MergePart<R>[],
  options: MergeOptions,
): Merging<R> {
  if (options.from === undefined) return { items: itemsOf(parts, options), position: positionOfRow };
  const { partitionKey, rowKey } = keysIn(options.from);
  // Of rows with this very key, those of partitions up to this one have been given.
  const left = parts.map(part => behind(part, rowKey, part.partitionKey <= partitionKey ? 'gt' : 'ge'));
  return { items: itemsOf(left, options), position: positionOfRow };
}

/** Parts of one partition that is spread over several: a row that is in two of them is given once, as the part that comes first in the list has it. */
export function mergeDistinct<R extends RowPosition>(
  parts: readonly MergePart<R>[],
  options: MergeOptions,
): Merging<R> {
  if (options.from === undefined) return { items: itemsOf(parts, options, true), position: positionOfRow };
  const { rowKey } = keysIn(options.from);
  const left = parts.map(part => behind(part, rowKey));
  return { items: itemsOf(left, options, true), position: positionOfRow };
}
