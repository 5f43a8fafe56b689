// The job of a load generator and its result.
import type { Part } from './template.js';

/**
 * What must be true of an answer. `empty`: the status, and no body. `entity`: 200 and the row the request falls on.
 * `range`: 200 and the rows of its group. `filter`: a page of 200 with the rows sought. `batch`: 202 and every member
 * done. `bytes`: 200 and this body. `any`: the status.
 */
export type Check =
  | { readonly kind: 'empty' | 'any'; readonly status: number }
  | { readonly kind: 'entity' | 'range' | 'filter' | 'batch' }
  | { readonly kind: 'bytes'; readonly body: string };

export interface RequestKind {
  readonly parts: readonly Part[];
  readonly check: Check;
}

export interface Job {
  readonly port: number;
  readonly connections: number;
  /** Number of rows in the table, which maps sequence numbers to rows. */
  readonly rows: number;
  /** Exactly one kind. */
  readonly requests: readonly RequestKind[];
  /** The first sequence number. */
  readonly first: number;
  /** Ends after this many requests, or after the time. */
  readonly count?: number;
  readonly milliseconds?: number;
}

/** Milliseconds. */
export interface Latency {
  readonly p50: number;
  readonly p99: number;
  readonly p999: number;
  readonly max: number;
}

export interface JobResult {
  readonly completed: number;
  /** Sequence numbers used: `first` to `first + used`, half-open. */
  readonly used: number;
  readonly milliseconds: number;
  readonly latency: Latency;
}

export class WrongAnswer extends Error {
  override readonly name = 'WrongAnswer';
}
