// `load`: writes a dump, or one table of a file, to an account over the wire. The whole input is checked before the
// first write; a journal next to it allows a killed load to be resumed.
import { createHash } from 'node:crypto';
import type { ContentEntry } from '../contents/content-journal.js';
import type { ContentInput } from '../contents/input.js';
import { countsTold, endpointsOf, writeContents } from '../contents/write-contents.js';
import { containerFiles } from '../dump/container-files.js';
import { contentArguments } from '../dump/dump-contents.js';
import type { ToolContext } from '../run/context.js';
import { Journal } from '../run/journal.js';
import { takeLock } from '../run/lock.js';
import type { Address } from '../source/address.js';
import { ByteBudget, WRITE_BYTES_MAX } from '../source/byte-budget.js';
import { Endpoint } from '../source/endpoint.js';
import { chooseTables } from '../source/table-names.js';
import { type ExitName, ToolError } from '../source/tool-error.js';
import type { ChangeKind } from '../write/change.js';
import { TargetTable } from '../write/target-table.js';
import { type Told, Writer } from '../write/writer.js';
import { type InputTable, type LoadInput, openDump, openInput } from './input.js';

const MODES = ['insert', 'upsert', 'merge', 'skip'] as const;
export type Mode = (typeof MODES)[number];

export interface LoadOptions {
  readonly target: Address;
  /** A directory, a file or `-`. */
  readonly input: string;
  /** NAME or NAME=NEW; for a directory all by default. */
  readonly names: readonly string[];
  readonly mode?: string | undefined;
  readonly resume?: boolean | undefined;
  readonly journal?: string | undefined;
  readonly dryRun?: boolean | undefined;
  /** Also queues and containers of the input. */
  readonly queues?: boolean | undefined;
  readonly blobs?: boolean | undefined;
}

export interface Written {
  readonly tables: number;
  readonly exit: ExitName;
  readonly more: object;
}

/** Progress of a table: all rows before this one are done or reported. */
interface LoadEntry {
  readonly table: string;
  readonly rows: number;
  readonly conflicts: number;
  readonly refused: number;
  readonly isDone?: boolean;
}

export const KINDS: Readonly<Record<Mode, ChangeKind>> = {
  insert: 'insert',
  upsert: 'replace',
  merge: 'merge',
  skip: 'insert',
};

/** @throws ToolError usage */
export function parseMode(text: string | undefined): Mode {
  const mode = text === undefined ? 'insert' : MODES.find(each => each === text);
  if (mode === undefined)
    throw new ToolError('usage', `--mode takes ${MODES.join(', ')}, not ${JSON.stringify(text)}.`);
  return mode;
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
  write: (text: string) => Promise<void>,
): Promise<Written> {
  parseMode(options.mode);
  if (options.resume && options.input === '-' && options.journal === undefined)
    throw new ToolError('usage', '--resume of standard input needs --journal, and the same input again.');
  const { signal } = context.source;
  const container = containerFiles(options.input, true, context.source);
  if (container === undefined) {
    const open = () => openInput(options.input, stdin, signal);
    return loadFrom('load', open, options, context, write);
  }
  const journal = options.journal ?? JOURNAL_OF_CONTAINER;
  const named = { ...options, input: container.name, journal };
  return loadFrom('load', () => openDump(container, signal), named, context, write);
}

/** The same from an input of another kind, which is opened after the options were validated. */
export async function loadFrom(
  tool: string,
  openIt: () => LoadInput | Promise<LoadInput>,
  options: LoadOptions,
  context: ToolContext,
  write: (text: string) => Promise<void>,
): Promise<Written> {
  const mode = parseMode(options.mode);
  const input = await openIt();
  try {
    const tables = await chosen(input, options.names, options.input);
    const contents = chosenContents(input, options);
    tellLeftOut(input, options, context);
    if (options.dryRun) return await dryRun({ tables, contents, context, write });
    // Detects an address without the service before the first write.
    const endpoints = endpointsOf(contents, options.target, context);
    return await loadAll({ tool, options, context, mode, input, tables, contents, endpoints });
  } finally {
    input.close();
  }
}

/** The selected queues and containers. @throws ToolError usage, if the input cannot have any. */
function chosenContents(input: LoadInput, { queues, blobs }: LoadOptions): ContentInput {
  for (const [flag, isWanted, found] of [
    ['--queues', queues, input.contents?.queues],
    ['--blobs', blobs, input.contents?.containers],
  ] as const)
    if (isWanted && found === undefined)
      throw new ToolError('usage', `${flag}: the input has none, since it was made without ${flag}.`);
  return {
    queues: queues ? input.contents?.queues : undefined,
    containers: blobs ? input.contents?.containers : undefined,
  };
}

/** Reports what the input has and the run leaves out. */
function tellLeftOut(
  { contents }: LoadInput,
  { queues, blobs }: LoadOptions,
  { reporter }: ToolContext,
): void {
  for (const [what, flag, isWanted, found = []] of [
    ['Queues', '--queues', queues, contents?.queues],
    ['Containers', '--blobs', blobs, contents?.containers],
  ] as const) {
    const names = found.map(({ name }) => name).join(', ');
    if (!isWanted && found.length > 0)
      reporter.tell('note', { message: `${what} are left out without ${flag}: ${names}.` });
  }
}

interface DryRun {
  readonly tables: readonly LoadedTable[];
  readonly contents: ContentInput;
  readonly context: ToolContext;
  readonly write: (text: string) => Promise<void>;
}

