// Runs a data tool for its command: creates the context, reports progress on stderr, ends with the tool's exit code. A
// tool is a function of the context; an error that it throws is the last event. SIGINT and SIGTERM stop it at a point
// from which --resume continues; a second one ends at once.
//
//   asTool(new Command('dump').option(…), EXAMPLES, (flags, context) => dump(…, context));
import { setFlagsFromString } from 'node:v8';
import type { Command } from 'commander';
import {
  type Address,
  addressFrom,
  checkIsDump,
  containerFiles,
  type Display,
  Endpoint,
  EXIT,
  type ExitName,
  isAddress,
  JsonDisplay,
  RowError,
  type RowSource,
  redacted,
  type Selection,
  systemCodeOf,
  TableRows,
  type ToolContext,
  ToolError,
  type ToolResult,
  toolContext,
  wholeDump,
} from '#data-tools';
import { wholeIn } from '../options/values.js';

/** What several commands have; those that a command lacks are never set. */
interface ToolFlags {
  readonly parallel?: number;
  readonly rate?: number;
  readonly retryFor?: number;
  readonly from?: string;
  readonly to?: string;
  readonly table?: readonly string[];
  readonly all?: boolean;
}

/**
 * How much the heap grows beyond what survived a collection before the next one, in percent. V8's default allows some
 * four times as much, nearly all of it garbage here: what a tool holds is bounded (data-tools/source/table-rows.ts, data-tools/write/writer.ts).
 */
const HEAP_GROWTH_PERCENT = 20;
const PARALLEL_DEFAULT = 8;
const PARALLEL_MAX = 256;
const RETRY_SECONDS_DEFAULT = 300;
const CHECKPOINT_MILLISECONDS = 1000;

/** For options that count something. */
export const parseCount = wholeIn(1, 999_999_999, 'A whole number from 1.');

const withPace = (command: Command): Command =>
  command
    .option(
      '--parallel <n>',
      `concurrent requests (default: ${PARALLEL_DEFAULT})`,
      wholeIn(1, PARALLEL_MAX, `A whole number from 1 to ${PARALLEL_MAX}.`),
    )
    .option('--rate <requests>', 'limit of requests per second and account (default: none)', parseCount)
    .option(
      '--retry-for <seconds>',
      `give up after this long without a success (default: ${RETRY_SECONDS_DEFAULT})`,
      parseCount,
    );

/** The help text of every command with an address. */
export const ADDRESS_HELP = `
SOURCE and TARGET are a connection string (UseDevelopmentStorage=true works), a URL with a SAS, or @FILE with one of
these in it. Without the option, SHELFMARK_FROM and SHELFMARK_TO are read. Other users of the machine can see
arguments in \`ps\`: pass secrets by @FILE or by the environment.`;

/** The address from an option, or from the environment. */
export const addressOf = (flag: '--from' | '--to', value: string | undefined): Address =>
  addressFrom({ flag, value }, process.env);

/** The tables of an account as a source of rows. */
export const tablesOf = (address: Address, { source }: ToolContext, selection?: Selection): TableRows =>
  new TableRows(new Endpoint(address, 'table', source), selection);

/** A source that is an account, or the directory of a dump. */
export async function sourceOf(
  flag: '--from' | '--to',
  value: string | undefined,
  context: ToolContext,
  tool: 'diff' | 'stats',
): Promise<RowSource> {
  const told = value ?? process.env[flag === '--from' ? 'SHELFMARK_FROM' : 'SHELFMARK_TO'] ?? '';
  const container = containerFiles(told, false, context.source);
  const isDirectory = value !== undefined && !isAddress(value);
  if (!isDirectory && container === undefined) return tablesOf(addressOf(flag, value), context);
  if (container === undefined) checkIsDump(told, tool);
  return wholeDump(container ?? told, context.source.signal, tool === 'diff' ? 'different' : 'damaged');
}

/** The reader of a pipe may go away: then a write to stdout fails with EPIPE, which is reported, and one to stderr is ignored. */
function survivesClosedPipes(): void {
  for (const stream of [process.stdout, process.stderr])
    if (stream.listenerCount('error') === 0) stream.on('error', () => {});
}

const writeError = (text: string): void => {
  process.stderr.write(text);
};

async function displayFor(): Promise<Display> {
  if (process.stderr.isTTY) return new (await import('./terminal-display.js')).TerminalDisplay();
  return new JsonDisplay(writeError);
}

