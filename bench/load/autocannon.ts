// Fires requests by autocannon, the load generator that is installed with the project: steps that each connection repeats in turn, of
// which each may depend on the answer to the one before.
import { createRequire } from 'node:module';
import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';
import type { Request } from './request.js';

/** What the steps of a connection share; empty before the first. */
export interface Context {
  since?: number;
  /** The path of a message that was got. */
  message?: string;
}

export interface Step {
  /** Undefined: there is nothing to do; the connection begins again. Not allowed for the first step. */
  readonly request: (context: Context) => Request | undefined;
  /** @throws if the answer is wrong. */
  readonly check?: (status: number, body: string, context: Context) => void;
}

interface FireOptions {
  readonly port: number;
  readonly connections: number;
  /** Ends after the time, or after this many requests. */
  readonly seconds?: number;
  readonly amount?: number;
  /** Ignores answers that the server is busy, which fail a run otherwise. */
  readonly isPatient?: boolean;
}

export interface Latency {
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
}

export interface Fired {
  /** Answers of success by step. */
  readonly completed: readonly number[];
  /** By step. */
  readonly latencies: readonly Latency[];
  readonly milliseconds: number;
}

/** The part of autocannon that is used; it has no types. */
interface Result {
  readonly non2xx: number;
  readonly errors: number;
  readonly statusCodeStats: Readonly<Record<string, { readonly count: number }>>;
  readonly start: Date;
  readonly finish: Date;
}
const autocannon = createRequire(import.meta.url)('autocannon') as (options: object) => Promise<Result>;

/** How often it looks whether its time is up. */
const LOOK_MILLISECONDS = 50;
const TIMEOUT_SECONDS = 60;
const BUSY = 503;
const NANOSECONDS = 1e6;

const latencyOf = (histogram: RecordableHistogram): Latency => ({
  p50: histogram.percentile(50) / NANOSECONDS,
  p99: histogram.percentile(99) / NANOSECONDS,
});

export async function fire(steps: readonly Step[], options: FireOptions): Promise<Fired> {
  const { port, connections, seconds, amount, isPatient = false } = options;
  const histograms = steps.map(() => createHistogram());
  let failure: unknown;
  const requests = steps.map(({ request, check }, at) => ({
    setupRequest: (shot: object, context: Context) => {
      const made = request(context);
      context.since = performance.now();
      return made && Object.assign(shot, made);
    },
    onResponse: (status: number, body: string, context: Context) => {
      if (isPatient && status === BUSY) return;
      histograms[at]?.record(Math.ceil((performance.now() - (context.since ?? 0)) * NANOSECONDS));
      try {
        check?.(status, body, context);
      } catch (error) {
        failure ??= error;
      }
    },
  }));
  const { non2xx, errors, statusCodeStats, start, finish } = await autocannon({
    url: `http://127.0.0.1:${port}`,
    connections: Math.min(connections, amount ?? connections),
    ...(amount === undefined ? { duration: seconds } : { amount }),
    ...{ sampleInt: LOOK_MILLISECONDS, timeout: TIMEOUT_SECONDS, requests },
  });
  if (failure !== undefined) throw failure;
  const busy = isPatient ? (statusCodeStats[BUSY]?.count ?? 0) : 0;
  if (errors + non2xx > busy)
    throw new Error(`${non2xx} answers of failures, ${errors} errors of connections`);
  return {
    completed: histograms.map(({ count }) => count),
    latencies: histograms.map(latencyOf),
    milliseconds: finish.getTime() - start.getTime(),
  };
}
