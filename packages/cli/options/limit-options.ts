// The limits of a server as options of the command: names, bounds, and the limits that they set. docs/limits.md
// documents what each one bounds, and where its default comes from.
import type { Command } from 'commander';
import type { ServerLimits } from '#server';
import { wholeIn } from './values.js';

const MEBIBYTE = 1_048_576;

export interface LimitFlags {
  readonly maxConnections?: number;
  readonly maxWaitingWrites?: number;
  readonly maxRequestMegabytes?: number;
  readonly drainSeconds?: number;
}

const LIMITS: readonly (readonly [name: string, text: string, least: number, most: number])[] = [
  ['max-connections', 'open connections per process (default: 10000)', 1, 1_000_000],
  ['max-waiting-writes', 'writes that may wait for the disk, per process (default: 5000)', 1, 1_000_000],
  [
    'max-request-megabytes',
    'memory for requests and responses in flight, per process (default: 256)',
    8,
    1_000_000,
  ],
  ['drain-seconds', 'how long requests in flight may run on after SIGTERM (default: 10)', 0, 3_600],
];

export function addLimitOptions(serving: Command): Command {
  for (const [name, text, least, most] of LIMITS) serving.option(`--${name} <n>`, text, wholeIn(least, most));
  return serving;
}

/** A missing option keeps the server's default. */
export function limitsOf(flags: LimitFlags): ServerLimits {
  const { maxConnections, maxWaitingWrites, maxRequestMegabytes, drainSeconds } = flags;
  return {
    connectionsMax: maxConnections,
    waitingWritesMax: maxWaitingWrites,
    bufferedBytesMax: maxRequestMegabytes === undefined ? undefined : maxRequestMegabytes * MEBIBYTE,
    drainMilliseconds: drainSeconds === undefined ? undefined : drainSeconds * 1_000,
  };
}
