// The context of every tool: how to send requests, where to report progress, and how many readers or writers work at
// once. The command creates it once per run (packages/cli/data-tools).
import { setMaxListeners } from 'node:events';
import { type Display, Reporter } from '../progress/reporter.js';
import type { SourceContext } from '../source/endpoint.js';
import { pacesOf } from '../source/pace.js';
import type { ExitName } from '../source/tool-error.js';
import { Transport } from '../source/transport.js';

export const MODES = ['insert', 'upsert', 'merge', 'skip'] as const;
export type Mode = (typeof MODES)[number];

export interface ToolContext {
  readonly source: SourceContext;
  readonly reporter: Reporter;
  /** Where the result goes; resolves when more is accepted. */
  readonly write: (piece: Buffer | string) => Promise<void>;
  readonly parallel: number;
  /** Between two entries of a journal: the work that is repeated after a kill. */
  readonly checkpointMilliseconds: number;
}

/** How a tool ends. */
export interface ToolResult<More extends object = object> {
  readonly tables: number;
  /** Default: done. */
  readonly exit?: ExitName;
  /** More fields of the event `done`. */
  readonly more?: More;
}

interface ContextOptions extends Pick<ToolContext, 'write' | 'parallel' | 'checkpointMilliseconds'> {
  /** Maximum of requests a second; undefined is unbounded. */
  readonly rate?: number | undefined;
  readonly retryForMilliseconds: number;
  readonly signal: AbortSignal;
}

/** The caller closes its transport. */
export function toolContext(display: Display, options: ContextOptions): ToolContext {
  const { write, parallel, checkpointMilliseconds, rate, retryForMilliseconds, signal } = options;
  const reporter = new Reporter(display);
  // Each request listens.
  setMaxListeners(0, signal);
  const source: SourceContext = {
    transport: new Transport(),
    paceOf: pacesOf({ parallel, rate }),
    retryForMilliseconds,
    signal,
    onRetry: reason => reporter.retry(reason),
  };
  return { source, reporter, write, parallel, checkpointMilliseconds };
}
