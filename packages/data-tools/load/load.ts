// `load`: writes a dump, or one table of a file, to an account over the wire. The whole input is checked before the
// first write; a journal next to it allows a killed load to be resumed.
import { createHash } from 'node:crypto';
import { contentArguments } from '../contents/account-contents.js';
import type { ContentInput } from '../contents/move-container.js';
import { targetsOf, tellContents } from '../contents/write-contents.js';
import { containerFiles } from '../dump/container-files.js';
import type { Row } from '../line/row.js';
import type { Mode, ToolContext, ToolResult } from '../run/context.js';
import { withJournal } from '../run/journal.js';
import type { Address } from '../source/address.js';
import { Endpoint } from '../source/endpoint.js';
import { chooseTables } from '../source/table-names.js';
import { ToolError } from '../source/tool-error.js';
import { type InputTable, type LoadInput, openDump, openInput } from './input.js';
import { type Transfer, type TransferEntry, transfer } from './transfer.js';

export interface LoadOptions {
  readonly target: Address;
  /** A directory, a file or `-`. */
  readonly input: string;
  /** NAME or NAME=NEW; for a directory all by default. */
  readonly names: readonly string[];
  /** Default: insert. */
  readonly mode?: Mode | undefined;
  readonly resume?: boolean | undefined;
  readonly journal?: string | undefined;
  readonly dryRun?: boolean | undefined;
  /** Also queues and containers of the input. */
  readonly queues?: boolean | undefined;
  readonly blobs?: boolean | undefined;
}

interface LoadedTable {
  readonly input: InputTable;
  readonly to: string;
}

async function chosen(
  input: LoadInput,
  names: readonly string[],
  path: string,
): Promise<readonly LoadedTable[]> {
  const source = { name: path, tables: () => Promise.resolve(input.tables.map(({ name }) => name)) };
  if (input.isFile) {
    const [table] = input.tables;
    const [chosenName, ...more] = names.length === 0 ? [] : await chooseTables({ all: false, names }, source);
    if (table === undefined || chosenName === undefined || more.length > 0)
      throw new ToolError('usage', 'A file holds one table, and does not say which: name it with --table.');
    return [{ input: { ...table, name: chosenName.from }, to: chosenName.to }];
  }
  const tables = await chooseTables({ all: names.length === 0, names }, source);
  return tables.map(({ from, to }) => {
    const table = input.tables.find(({ name }) => name.toLowerCase() === from.toLowerCase());
    if (table === undefined) throw new ToolError('notThere', `Table ${from} is not in ${path}.`);
    return { input: table, to: to === from ? table.name : to };
  });
}

/** In the working directory: a dump in a container has no directory for it. */
const JOURNAL_OF_CONTAINER = 'shelfmark-load.journal';

/** Loads; the exit code is `conflict` if rows were left alone or refused. @throws ToolError */
export async function load(
  options: LoadOptions,
  context: ToolContext,
  stdin: AsyncIterable<Buffer>,
): Promise<ToolResult> {
  if (options.resume && options.input === '-' && options.journal === undefined)
    throw new ToolError('usage', '--resume of standard input needs --journal, and the same input again.');
  const { signal } = context.source;
  const container = containerFiles(options.input, true, context.source);
  if (container === undefined) {
    const open = () => openInput(options.input, stdin, signal);
    return loadFrom('load', open, options, context);
  }
  const journal = options.journal ?? JOURNAL_OF_CONTAINER;
  const named = { ...options, input: container.name, journal };
  return loadFrom('load', () => openDump(container, signal), named, context);
}

async function opened(openIt: () => LoadInput | Promise<LoadInput>): Promise<LoadInput> {
  try {
    return await openIt();
  } catch (error) {
    if (!(error instanceof ToolError && error.exit === 'damaged')) throw error;
    throw new ToolError('damaged', `${error.message} Nothing was written.`, { cause: error });
  }
}

