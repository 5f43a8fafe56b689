// The server's log: one line a request at most, as JSON on standard error. No secret, no entity and no query goes into it.
import { pino } from 'pino';
import { Repetition } from './repetition.js';

export type LogLevel = 'silent' | 'error' | 'warn' | 'info' | 'debug';

export interface RequestEntry {
  readonly requestId: string;
  readonly method: string;
  /** Without the query, which may hold a signature. */
  readonly path: string;
  readonly status: number;
  /** The error code that was answered. */
  readonly code?: string | undefined;
  /** Why the caller was refused, for who runs the server; not told to the caller. */
  readonly reason?: string | undefined;
}

export interface Log {
  /** Whether answers that are no refusals are written at all; if not, nobody need describe them. */
  readonly seesAnswers: boolean;
  /** Refusals of who is not let in are warnings; other answers are seen at debug level only. */
  request(entry: RequestEntry): void;
  /** A fault of ours or of the engine; one that comes again and again is written once a second. */
  failure(entry: RequestEntry, error: unknown): void;
}

export const silentLog: Log = { seesAnswers: false, request: () => undefined, failure: () => undefined };

/** Writes to standard error, so that standard output holds the ready line alone. */
export function openLog(level: LogLevel): Log {
  if (level === 'silent') return silentLog;
  const logger = pino({ level, base: { service: 'table' } }, pino.destination({ dest: 2, sync: true }));
  const repetition = new Repetition();
  return {
    seesAnswers: level === 'debug',
    request: entry =>
      entry.status === 401 || entry.status === 403
        ? logger.warn(entry, 'refused')
        : logger.debug(entry, 'answered'),
    failure: (entry, error) => {
      const unwritten = repetition.next(error instanceof Error ? error.message : String(error));
      if (unwritten === undefined) return;
      logger.error({ ...entry, err: error, ...(unwritten > 0 && { unwritten }) }, 'failed');
    },
  };
}
