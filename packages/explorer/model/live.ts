// Live figures from two readings of the server's counters: operations a second by service, the time of half and of
// nearly all requests, errors, commits.

/** A family of the server's metrics. */
interface Family {
  readonly name: string;
  readonly samples: readonly { readonly suffix: string; readonly labels: string; readonly value: number }[];
}
export type Figures = readonly Family[];

const LIVE_SERVICES = ['table', 'queue', 'blob'] as const;
type LiveService = (typeof LIVE_SERVICES)[number];

export interface Reading {
  /** Milliseconds of any clock that only rises. */
  readonly at: number;
  readonly requests: Readonly<Record<LiveService, number>>;
  /** Answers of 500 and above; refusals are those of 400 and above. */
  readonly errors: number;
  readonly refusals: number;
  readonly commits: number;
  readonly connections: number;
  /** How many requests took at most so many seconds. */
  readonly buckets: ReadonlyMap<number, number>;
}

export interface Point {
  readonly at: number;
  readonly perSecond: Readonly<Record<LiveService, number>>;
  readonly errors: number;
  readonly refusals: number;
  readonly commits: number;
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
  const requests = { table: 0, queue: 0, blob: 0 };
  const buckets = new Map<number, number>();
  let [errors, refusals, commits, connections] = [0, 0, 0, 0];
  for (const { name, samples } of figures)
    for (const { suffix, labels, value } of samples) {
      if (name === 'shelfmark_requests_total') {
        const status = Number(labelIn(labels, 'status'));
        requests[serviceOf(labelIn(labels, 'operation'))] += value;
        if (status >= 500) errors += value;
        else if (status >= 400) refusals += value;
      } else if (name === 'shelfmark_request_duration_seconds' && suffix === '_bucket') {
        const bound = labelIn(labels, 'le');
        const seconds = bound === '+Inf' ? Number.POSITIVE_INFINITY : Number(bound);
        buckets.set(seconds, (buckets.get(seconds) ?? 0) + value);
      } else if (name === 'shelfmark_connections') connections += value;
      else if (/commits/.test(name) && suffix === '') commits += value;
    }
  return { at, requests, errors, refusals, commits, connections, buckets };
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
  const rate = (then: number, now: number): number => (now - then) / seconds;
  const isNew = LIVE_SERVICES.some(service => after.requests[service] < before.requests[service]);
  if (seconds <= 0 || isNew) return undefined;
  const of = (service: LiveService): number => rate(before.requests[service], after.requests[service]);
  return {
    at: after.at,
    perSecond: { table: of('table'), queue: of('queue'), blob: of('blob') },
    errors: rate(before.errors, after.errors),
    refusals: rate(before.refusals, after.refusals),
    commits: rate(before.commits, after.commits),
    p50: quantile(before, after, 0.5),
    p99: quantile(before, after, 0.99),
  };
}
