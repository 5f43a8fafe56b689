// What a worker and its primary tell each other. The channel carries any JSON, so both sides look before they believe.
import { type AccountKeys, isMetricFamily, type MetricFamily } from '#server';

/** What a worker tells of itself when it is asked. */
export interface WorkerFigures {
  readonly unreadiness: string | undefined;
  readonly families: readonly MetricFamily[];
}

export type WorkerMessage =
  /** It listens, and wants to know the accounts before it begins. */
  | { readonly kind: 'asking' }
  /** It accepts requests. */
  | { readonly kind: 'ready'; readonly line: string }
  /** It cannot serve, and waits for its end; `code` is the system's, where the system refused. */
  | { readonly kind: 'failed'; readonly text: string; readonly code: string | undefined }
  /** The accounts of that round are the only ones that it knows. */
  | { readonly kind: 'taken'; readonly round: number }
  | { readonly kind: 'figures'; readonly round: number; readonly figures: WorkerFigures };

export type PrimaryMessage =
  /** Answer what is under way, close the store and end. */
  | { readonly kind: 'stop' }
  | { readonly kind: 'accounts'; readonly round: number; readonly accounts: AccountKeys }
  | { readonly kind: 'figures'; readonly round: number };

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

function parseFigures(figures: unknown): WorkerFigures | undefined {
  if (!isObject(figures)) return undefined;
  const { unreadiness, families } = figures;
  if (!Array.isArray(families) || !families.every(isMetricFamily)) return undefined;
  return { unreadiness: typeof unreadiness === 'string' ? unreadiness : undefined, families };
}

/** Undefined for anything else. */
export function parseWorkerMessage(message: unknown): WorkerMessage | undefined {
  if (!isObject(message)) return undefined;
  const { kind, line, text, code, round } = message;
  if (kind === 'asking') return { kind };
  if (kind === 'ready' && typeof line === 'string') return { kind, line };
  if (kind === 'failed' && typeof text === 'string')
    return { kind, text, code: typeof code === 'string' ? code : undefined };
  if (typeof round !== 'number') return undefined;
  if (kind === 'taken') return { kind, round };
  const figures = kind === 'figures' ? parseFigures(message.figures) : undefined;
  return figures && { kind: 'figures', round, figures };
}

const isAccountKeys = (accounts: unknown): accounts is AccountKeys =>
  isObject(accounts) &&
  Object.values(accounts).every(keys => Array.isArray(keys) && keys.every(key => typeof key === 'string'));

/** Undefined for anything else. */
export function parsePrimaryMessage(message: unknown): PrimaryMessage | undefined {
  if (!isObject(message)) return undefined;
  const { kind, round, accounts } = message;
  if (kind === 'stop') return { kind };
  if (typeof round !== 'number') return undefined;
  if (kind === 'figures') return { kind, round };
  return kind === 'accounts' && isAccountKeys(accounts) ? { kind, round, accounts } : undefined;
}
