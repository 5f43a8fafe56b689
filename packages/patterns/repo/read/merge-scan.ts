// Concatenates partitions in their order, and prefetches the first pages of the next ones.
import { inOrder } from '../../concurrency/in-order.js';
import {
  behind,
  keysIn,
  type MergeOptions,
  type MergePart,
  type Merging,
  positionOfRow,
  type RowPosition,
} from './merge.js';

async function* itemsOf<R>(
  parts: readonly MergePart<R>[],
  { size, concurrency, signal }: MergeOptions,
): AsyncGenerator<R, void, undefined> {
  const begun = inOrder(parts, { concurrency, signal }, async ({ query }, each) => {
    const pages = query.pages({ size, signal: each });
    return { pages, first: await pages.next() };
  });
  for await (const { pages, first } of begun) {
    if (first.done) continue;
    yield* first.value.items;
    for await (const { items } of pages) yield* items;
  }
}

export function mergeScan<R extends RowPosition>(
  parts: readonly MergePart<R>[],
  options: MergeOptions,
): Merging<R> {
  if (options.from === undefined) return { items: itemsOf(parts, options), position: positionOfRow };
  const { partitionKey, rowKey } = keysIn(options.from);
  const left = parts
    .filter(part => part.partitionKey >= partitionKey)
    .map(part => (part.partitionKey === partitionKey ? behind(part, rowKey) : part));
  return { items: itemsOf(left, options), position: positionOfRow };
}