/** What the system refuses, by its code; Node's text of it is a sentence. */
const REFUSALS: Readonly<Record<string, ExitName>> = {
  ENOSPC: 'gaveUp',
  EDQUOT: 'gaveUp',
  EIO: 'gaveUp',
  EACCES: 'denied',
  EPERM: 'denied',
  EROFS: 'denied',
  ENOENT: 'notThere',
  ENOTDIR: 'notThere',
};
const DISK_CODES: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EIO']);

/** The failure of a run; of anything unexpected, which is a bug, its stack. */
function failureOf(error: unknown, resumes: boolean): ToolError {
  if (error instanceof ToolError) return error;
  if (!(error instanceof Error)) return new ToolError('gaveUp', String(error));
  if (error instanceof RowError) return new ToolError('damaged', `${error.message}.`, { cause: error });
  const code = systemCodeOf(error) ?? '';
  if (code === 'EPIPE') return new ToolError('gaveUp', 'The reader of the output has closed it.');
  if (code.startsWith('Z_'))
    return new ToolError('damaged', `What is read cannot be unpacked: ${error.message}.`);
  const exit = REFUSALS[code];
  if (exit === undefined) return new ToolError('gaveUp', error.stack ?? error.message);
  const more = resumes && DISK_CODES.has(code) ? ' When there is room, --resume goes on.' : '';
  return new ToolError(exit, `${error.message}.${more}`);
}

/**
 * Runs a tool that contacts no account, and prints its text. Reports an error as the other tools do, and nothing else.
 */
export async function runLocally(work: () => string): Promise<void> {
  survivesClosedPipes();
  try {
    await writeOut(work());
  } catch (error) {
    const { exitCode: code, message } = failureOf(error, false);
    (await displayFor()).tell('error', { code, message });
    process.exitCode = code;
  }
}

/** Runs the tool and sets the exit code of the process. */
async function runTool(flags: ToolFlags, tool: (context: ToolContext) => Promise<ToolResult>): Promise<void> {
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH_PERCENT}`);
  survivesClosedPipes();
  const stop = new AbortController();
  const interrupt = (): void => {
    if (stop.signal.aborted) process.exit(EXIT.interrupted);
    stop.abort(
      new ToolError('interrupted', 'Interrupted. With --resume, a command that has this option continues.'),
    );
  };
  process.on('SIGINT', interrupt).on('SIGTERM', interrupt);
  const { parallel = PARALLEL_DEFAULT, rate, retryFor = RETRY_SECONDS_DEFAULT } = flags;
  const context = toolContext(await displayFor(), {
    write: writeOut,
    parallel,
    rate,
    retryForMilliseconds: 1000 * retryFor,
    checkpointMilliseconds: CHECKPOINT_MILLISECONDS,
    signal: stop.signal,
  });
  const { reporter, source } = context;
  try {
    const { tables, exit = 'done', more } = await tool(context);
    reporter.done({ tables, ...more });
    process.exitCode = EXIT[exit];
  } catch (error) {
    // If the run is stopped, whatever was in progress ends with its own error.
    const failure = failureOf(stop.signal.aborted ? stop.signal.reason : error, true);
    reporter.error(failure.exitCode, failure.message);
    process.exitCode = failure.exitCode;
  } finally {
    // Anything still in progress would keep trying.
    stop.abort(new ToolError('interrupted', 'The run has ended.'));
    source.transport.close();
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
  }
}

/** A tool's own errors of usage are events like any other failure, and end with 2. */
export function withUsageErrors(command: Command): Command {
  return command
    .configureOutput({
      outputError: text => {
        const message = redacted(text.replace(/^error: /, '').trim());
        if (process.stderr.isTTY) process.stderr.write(redacted(text));
        else writeError(`${JSON.stringify({ event: 'error', code: EXIT.usage, message })}\n`);
      },
    })
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : EXIT.usage));
}

type AllFlags<Flags> = Flags & Omit<ToolFlags, keyof Flags>;

/** Gives a command the options that every tool has, its help, and a tool that runs with its flags and its argument. */
export const asTool = <Flags = object>(
  command: Command,
  help: string,
  tool: (flags: AllFlags<Flags>, context: ToolContext, argument: string | undefined) => Promise<ToolResult>,
): Command =>
  withUsageErrors(withPace(command))
    .addHelpText('after', help)
    .action((...given: unknown[]) => {
      const [flags, argument] = given.slice(0, -1).reverse() as [AllFlags<Flags>, string | undefined];
      return runTool(flags, context => tool(flags, context, argument));
    });

/** Writes to stdout and waits until it is accepted. */
const writeOut = (piece: Buffer | string): Promise<void> =>
  new Promise((resolve, reject) => {
    process.stdout.write(piece, error => (error ? reject(error) : resolve()));
  });
