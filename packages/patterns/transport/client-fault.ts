// Parses errors of the official clients of queues and blobs, and maps them to errors of this library. Tables have a sender of their own, whose refusals service-refusal.ts parses.
import { isObject } from '../values/is-object.js';
import { PatternError } from '../values/pattern-error.js';
import { isBusy } from './service-refusal.js';

export interface ClientFault {
  /** Undefined where no answer came. */
  readonly status: number | undefined;
  readonly code: string;
  /** Without the lines that name the request and the time. */
  readonly text: string;
}

export function clientFault(thrown: unknown): ClientFault {
  if (!isObject(thrown)) return { status: undefined, code: '', text: String(thrown) };
  const { statusCode, code, details, message } = thrown;
  const inHeader = isObject(details) ? details.errorCode : undefined;
  const named = typeof code === 'string' ? code : inHeader;
  const [text = ''] = String(message ?? '').split('\n');
  return { status: typeof statusCode === 'number' ? statusCode : undefined, code: String(named ?? ''), text };
}

export function clientError(fault: ClientFault, cause: unknown): PatternError {
  const { status, code, text } = fault;
  if (status === undefined) return new PatternError('Unreachable', { attempts: undefined }, { cause });
  return isBusy({ status, code })
    ? new PatternError('Throttled', { retryAfter: undefined }, { cause })
    : new PatternError('ServiceRefused', { status, code, text }, { cause });
}
