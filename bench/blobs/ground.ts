// What the parts of the measurement share: the servers, interleaved work on them, and its medians.
import { askOnce } from '../load/ask-once.js';
import { type Latency, WrongAnswer } from '../load/job.js';
import type { Endpoint } from '../load/requests.js';
import { median } from '../load/statistics.js';
import type { ArenaOptions } from '../subjects/arena.js';
import type { ServerProcess } from '../subjects/server-process.js';
import { inTurn } from '../subjects/turn.js';
import type { BlobJob, BlobResult } from './blob-load.js';
import type { BlobPart } from './parts.js';
import type { TransferJob, TransferResult } from './transfers.js';

export interface BlobsOptions extends ArenaOptions {
  /** Rows of the table for point gets and inserts, and number of small blobs. */
  readonly rows: number;
  readonly runs: number;
  readonly milliseconds: number;
  readonly withAzurite: boolean;
  readonly parts: readonly BlobPart[];
  /** In the largest container. */
  readonly count: number;
  /** Size of a large blob. */
  readonly megabytes: number;
}

/** A server of blobs, and of tables if it is Shelfmark. */
export interface Subject {
  readonly name: string;
  readonly process: ServerProcess;
  readonly blobs: Endpoint;
  readonly tables?: Endpoint;
  readonly data?: string | undefined;
}

export interface Sample {
  /** Per second, of the counted unit: requests, megabytes, blobs. */
  readonly perSecond: number;
  readonly latency?: Latency;
  /** Milliseconds of the server's processor time for one unit; NaN where there is no server. */
  readonly cost: number;
}

export interface Case {
  readonly name: string;
  run(milliseconds: number): Promise<Sample>;
}

export interface Rate {
  readonly name: string;
  /** Medians of the runs. */
  readonly perSecond: number;
  readonly p50: number | undefined;
  readonly p99: number | undefined;
  readonly cost: number;
  readonly samples: readonly number[];
}

const WARM_UP_MILLISECONDS = 1000;

async function answerOf<T>(name: string, program: string, question: object): Promise<T> {
  const reply = await askOnce(new URL(program, import.meta.url), question);
  const { result, failure } = reply as { readonly result?: T; readonly failure?: unknown };
  if (result === undefined) throw new WrongAnswer(`${name}: ${String(failure)}`);
  return result;
}

export const loadBlobs = (job: BlobJob): Promise<BlobResult> =>
  answerOf(job.work, 'blob-load-process.js', job);

export const transfer = (job: TransferJob): Promise<TransferResult> =>
  answerOf(job.kind, 'transfer-process.js', job);

export const fill = (filling: object): Promise<{ readonly milliseconds: number }> =>
  answerOf('filling', 'fill-process.js', filling);

/** `units` of the result per second, and the server's processor time for each. Other servers are paused. */
export async function sampled<T extends { readonly milliseconds: number; readonly latency?: Latency }>(
  { process, data }: Pick<Subject, 'process' | 'data'>,
  work: () => Promise<T>,
  units: (result: T) => number,
): Promise<Sample> {
  return inTurn({ processes: [process], data }, async () => {
    const before = process.processorMilliseconds();
    const result = await work();
    const cost = (process.processorMilliseconds() - before) / units(result);
    const perSecond = (units(result) * 1000) / result.milliseconds;
    return result.latency === undefined ? { perSecond, cost } : { perSecond, cost, latency: result.latency };
  });
}

const medianOf = (samples: readonly Sample[], of: (latency: Latency) => number): number | undefined => {
  const latencies = samples.flatMap(({ latency }) => latency ?? []);
  return latencies.length === 0 ? undefined : median(latencies.map(of));
};

/** Every case once in each run, after one that is not counted. */
export async function byTurns(
  { runs, milliseconds, say }: Pick<BlobsOptions, 'runs' | 'milliseconds' | 'say'>,
  cases: readonly Case[],
): Promise<readonly Rate[]> {
  const held = cases.map(each => ({ ...each, run: each.run, samples: [] as Sample[] }));
  for (let run = 0; run <= runs; run++) {
    for (const { name, run: work, samples } of held) {
      const sample = await work(run === 0 ? Math.min(WARM_UP_MILLISECONDS, milliseconds) : milliseconds);
      if (run === 0) continue;
      samples.push(sample);
      say(`${name}, run ${run}: ${Math.round(sample.perSecond)} per second`);
    }
  }
  return held.map(({ name, samples }) => ({
    name,
    perSecond: median(samples.map(({ perSecond }) => perSecond)),
    p50: medianOf(samples, ({ p50 }) => p50),
    p99: medianOf(samples, ({ p99 }) => p99),
    cost: median(samples.map(({ cost }) => cost)),
    samples: samples.map(({ perSecond }) => perSecond),
  }));
}
