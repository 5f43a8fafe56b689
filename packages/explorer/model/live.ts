// Live figures from two readings of the server's counters: operations a second by service, the time of half and of
// nearly all requests, errors, commits.

/** A family of the server's metrics. */
interface Family {
  readonly name: string;
  readonly samples: readonly { readonly suffix: string; readonly labels: string; readonly value: number }[];
}
export type Figures = readonly Family[];

type LiveService = 'table' | 'queue' | 'blob';
/** Operations by service; answers of 400 to 499, and of 500 and above; commits of the engine. */
const COUNTERS = ['table', 'queue', 'blob', 'refusals', 'errors', 'commits'] as const;
type Counts = Readonly<Record<(typeof COUNTERS)[number], number>>;

export interface Reading {
  /** Milliseconds of any clock that only rises. */
  readonly at: number;
  readonly counts: Counts;
  readonly connections: number;
  /** How many requests took at most so many seconds. */
  readonly buckets: ReadonlyMap<number, number>;
}

export interface Point {
  readonly at: number;
  readonly perSecond: Counts;
  /** Milliseconds; undefined without a request. */
  readonly p50: number | undefined;
  readonly p99: number | undefined;
}

const QUEUE = /queue|message/i;
const BLOB =
  /blob|submitBatch|container|block|page|append|snapshot|tier|tags|copy|lease|delegation|incremental|account/i;

/** The service of an operation, by the words in its name. */
export const serviceOf = (operation: string): LiveService =>
  QUEUE.test(operation) ? 'queue' : BLOB.test(operation) ? 'blob' : 'table';

const labelIn = (labels: string, name: string): string =>
  new RegExp(`(?:^|,)${name}="([^"]*)"`).exec(labels)?.[1] ?? '';

export function readingOf(figures: Figures, at: number): Reading {
  const counts = { table: 0, queue: 0, blob: 0, refusals: 0, errors: 0, commits: 0 };
  const buckets = new Map<number, number>();
  let connections = 0;
  for (const { name, samples } of figures)
    for (const { suffix, labels, value } of samples) {
      if (name === 'shelfmark_requests_total') {
        const status = Number(labelIn(labels, 'status'));
        counts[serviceOf(labelIn(labels, 'operation'))] += value;
        if (status >= 400) counts[status >= 500 ? 'errors' : 'refusals'] += value;
      } else if (name === 'shelfmark_request_duration_seconds' && suffix === '_bucket') {
        const bound = labelIn(labels, 'le');
        const seconds = bound === '+Inf' ? Number.POSITIVE_INFINITY : Number(bound);
        buckets.set(seconds, (buckets.get(seconds) ?? 0) + value);
      } else if (name === 'shelfmark_connections') connections += value;
      else if (/commits/.test(name) && suffix === '') counts.commits += value;
    }
  return { at, counts, connections, buckets };
}

/** The time within which a share of the requests was answered, in milliseconds, between the bounds of its bucket. */
function quantile(before: Reading, after: Reading, share: number): number | undefined {
  const bounds = [...after.buckets.keys()].sort((one, other) => one - other);
  const countTo = (bound: number): number =>
    (after.buckets.get(bound) ?? 0) - (before.buckets.get(bound) ?? 0);
  const wanted = countTo(bounds.at(-1) ?? 0) * share;
  if (wanted <= 0) return undefined;
  let [lower, below] = [0, 0];
  for (const bound of bounds) {
    const count = countTo(bound);
    if (count >= wanted) {
      const upper = Number.isFinite(bound) ? bound : lower;
      return 1000 * (lower + ((upper - lower) * (wanted - below)) / Math.max(1, count - below));
    }
    [lower, below] = [bound, count];
  }
  return 1000 * lower;
}

/** What happened between two readings; undefined if the counters began anew. */
export function pointBetween(before: Reading, after: Reading): Point | undefined {
  const seconds = (after.at - before.at) / 1000;
  const rise = (counter: keyof Counts): number => after.counts[counter] - before.counts[counter];
  if (seconds <= 0 || COUNTERS.some(counter => rise(counter) < 0)) return undefined;
  const rates = COUNTERS.map(counter => [counter, rise(counter) / seconds] as const);
  return {
    at: after.at,
    perSecond: Object.fromEntries(rates) as Counts,
    p50: quantile(before, after, 0.5),
    p99: quantile(before, after, 0.99),
  };
}
