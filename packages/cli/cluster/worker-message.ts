// The messages between a worker and its primary. The channel carries any JSON, so both sides validate what they receive.
import type { AccountKeys, MetricFamily } from '#server';
import { isMetricFamily } from '#server/parts';
import { parseReady, type Ready } from '../ready.js';

/** A worker's answer to a request for its metrics. */
export interface WorkerMetrics {
  readonly unreadiness: string | undefined;
  readonly families: readonly MetricFamily[];
}

export type WorkerMessage =
  /** It receives messages, and needs the accounts before it starts its server. */
  | { readonly kind: 'asking' }
  /** It accepts requests. */
  | { readonly kind: 'ready'; readonly ready: Ready }
  /** It cannot serve, and waits to be ended; `code` is the system's error code, if there is one. */
  | { readonly kind: 'failed'; readonly text: string; readonly code: string | undefined }
  /** It accepts only the accounts of that request. */
  | { readonly kind: 'applied'; readonly request: number }
  | { readonly kind: 'metrics'; readonly request: number; readonly metrics: WorkerMetrics };

export type PrimaryMessage =
  /** Answer the requests in progress, close the store and end. */
  | { readonly kind: 'stop' }
  | { readonly kind: 'accounts'; readonly request: number; readonly accounts: AccountKeys }
  | { readonly kind: 'metrics'; readonly request: number };

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

function parseMetrics(metrics: unknown): WorkerMetrics | undefined {
  if (!isObject(metrics)) return undefined;
  const { unreadiness, families } = metrics;
  if (!Array.isArray(families) || !families.every(isMetricFamily)) return undefined;
  return { unreadiness: typeof unreadiness === 'string' ? unreadiness : undefined, families };
}

/** Undefined for anything else. */
export function parseWorkerMessage(message: unknown): WorkerMessage | undefined {
  if (!isObject(message)) return undefined;
  const { kind, text, code, request } = message;
  if (kind === 'asking') return { kind };
  const ready = kind === 'ready' ? parseReady(message.ready) : undefined;
  if (ready !== undefined) return { kind: 'ready', ready };
  if (kind === 'failed' && typeof text === 'string')
    return { kind, text, code: typeof code === 'string' ? code : undefined };
  if (typeof request !== 'number') return undefined;
  if (kind === 'applied') return { kind, request };
  const metrics = kind === 'metrics' ? parseMetrics(message.metrics) : undefined;
  return metrics && { kind: 'metrics', request, metrics };
}

const isAccountKeys = (accounts: unknown): accounts is AccountKeys =>
  isObject(accounts) &&
  Object.values(accounts).every(keys => Array.isArray(keys) && keys.every(key => typeof key === 'string'));

/** Undefined for anything else. */
export function parsePrimaryMessage(message: unknown): PrimaryMessage | undefined {
  if (!isObject(message)) return undefined;
  const { kind, request, accounts } = message;
  if (kind === 'stop') return { kind };
  if (typeof request !== 'number') return undefined;
  if (kind === 'metrics') return { kind, request };
  return kind === 'accounts' && isAccountKeys(accounts) ? { kind, request, accounts } : undefined;
}
