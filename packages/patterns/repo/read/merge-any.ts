// Merges partitions in the order of arrival, a limited number at a time. While the rows of a page are consumed, the partition's next page is fetched.
import { linkedController } from '../../concurrency/abort.js';
import { isObject } from '../../values/is-object.js';
import {
  behind,
  type MergeOptions,
  type MergePart,
  type Merging,
  noPosition,
  type RowPosition,
} from './merge.js';
import type { Page } from './results.js';

/** How far it got: partitions up to the one called `until` were begun, and these of them are not done, each with its last row that was given. */
interface Progress {
  until: string | undefined;
  readonly open: Map<string, string | undefined>;
}

interface Arrival<R> {
  readonly part: MergePart<R>;
  readonly pages: AsyncGenerator<Page<R>, void, undefined>;
  readonly result: IteratorResult<Page<R>, void>;
}

async function* itemsOf<R extends RowPosition>(
  parts: readonly MergePart<R>[],
  progress: Progress,
  { size, concurrency, signal }: MergeOptions,
): AsyncGenerator<R, void, undefined> {
  const linked = linkedController(signal);
  const coming = new Map<string, Promise<Arrival<R>>>();
  const fetch = (part: MergePart<R>, pages: Arrival<R>['pages']): void => {
    const arrival = pages.next().then(result => ({ part, pages, result }));
    // It is awaited among the others, and may fail before that.
    arrival.catch(() => undefined);
    coming.set(part.partitionKey, arrival);
  };
  const waiting = [...parts].reverse();
  const fill = (): void => {
    while (coming.size < concurrency) {
      const part = waiting.pop();
      if (part === undefined) return;
      const { partitionKey } = part;
      if (progress.until === undefined || partitionKey > progress.until) progress.until = partitionKey;
      if (!progress.open.has(partitionKey)) progress.open.set(partitionKey, undefined);
      fetch(part, part.query.pages({ size, signal: linked.signal }));
    }
  };
  try {
    for (fill(); coming.size > 0; fill()) {
      const { part, pages, result } = await Promise.race(coming.values());
      coming.delete(part.partitionKey);
      if (result.done) {
        progress.open.delete(part.partitionKey);
        continue;
      }
      fetch(part, pages);
      for (const item of result.value.items) {
        progress.open.set(part.partitionKey, item.rowKey);
        yield item;
      }
    }
  } finally {
    linked.abort();
    linked.release();
  }
}

const isEntry = (value: unknown): value is [string, string | null] =>
  Array.isArray(value) && typeof value[0] === 'string' && (value[1] === null || typeof value[1] === 'string');

function progressIn(from: unknown): Progress {
  const { u, o } = isObject(from) ? from : {};
  if (typeof u !== 'string' || !Array.isArray(o) || !o.every(isEntry)) return noPosition();
  return { until: u, open: new Map(o.map(([key, row]) => [key, row ?? undefined])) };
}

export function mergeAny<R extends RowPosition>(
  parts: readonly MergePart<R>[],
  options: MergeOptions,
): Merging<R> {
  const progress: Progress =
    options.from === undefined ? { until: undefined, open: new Map() } : progressIn(options.from);
  const { until, open } = progress;
  const left = parts.flatMap(part => {
    if (until === undefined || part.partitionKey > until) return [part];
    if (!open.has(part.partitionKey)) return [];
    const last = open.get(part.partitionKey);
    return [last === undefined ? part : behind(part, last)];
  });
  const position = (): unknown => ({
    u: progress.until,
    o: [...progress.open].map(([key, row]) => [key, row ?? null]),
  });
  return { items: itemsOf(left, progress, options), position };
}
