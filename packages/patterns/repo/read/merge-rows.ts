// Merges all partitions by row key and then by partition: buffers a page of each, and fetches a partition's next page when the last row of its page is
// taken.

import { linkedController } from '../../concurrency/abort.js';
import { Heap } from '../../concurrency/heap.js';
import { allInOrder } from '../../concurrency/in-order.js';
import {
  behind,
  keysIn,
  type Merge,
  type MergeOptions,
  type MergePart,
  type Merging,
  positionOfRow,
  type RowPosition,
} from './merge.js';
import type { Page } from './results.js';

/** A partition with its page; the row at `at` comes next. */
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
  isDistinct: boolean,
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

/** The rows behind the position; `left` gives the remainder of each part. */
function merging<R extends RowPosition>(
  parts: readonly MergePart<R>[],
  options: MergeOptions,
  left: (part: MergePart<R>, from: RowPosition) => MergePart<R>,
  isDistinct = false,
): Merging<R> {
  const from = options.from === undefined ? undefined : keysIn(options.from);
  const rest = from === undefined ? parts : parts.map(part => left(part, from));
  return { items: itemsOf(rest, options, isDistinct), position: positionOfRow };
}

export const mergeRows: Merge = (parts, options) =>
  // Of rows with this very key, those of partitions up to this one have been given.
  merging(parts, options, (part, { partitionKey, rowKey }) =>
    behind(part, rowKey, part.partitionKey <= partitionKey ? 'gt' : 'ge'),
  );

/** Parts of one partition that is spread over several: a row that is in two of them is given once, as the part that comes first in the list has it. */
export const mergeDistinct: Merge = (parts, options) =>
  merging(parts, options, (part, { rowKey }) => behind(part, rowKey), true);
