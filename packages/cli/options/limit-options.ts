// The limits of a server as options of the command: names, bounds, and the limits that they set. docs/limits.md
// documents what each one bounds, and where its default comes from.
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { ServerLimits } from '#server';

const MEBIBYTE = 1_048_576;

/** Parses an option's text as a whole number within bounds. */
function parseCount(least: number, most: number): (text: string) => number {
  return text => {
    const count = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (!(count >= least && count <= most))
      throw new InvalidArgumentError(`A number from ${least} to ${most}.`);
    return count;
  };
}

export interface LimitFlags {
  readonly maxConnections?: number;
  readonly maxWaitingWrites?: number;
  readonly maxRequestMegabytes?: number;
  readonly drainSeconds?: number;
}

export function addLimitOptions(serving: Command): Command {
  return serving
    .addOption(
      new Option('--max-connections <n>', 'open connections per process (default: 10000)').argParser(
        parseCount(1, 1_000_000),
      ),
    )
    .addOption(
      new Option(
        '--max-waiting-writes <n>',
        'writes that may wait for the disk, per process (default: 5000)',
      ).argParser(parseCount(1, 1_000_000)),
    )
    .addOption(
      new Option(
        '--max-request-megabytes <n>',
        'memory for requests and responses in flight, per process (default: 256)',
      ).argParser(parseCount(8, 1_000_000)),
    )
    .addOption(
      new Option(
        '--drain-seconds <n>',
        'how long requests in flight may run on after SIGTERM (default: 10)',
      ).argParser(parseCount(0, 3_600)),
    );
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