async function dryRun({ tables, contents, context, write }: DryRun): Promise<Written> {
  const { queues = [], containers = [] } = contents;
  for (const { input, to } of tables) {
    await write(`${JSON.stringify({ table: input.name || to, to, rows: input.rows })}\n`);
    context.reporter.rows(input.rows ?? 0);
  }
  for (const { name, count } of containers)
    await write(`${JSON.stringify({ container: name, blobs: count })}\n`);
  for (const { name, count } of queues) await write(`${JSON.stringify({ queue: name, messages: count })}\n`);
  return { tables: tables.length, exit: 'done', more: { conflicts: 0, refused: 0 } };
}

interface Load {
  readonly tool: string;
  readonly options: LoadOptions;
  readonly context: ToolContext;
  readonly mode: Mode;
  readonly input: LoadInput;
  readonly tables: readonly LoadedTable[];
  readonly contents: ContentInput;
  readonly endpoints: ReturnType<typeof endpointsOf>;
}

const journalPath = ({ input, journal }: LoadOptions): string | undefined =>
  journal ?? (input === '-' ? undefined : `${input.replace(/\/+$/, '')}.load.journal`);

async function loadAll(load: Load): Promise<Written> {
  const { tool, options, tables, mode, input } = load;
  const path = journalPath(options);
  if (path === undefined) return loadTables(load, undefined);
  const unlock = takeLock(`${path}.lock`, path);
  try {
    const journal = Journal.open<LoadEntry | ContentEntry>({
      path,
      tool,
      resume: options.resume ?? false,
      arguments: {
        '--to': options.target.name,
        '--table': tables.map(({ input, to }) => `${input.name}=${to}`),
        '--mode': mode,
        ...contentArguments(options),
        'the dump': createHash('sha256').update(input.identity).digest('hex'),
      },
    });
    const written = await loadTables(load, journal);
    journal.remove();
    return written;
  } finally {
    unlock();
  }
}

type LoadJournal = Journal<LoadEntry | ContentEntry>;

async function loadTables(load: Load, journal: LoadJournal | undefined): Promise<Written> {
  const isOfTable = (entry: LoadEntry | ContentEntry): entry is LoadEntry => 'table' in entry;
  const isOfContent = (entry: LoadEntry | ContentEntry): entry is ContentEntry => !isOfTable(entry);
  const before = new Map(journal?.entries.filter(isOfTable).map(entry => [entry.table, entry]));
  const { contents, endpoints } = load;
  let [conflicts, refused] = [0, 0];
  for (const _ of load.tables) load.context.reporter.range('begins');
  for (const table of load.tables) {
    const told = await loadTable(load, table, journal, before.get(table.to));
    conflicts += told.conflicts;
    refused += told.refused;
    load.context.reporter.range('done');
  }
  const counts = await writeContents(contents, {
    context: load.context,
    mode: load.mode,
    ...endpoints,
    journal: journal && {
      entries: journal.entries.filter(isOfContent),
      append: entry => journal.append(entry),
    },
  });
  conflicts += counts.conflicts;
  refused += counts.refused;
  return {
    tables: load.tables.length,
    exit: conflicts + refused > 0 ? 'conflict' : 'done',
    more: { conflicts, refused, ...countsTold(contents, counts) },
  };
}

async function loadTable(
  load: Load,
  { input, to }: LoadedTable,
  journal: LoadJournal | undefined,
  before: LoadEntry | undefined,
): Promise<Told> {
  const { context, mode } = load;
  const { reporter, source, parallel } = context;
  const endpoint = new Endpoint(load.options.target, 'table', source);
  const done = before?.rows ?? 0;
  reporter.rows(done);
  if (before?.isDone) return before;
  const target = new TargetTable(endpoint, to, source);
  const writer = new Writer(target, {
    parallel,
    reporter,
    firstPlace: done,
    hasDistinctKeys: input.hasDistinctKeys,
    budget: new ByteBudget(WRITE_BYTES_MAX),
    writers: 1,
    onExisting: mode === 'skip' ? 'skip' : 'compare',
  });
  const told = (): Told => ({
    conflicts: (before?.conflicts ?? 0) + writer.told.conflicts,
    refused: (before?.refused ?? 0) + writer.told.refused,
  });
  let place = 0;
  let checkpointedAt = source.surroundings.ticks();
  for await (const page of input.pages()) {
    source.signal?.throwIfAborted();
    for (const row of page) if (place++ >= done) await writer.add(KINDS[mode], row);
    const now = source.surroundings.ticks();
    if (journal === undefined || now - checkpointedAt < context.checkpointMilliseconds) continue;
    checkpointedAt = now;
    journal.append({ table: to, rows: writer.donePlace, ...told() });
  }
  await writer.end();
  await finishTable(load, target, input, place);
  journal?.append({ table: to, rows: place, ...told(), isDone: true });
  return told();
}

/** A table without rows is created too; policies are written only with a key. */
async function finishTable(
  { context, options }: Load,
  target: TargetTable,
  { rows, policies }: InputTable,
  place: number,
): Promise<void> {
  if (place === 0 || rows === 0) await target.create();
  if (policies === null || policies.length === 0 || !options.target.hasKey) return;
  if (!(await target.setPolicies(policies)))
    context.reporter.tell('note', {
      table: target.name,
      message: `Table ${target.name} has access policies of its own: those that came with it were not set.`,
    });
}
