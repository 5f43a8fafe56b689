// The job of a load generator and its result: plain values that processes exchange.
import type { Part } from './template.js';

/**
 * What must be true of an answer. `empty`: the status, and no body. `entity`: 200 and the row the request falls on.
 * `range`: 200 and the rows of its group. `filter`: pages of 200 that together contain the rows sought. `batch`: 202
 * and every member done. `bytes`: 200 and this body. `deleted` and `deletedBatch`: gone now, even if it was not there,
 * which is counted.
 */
export type Check =
  | { readonly kind: 'empty'; readonly status: number }
  | { readonly kind: 'entity' }
  | { readonly kind: 'range' }
  | { readonly kind: 'filter' }
  | { readonly kind: 'batch' }
  | { readonly kind: 'bytes'; readonly body: string }
  | { readonly kind: 'deleted' }
  | { readonly kind: 'deletedBatch' };

export interface RequestKind {
  readonly parts: readonly Part[];
  readonly check: Check;
  /** Statuses are always checked, bodies once in this many answers. */
  readonly checkEvery: number;
}

export interface Job {
  readonly port: number;
  readonly connections: number;
  /** Number of rows in the table, which maps sequence numbers to rows. */
  readonly rows: number;
  /** Sent in turn, by sequence number. */
  readonly requests: readonly RequestKind[];
  /** The first sequence number. */
  readonly first: number;
  /** Ends after this many requests, or after the time, whichever comes first. */
  readonly count?: number;
  readonly milliseconds?: number;
  /** Requests are due at this rate whatever the server does, and their latency counts from when they were due. */
  readonly perSecond?: number;
}

/** Milliseconds. */
export interface Latency {
  readonly p50: number;
  readonly p99: number;
  readonly p999: number;
  readonly max: number;
}

/** The times of requests, in the order of their answers. */
export interface Moments {
  /** When it was due, on the machine's clock. */
  readonly due: Float64Array;
  /** Milliseconds from then to its answer. */
  readonly latency: Float64Array;
}

export interface JobResult {
  /** Requests answered; a query of several pages is one. */
  readonly completed: number;
  /** Sequence numbers used: `first` to `first + used`, half-open. */
  readonly used: number;
  readonly milliseconds: number;
  readonly latency: Latency;
  /** By the kind of check; absent if the generator does not distinguish them. */
  readonly latencyOf?: Readonly<Partial<Record<Check['kind'], Latency>>> | undefined;
  /** For every request of an open loop, by the built-in generator, divided as in `latencyOf`. */
  readonly momentsOf?: Readonly<Partial<Record<Check['kind'], Moments>>> | undefined;
  /** Deletes of missing rows. */
  readonly absent: number;
  /** The first wrong answer. A run that has one counts for nothing. */
  readonly complaint?: string | undefined;
}

function decodeNumber(value: unknown): number {
  if (typeof value !== 'number' || !Number.isFinite(value)) {
    throw new Error(`A generator told ${String(value)} for a number.`);
  }
  return value;
}

function decodeLatency(value: unknown): Latency {
  const { p50, p99, p999, max } = value as Record<keyof Latency, unknown>;
  return { p50: decodeNumber(p50), p99: decodeNumber(p99), p999: decodeNumber(p999), max: decodeNumber(max) };
}

function decodeMoments(value: unknown): Moments {
  const { due, latency } = value as Record<keyof Moments, unknown>;
  if (!(due instanceof Float64Array && latency instanceof Float64Array && due.length === latency.length)) {
    throw new Error('A generator told no moments.');
  }
  return { due, latency };
}

/** The results by kind of request; undefined if there are none. */
function decodeEach<T>(told: unknown, decode: (value: unknown) => T): Record<string, T> | undefined {
  if (typeof told !== 'object' || told === null) return undefined;
  return Object.fromEntries(Object.entries(told).map(([kind, value]) => [kind, decode(value)]));
}

/** @throws Error if it is not the result of a generator. */
export function decodeJobResult(value: unknown): JobResult {
  if (typeof value !== 'object' || value === null) throw new Error('A generator told nothing.');
  const told = value as Record<keyof JobResult, unknown>;
  const { completed, used, milliseconds, latency, latencyOf, momentsOf, absent, complaint } = told;
  return {
    completed: decodeNumber(completed),
    used: decodeNumber(used),
    milliseconds: decodeNumber(milliseconds),
    latency: decodeLatency(latency),
    latencyOf: decodeEach(latencyOf, decodeLatency),
    momentsOf: decodeEach(momentsOf, decodeMoments),
    absent: decodeNumber(absent),
    complaint: complaint === undefined ? undefined : String(complaint),
  };
}

/**
 * The reply of a process of the benchmark: a result, nothing if it was not asked to measure, or the reason of its failure.
 *
 * @throws Error with the process's reason.
 */
export function decodeReply(message: unknown): JobResult | undefined {
  const { result, failure } = message as { readonly result?: unknown; readonly failure?: unknown };
  if (failure !== undefined) throw new Error(String(failure));
  return result === undefined ? undefined : decodeJobResult(result);
}

export class WrongAnswer extends Error {
  override readonly name = 'WrongAnswer';
}
