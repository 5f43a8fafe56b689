// The messages between a worker and its primary, which are processes of one program: neither checks the other's.
import type { AccountKeys, MetricFamily } from '#server';
import type { Ready } from '../ready.js';

/** A worker's answer to a request for its metrics. */
interface WorkerMetrics {
  readonly unreadiness: string | undefined;
  readonly families: readonly MetricFamily[];
}

/** An answer to a request of the primary. */
export type Answer =
  /** It accepts only the accounts of that request. */
  | { readonly kind: 'applied'; readonly request: number }
  | { readonly kind: 'metrics'; readonly request: number; readonly metrics: WorkerMetrics };

/** The result of a worker's start. */
export type Started =
  /** It accepts requests. */
  | { readonly kind: 'ready'; readonly ready: Ready }
  /** It cannot serve, and waits to be ended; `code` is the system's error code, if there is one. */
  | { readonly kind: 'failed'; readonly text: string; readonly code: string | undefined };

export type WorkerMessage =
  /** It receives messages, and needs the accounts before it starts its server. */
  { readonly kind: 'asking' } | Started | Answer;

export type Request =
  | { readonly kind: 'accounts'; readonly request: number; readonly accounts: AccountKeys }
  | { readonly kind: 'metrics'; readonly request: number };

export type PrimaryMessage =
  /** Answer the requests in progress, close the store and end. */
  { readonly kind: 'stop' } | Request;