/** The same from an input of another kind, which is opened after the options were validated. */
export async function loadFrom(
  tool: string,
  openIt: () => LoadInput | Promise<LoadInput>,
  options: LoadOptions,
  context: ToolContext,
): Promise<ToolResult> {
  const input = await opened(openIt);
  try {
    const tables = await chosen(input, options.names, options.input);
    const contents = chosenContents(input, options, context);
    const chosenInput = { options, context, input, tables, contents };
    return await (options.dryRun ? dryRun(chosenInput) : loadAll(tool, chosenInput));
  } finally {
    input.close?.();
  }
}

/**
 * The selected queues and containers; reports what the run leaves out. @throws ToolError usage, if the input cannot have
 * any.
 */
function chosenContents(
  { contents = {} }: LoadInput,
  { queues, blobs }: LoadOptions,
  { reporter }: ToolContext,
): ContentInput {
  for (const [what, flag, isWanted, found] of [
    ['Queues', '--queues', queues, contents.queues],
    ['Containers', '--blobs', blobs, contents.containers],
  ] as const) {
    if (isWanted && found === undefined)
      throw new ToolError('usage', `${flag}: the input has none, since it was made without ${flag}.`);
    const names = found?.map(({ name }) => name).join(', ');
    if (!isWanted && names)
      reporter.tell('note', { message: `${what} are left out without ${flag}: ${names}.` });
  }
  return {
    queues: queues ? contents.queues : undefined,
    containers: blobs ? contents.containers : undefined,
  };
}

interface Load {
  readonly options: LoadOptions;
  readonly context: ToolContext;
  readonly input: LoadInput;
  readonly tables: readonly LoadedTable[];
  readonly contents: ContentInput;
}

async function dryRun({ tables, contents, context }: Load): Promise<ToolResult> {
  for (const { input, to } of tables) {
    await context.write(`${JSON.stringify({ table: input.name || to, to, rows: input.rows })}\n`);
    context.reporter.rows(input.rows);
  }
  await tellContents(contents, context);
  return { tables: tables.length, exit: 'done', more: { conflicts: 0, refused: 0 } };
}

const journalPath = ({ input, journal }: LoadOptions): string | undefined =>
  journal ?? (input === '-' ? undefined : `${input.replace(/\/+$/, '')}.load.journal`);

async function loadAll(tool: string, load: Load): Promise<ToolResult> {
  const { options, context, input, tables, contents } = load;
  const { mode = 'insert' } = options;
  const byName = new Map(tables.map(table => [table.input.name, table.input]));
  const run: Transfer = {
    context,
    mode,
    tables: {
      names: tables.map(({ input, to }) => ({ from: input.name, to })),
      // A file may have rows in any order.
      pages: (name, _, done) => without(done, byName.get(name)?.pages()),
      readers: 1,
      hasDistinctKeys: !input.isFile,
      policiesOf: async name => byName.get(name)?.policies ?? null,
    },
    target: tables.length > 0 ? new Endpoint(options.target, 'table', context.source) : undefined,
    contents: async () => contents,
    // Detects an address without the service before the first write.
    targets: targetsOf(contents, options.target, context),
  };
  const path = journalPath(options);
  if (path === undefined) return transfer(run, undefined);
  const names = tables.map(({ input, to }) => `${input.name}=${to}`);
  const journal = {
    path,
    what: path,
    tool,
    resume: options.resume ?? false,
    arguments: {
      '--to': options.target.name,
      '--table': names,
      '--mode': mode,
      ...contentArguments(options),
      'the dump': createHash('sha256').update(input.identity).digest('hex'),
    },
  };
  return withJournal<TransferEntry, ToolResult>(journal, opened => transfer(run, opened));
}

/** Leaves out this many rows. */
async function* without(
  count: number,
  pages: AsyncIterable<readonly Row[]> | undefined,
): AsyncGenerator<readonly Row[], void> {
  let left = count;
  for await (const page of pages ?? []) {
    if (left < page.length) yield left > 0 ? page.slice(left) : page;
    left = Math.max(0, left - page.length);
  }
}
