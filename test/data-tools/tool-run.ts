// Runs data tools in this process as the command does: with a context of their own, their output, and their events.
import assert from 'node:assert/strict';
import {
  type CopyOptions,
  type Counts,
  copy,
  type Display,
  type Dump,
  type DumpOptions,
  dump,
  Endpoint,
  type Fields,
  formatLine,
  type LoadOptions,
  load,
  parseAddress,
  type Row,
  TableRows,
  type ToolContext,
  ToolError,
  type ToolEvent,
  toolContext,
  verifyDump,
  verifyFiles,
} from '../../packages/data-tools/index.js';

export interface Told extends Fields {
  readonly event: ToolEvent;
}

interface ToolRun<T> {
  readonly result: T;
  readonly written: string;
  readonly told: readonly Told[];
}

export interface RunOptions {
  readonly parallel?: number;
  readonly retryForMilliseconds?: number;
  readonly checkpointMilliseconds?: number;
}

class Listing implements Display {
  readonly told: Told[] = [];
  progress(_counts: Counts): void {}
  tell(event: ToolEvent, fields: Fields): void {
    this.told.push({ event, ...fields });
  }
  close(): void {}
}

/** Resolves with the tool's result, or rejects with its error. */
export async function runTool<T>(
  tool: (context: ToolContext) => Promise<T>,
  { parallel = 4, retryForMilliseconds = 120_000, checkpointMilliseconds = 5 }: RunOptions = {},
): Promise<ToolRun<T>> {
  const listing = new Listing();
  const stop = new AbortController();
  const times = { checkpointMilliseconds, retryForMilliseconds };
  const pieces: string[] = [];
  const write = async (piece: Buffer | string): Promise<void> => {
    pieces.push(piece.toString());
  };
  const context = toolContext(listing, { write, parallel, ...times, signal: stop.signal });
  try {
    const result = await tool(context);
    return { result, written: pieces.join(''), told: listing.told };
  } finally {
    // Anything still in progress would keep trying.
    stop.abort(new ToolError('interrupted', 'The run has ended.'));
    context.source.transport.close();
  }
}

/** Tables are named in `tables`; by default none. */
const choiceOf = (tables: readonly string[] = []) => ({ all: false, names: tables });

type Tables<T> = Partial<T> & { readonly tables?: readonly string[] };

export const dumpTo = (
  from: string,
  out: string,
  { tables, ...more }: Tables<DumpOptions>,
  run?: RunOptions,
) => {
  const options = { source: parseAddress(from), choice: choiceOf(tables), out, ...more };
  return runTool(context => dump(options, context), run);
};

export const loadInto = (to: string, input: string, more: Tables<LoadOptions> = {}, run?: RunOptions) => {
  const options = { target: parseAddress(to), input, names: more.tables ?? [], ...more };
  return runTool(context => load(options, context, process.stdin), run);
};

export const copyTo = (from: string, to: string, { tables, ...more }: Tables<CopyOptions>) => {
  const [source, target] = [parseAddress(from), parseAddress(to)];
  const options = { source, target, choice: choiceOf(tables), ...more };
  return runTool(context => copy(options, context));
};

export const verified = (directory: string) => runTool(context => verifyDump({ directory }, context));

/** A finished dump. */
export async function dumpIn(directory: string): Promise<Dump> {
  const { dump, findings } = await verifyFiles(directory);
  return dump ?? assert.fail(JSON.stringify(findings));
}

/** A file of lines. */
export const linesOf = (rows: readonly Row[]): string => rows.map(row => `${formatLine(row)}\n`).join('');

/** All rows of a table. */
export async function rowsOf(connectionString: string, table: string): Promise<readonly Row[]> {
  const { result } = await runTool(async ({ source }) => {
    const rows: Row[] = [];
    const tables = new TableRows(new Endpoint(parseAddress(connectionString), 'table', source));
    for await (const page of tables.pages(table)) rows.push(...page);
    return rows;
  });
  return result;
}

/** The exit code with which a tool ends: that of its error, or 0. */
export async function exitOf(run: Promise<unknown>): Promise<number> {
  try {
    await run;
    return 0;
  } catch (error) {
    if (error instanceof ToolError) return error.exitCode;
    throw error;
  }
}
