// Merges the results of several partitions: in the order of a scan, in that of row keys, or as they arrive. A position among them is a row's keys, or those of every open partition, so that resuming repeats
// nothing: what is left of a partition is its query, narrowed to what is behind the position.
import { linkedController } from '../../concurrency/abort.js';
import { Heap } from '../../concurrency/heap.js';
import { allInOrder, inOrder } from '../../concurrency/in-order.js';
import { type Condition, keyCondition } from '../../model/filter/condition.js';
import { isObject } from '../../values/is-object.js';
import { noPosition, type Page, type Results } from './results.js';

export interface RowPosition {
  readonly partitionKey: string;
  readonly rowKey: string;
}

/** A query that can be narrowed to what is behind a position. */
export interface MergeQuery<R> extends Pick<Results<R>, 'pages' | 'stream'> {
  /** `isReported`: `warn` has been called for the whole of it. */
  narrowed(further: Condition, isReported?: boolean): MergeQuery<R>;
}

interface MergePart<R> {
  readonly partitionKey: string;
  readonly query: MergeQuery<R>;
}

interface MergeOptions {
  /** What `position` gave, in JSON. */
  readonly from: unknown;
  readonly size: number | undefined;
  readonly concurrency: number;
  readonly signal: AbortSignal | undefined;
}

