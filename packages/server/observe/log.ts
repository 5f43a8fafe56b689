// The server's log: one line a request at most, as JSON on standard error. No secret, no entity's content and no query goes
// into it: entries are made without them, and each text is checked once more before it is written.
import { pino } from 'pino';
import type { WireRequest } from '#base';

export const REPEATED_MILLISECONDS = 1000;

/** Suppresses repeated lines: a full disk fails each write for the same reason, and its log is often on the same disk. */
export class Repetition {
  readonly #milliseconds: () => number;
  #text: string | undefined;
  #since = 0;
  #count = 0;

  constructor(milliseconds: () => number = () => performance.now()) {
    this.#milliseconds = milliseconds;
  }

  /** Undefined if the text was logged less than a second ago; else how often it was suppressed since. */
  next(text: string): number | undefined {
    const now = this.#milliseconds();
    if (text === this.#text && now - this.#since < REPEATED_MILLISECONDS) {
      this.#count += 1;
      return undefined;
    }
    const keptBack = this.#count;
    this.#text = text;
    this.#since = now;
    this.#count = 0;
    return keptBack;
  }
}

/** A character of base64, and its end, as they are or escaped in a URL, once or more often. */
const LETTER = '(?:[A-Za-z0-9+/_-]|%(?:25)*2[BF])';
const EQUALS = '(?:=|%(?:25)*3D)';

const SECRETS: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  // Parameters of URLs, also where a URL was escaped as a whole, and members of connection strings.
  [new RegExp(`(sig${EQUALS})[^&;\\s"'\\\\]+`, 'gi'), '$1…'],
  [/((?:Account|SharedAccess)(?:Key|Signature)=)[^;\s"'\\]+/gi, '$1…'],
  // Headers.
  [/(SharedKey(?:Lite)?(?:\s|\+|%20)+)[^\s"'\\]+/gi, '$1…'],
  [/((?:Bearer|Basic)(?:\s|\+|%20)+)[\w~+/.=%-]{12,}/gi, '$1…'],
  // A JSON Web Token, whole or cut off.
  [/\beyJ[\w-]{8,}(?:\.[\w-]*)*/g, '…'],
  // Signatures are 32 bytes, keys of accounts 64.
  [new RegExp(`(?<![A-Za-z0-9+])(?:${LETTER}{86}${EQUALS}{2}|${LETTER}{43}${EQUALS})`, 'gi'), '…'],
];

/**
 * Removes what looks like a secret, wherever it came from: a signature in a malformed path, a key in the wrong place, the text of an error. The
 * texts are not expected to hold any; this is the last check before they are written. It prefers to remove too much.
 */
export function withoutSecrets(text: string): string {
  let left = text;
  for (const [pattern, replacement] of SECRETS) left = left.replace(pattern, replacement);
  return left;
}

export const LOG_LEVELS = ['silent', 'error', 'warn', 'info', 'debug'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export interface RequestEntry {
  /** `table`, `queue`. */
  readonly service: string;
  readonly requestId: string;
  /** The client's own, if it sent one. */
  readonly clientRequestId?: string | undefined;
  readonly method: string;
  /** Without the query, which may hold a signature. */
  readonly path: string;
  readonly status: number;
  /** The error code that was answered. */
  readonly code?: string | undefined;
  /** Why the caller was refused, for the operator; not sent to the caller. */
  readonly reason?: string | undefined;
  /** From the complete request to its answer. */
  readonly milliseconds?: number | undefined;
}

interface AnsweredRequest {
  readonly request: WireRequest;
  readonly requestId: string;
  readonly clientRequestId: string | undefined;
  /** In milliseconds, of a clock that does not jump. */
  readonly began: number;
}

/** Made only for requests that are logged. */
export function requestEntry(
  service: string,
  { request, requestId, clientRequestId, began }: AnsweredRequest,
  status: number,
  refused?: { readonly code: string; readonly reason?: string | number | undefined },
): RequestEntry {
  return {
    service,
    requestId,
    clientRequestId,
    method: request.method,
    path: request.target.split('?', 1)[0] ?? '',
    status,
    code: refused?.code,
    reason: refused?.reason === undefined ? undefined : String(refused.reason),
    milliseconds: Math.round((performance.now() - began) * 1000) / 1000,
  };
}

export interface Log {
  /** Whether answers other than refusals are logged at all; if not, callers need not describe them. */
  readonly seesAnswers: boolean;
  /** Failed authentication is logged as a warning, other refusals as information; other answers at debug level only. */
  request(entry: RequestEntry): void;
  /** A server or engine error; a repeated one is written once a second. */
  failure(entry: RequestEntry, error: unknown): void;
}

const silentLog: Log = { seesAnswers: false, request: () => undefined, failure: () => undefined };

/** Of the members that an error may have only those whose content is known, and what was its cause. */
function describeError(error: unknown): object {
  if (!(error instanceof Error)) return { message: withoutSecrets(String(error)) };
  return {
    type: error.name,
    message: withoutSecrets(error.message),
    code: 'code' in error ? String(error.code) : undefined,
    stack: withoutSecrets(error.stack ?? ''),
    cause: error.cause === undefined ? undefined : describeError(error.cause),
  };
}

const cleaned = (text: string | undefined): string | undefined =>
  text === undefined ? undefined : withoutSecrets(text);

const clean = (entry: RequestEntry): RequestEntry => ({
  ...entry,
  clientRequestId: cleaned(entry.clientRequestId),
  path: withoutSecrets(entry.path),
  reason: cleaned(entry.reason),
});

const levelOf = ({ status, code }: RequestEntry): 'warn' | 'info' | 'debug' => {
  if (status === 401 || status === 403) return 'warn';
  return code === undefined ? 'debug' : 'info';
};

/** Writes to standard error, so that standard output holds the ready line alone. */
export function openLog(level: LogLevel): Log {
  if (level === 'silent') return silentLog;
  const logger = pino({ level, base: { pid: process.pid } }, pino.destination({ dest: 2, sync: true }));
  const repetition = new Repetition();
  return {
    seesAnswers: level === 'debug',
    request: entry => {
      const at = levelOf(entry);
      if (!logger.isLevelEnabled(at)) return;
      logger[at](clean(entry), entry.code === undefined ? 'answered' : 'refused');
    },
    failure: (entry, error) => {
      const unwritten = repetition.next(error instanceof Error ? error.message : String(error));
      if (unwritten === undefined) return;
      const described = { ...clean(entry), err: describeError(error) };
      logger.error(unwritten > 0 ? { ...described, unwritten } : described, 'failed');
    },
  };
}