interface Merging<R> {
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
const behind = <R>(part: MergePart<R>, rowKey: string, operator: 'gt' | 'ge' = 'gt'): MergePart<R> => ({
  ...part,
  query: part.query.narrowed(keyCondition('RowKey', { [operator]: rowKey })),
});

/** The keys in a position; undefined at the beginning. */
function keysIn(from: unknown): RowPosition | undefined {
  if (from === undefined) return undefined;
  const { p, r } = isObject(from) ? from : {};
  return typeof p === 'string' && typeof r === 'string' ? { partitionKey: p, rowKey: r } : noPosition();
}

const positionOfRow = ({ partitionKey, rowKey }: RowPosition): unknown => ({ p: partitionKey, r: rowKey });

/** Concatenates partitions. The first pages of the next ones are fetched while one is consumed. */
async function* concatenated<R>(
  parts: readonly MergePart<R>[],
  { size, concurrency, signal }: MergeOptions,
): AsyncGenerator<R, void, undefined> {
  // The signal of a step does not reach rows that are read after it.
  const linked = linkedController(signal);
  try {
    const begun = inOrder(parts, { concurrency, signal: linked.signal }, async ({ query }) => {
      const rows = query.stream({ size, signal: linked.signal });
      return { rows, first: await rows.next() };
    });
    for await (const { rows, first } of begun) {
      if (first.done) continue;
      yield first.value;
      yield* rows;
    }
  } finally {
    linked.abort();
    linked.release();
  }
}

export const mergeScan: Merge = (parts, options) => {
  const from = keysIn(options.from);
  const left =
    from === undefined
      ? parts
      : parts
          .filter(({ partitionKey }) => partitionKey >= from.partitionKey)
          .map(part => (part.partitionKey === from.partitionKey ? behind(part, from.rowKey) : part));
  return { items: concatenated(left, options), position: positionOfRow };
};

/** The next row of a partition. */
interface Head<R> {
  /** Of rows with one key, the one of the least rank comes first. */
  readonly rank: number;
  readonly rows: AsyncGenerator<R, void, undefined>;
  readonly item: R;
}

async function nextHead<R>(rank: number, rows: Head<R>['rows']): Promise<Head<R> | undefined> {
  const { value: item, done } = await rows.next();
  return done ? undefined : { rank, rows, item };
}

const isBefore = <R extends RowPosition>(a: Head<R>, b: Head<R>): boolean =>
  a.item.rowKey < b.item.rowKey || (a.item.rowKey === b.item.rowKey && a.rank < b.rank);

/** By row key and then by partition: a page of each is in memory, and its next one is fetched when the last row of the page was taken. */
async function* sorted<R extends RowPosition>(
  parts: readonly MergePart<R>[],
  { size, concurrency, signal }: MergeOptions,
): AsyncGenerator<R, void, undefined> {
  const linked = linkedController(signal);
  try {
    const begun = await allInOrder(
      parts.entries(),
      { concurrency, signal: linked.signal },
      ([rank, { query }]) => nextHead(rank, query.stream({ size, signal: linked.signal })),
    );
    const heads = new Heap<Head<R>>(isBefore);
    for (const head of begun) if (head !== undefined) heads.push(head);
    for (let head = heads.pop(); head; head = heads.pop()) {
      yield head.item;
      const next = await nextHead(head.rank, head.rows);
      if (next !== undefined) heads.push(next);
    }
  } finally {
    linked.abort();
    linked.release();
  }
}

export const mergeRows: Merge = (parts, options) => {
  const from = keysIn(options.from);
  // Of rows with this very key, those of partitions up to this one have been given.
  const left =
    from === undefined
      ? parts
      : parts.map(part => behind(part, from.rowKey, part.partitionKey <= from.partitionKey ? 'gt' : 'ge'));
  return { items: sorted(left, options), position: positionOfRow };
};

/** Rows may move from the other parts to the first while they are read, and none may be missed: each stretch of the others is read before the same stretch of the first. */
async function* movable<R extends RowPosition>(
  [current, ...others]: readonly MergePart<R>[],
  { size, concurrency, signal }: MergeOptions,
): AsyncGenerator<R, void, undefined> {
  if (current === undefined) return;
  const linked = linkedController(signal);
  const sources = others.map(({ query }) => {
    const rows: R[] = [];
    return { pages: query.pages({ size, signal: linked.signal }), rows, isOpen: true };
  });
  try {
    let from: string | undefined;
    do {
      const spent = sources.filter(({ rows, isOpen }) => isOpen && rows.length === 0);
      await allInOrder(spent, { concurrency, signal: linked.signal }, async source => {
        const { value } = await source.pages.next();
        source.rows.push(...(value?.items ?? []));
        source.isOpen = value?.next !== undefined;
      });
      const ends = sources.flatMap(({ rows, isOpen }) => (isOpen ? (rows.at(-1)?.rowKey ?? []) : []));
      const [until] = ends.sort();
      const isInStretch = ({ rowKey }: R): boolean => until === undefined || rowKey <= until;
      const found = sources.map(({ rows }) => rows.splice(0, rows.filter(isInStretch).length));
      // Of rows with one key, that of the first part counts.
      const there = new Map(found.reverse().flatMap(rows => rows.map(row => [row.rowKey, row] as const)));
      const waiting = [...there.values()].sort((a, b) => (a.rowKey < b.rowKey ? -1 : 1));
      const bounds = { ...(from !== undefined && { gt: from }), ...(until !== undefined && { le: until }) };
      const here = current.query.narrowed(keyCondition('RowKey', bounds), from !== undefined);
      for await (const item of here.stream({ size, signal: linked.signal })) {
        while (waiting[0] && waiting[0].rowKey < item.rowKey) yield waiting.shift() as R;
        // What was moved in between counts where it is now.
        if (waiting[0]?.rowKey === item.rowKey) waiting.shift();
        yield item;
      }
      yield* waiting;
      from = until;
    } while (from !== undefined);
  } finally {
    linked.abort();
    linked.release();
  }
}

/** Parts of one partition that is spread over several, that of the current number of buckets first: a row that is in two of them is given once, as the first has it. */
export const mergeMovable: Merge = (parts, options) => {
  const from = keysIn(options.from);
  const left = from === undefined ? parts : parts.map(part => behind(part, from.rowKey));
  return { items: movable(left, options), position: positionOfRow };
};

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

/** A limited number at a time. While the rows of a page are consumed, the partition's next page is fetched. */
async function* arriving<R extends RowPosition>(
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
  if (from === undefined) return { until: undefined, open: new Map() };
  const { u, o } = isObject(from) ? from : {};
  if (typeof u !== 'string' || !Array.isArray(o) || !o.every(isEntry)) return noPosition();
  return { until: u, open: new Map(o.map(([key, row]) => [key, row ?? undefined])) };
}

export const mergeAny: Merge = (parts, options) => {
  const progress = progressIn(options.from);
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
  return { items: arriving(left, progress, options), position };
};
