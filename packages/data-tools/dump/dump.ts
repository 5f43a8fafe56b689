// `dump`: reads tables over the wire into a directory, a file or a stream, as lines with checksums. A directory and a file can be resumed; a stream cannot.
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import {
  type ContentChoice,
  contentArguments,
  hasTables,
  serviceNamed,
} from '../contents/account-contents.js';
import { contentsIn } from '../contents/content-journal.js';
import { formatLine } from '../line/line.js';
import type { ToolContext, ToolResult } from '../run/context.js';
import { install, installText, takeLock } from '../run/files.js';
import { Journal, type RunArguments } from '../run/journal.js';
import { moveShards } from '../run/move-shards.js';
import type { Address } from '../source/address.js';
import { Endpoint } from '../source/endpoint.js';
import { readPolicies } from '../source/policies.js';
import { checkChoice, chooseTables, type TableChoice } from '../source/table-names.js';
import { TableRows } from '../source/table-rows.js';
import { ToolError } from '../source/tool-error.js';
import { containerFiles, dumpToContainer } from './container-files.js';
import { checkContentChoice, contentCounts, dumpContents } from './dump-contents.js';
import { writePieces } from './dump-files.js';
import { type DumpEntry, DumpRun, finishTable, placesOf } from './finish.js';
import {
  type DumpedTable,
  formatManifest,
  formatSums,
  MANIFEST_PATH,
  type Manifest,
  NOTE,
  SINCE_NOTE,
  SUMS_PATH,
  type Sum,
  VERSION,
  WORK_PATH,
} from './manifest.js';
import { Part, partPath } from './part.js';
import { selectionOf, sinceTime } from './since.js';
import {
  extensionOf,
  type FormatName,
  gzipped,
  isFileName,
  parseFormat,
  type TableFormat,
  writingOf,
} from './table-format.js';

export interface DumpOptions extends ContentChoice {
  readonly source: Address;
  readonly choice: TableChoice;
  /** A directory, a file whose name ends as a format does, or `-`. */
  readonly out: string;
  readonly format?: FormatName | undefined;
  readonly compress?: 'gzip' | undefined;
  readonly filter?: string | undefined;
  readonly select?: readonly string[] | undefined;
  /** A time, or the directory of an earlier dump. */
  readonly since?: string | undefined;
  readonly resume?: boolean | undefined;
}

interface Dump {
  readonly options: DumpOptions;
  readonly context: ToolContext;
  readonly format: TableFormat;
  readonly endpoint: Endpoint;
  readonly rows: TableRows;
  readonly since: string | undefined;
}

/** Dumps; returns how many tables there were. @throws ToolError */
export async function dump(options: DumpOptions, context: ToolContext): Promise<ToolResult> {
  const { source, out, filter, select } = options;
  const container = containerFiles(out, true, context.source);
  if (container !== undefined) {
    const into = (directory: string): Promise<ToolResult> => dump({ ...options, out: directory }, context);
    return dumpToContainer(container, options.resume ?? false, into, context);
  }
  const format = parseFormat(options);
  const isDirectory = out !== '-' && !isFileName(out);
  checkContentChoice(options, isDirectory);
  if (hasTables(options)) checkChoice(options.choice);
  const since = options.since === undefined ? undefined : sinceTime(options.since);
  const endpoint = new Endpoint(source, serviceNamed(options), context.source);
  const selection = selectionOf({ filter, select, since });
  const rows = new TableRows(endpoint, selection);
  const parts: Dump = { options, context, format, endpoint, rows, since };
  if (out === '-') return dumpStream(parts);
  return isDirectory ? dumpDirectory(parts) : dumpFile(parts);
}

const oneTable = (tables: readonly string[], what: string): string => {
  const [table, ...more] = tables;
  if (table === undefined || more.length > 0)
    throw new ToolError('usage', `${what} holds one table: name one with --table, or give a directory.`);
  return table;
};

const namesOf = async ({ options, rows }: Dump): Promise<readonly string[]> =>
  hasTables(options) ? (await chooseTables(options.choice, rows)).map(({ from }) => from) : [];

async function dumpStream(parts: Dump): Promise<ToolResult> {
  const { options, context, format, rows } = parts;
  if (options.resume)
    throw new ToolError('usage', '--resume needs a directory or a file: what went to a stream is gone.');
  const table = oneTable(await namesOf(parts), 'Standard output');
  if (format.name !== 'jsonl') return dumpConverted(parts);
  async function* lines(): AsyncGenerator<string, void> {
    context.reporter.range('begins');
    for await (const page of rows.pages(table)) {
      context.source.signal?.throwIfAborted();
      yield page.map(row => `${formatLine(row)}\n`).join('');
      context.reporter.rows(page.length);
    }
    context.reporter.range('done');
  }
  for await (const piece of format.gzip ? gzipped(lines()) : lines()) await context.write(piece);
  return { tables: 1 };
}

/** A format that needs every property before its first byte: the rows are kept in a file until then. */
async function dumpConverted(parts: Dump): Promise<ToolResult> {
  const work = mkdtempSync(join(tmpdir(), 'shelfmark-dump-'));
  try {
    return await dumpOne(parts, work, 'Standard output', async pieces => {
      for await (const piece of pieces) {
        parts.context.source.signal?.throwIfAborted();
        await parts.context.write(piece);
      }
    });
  } finally {
    removeWork(work);
  }
}

/** Passes on the one table in its format, once all of its rows are read. */
const dumpOne = (
  parts: Dump,
  work: string,
  what: string,
  take: (pieces: AsyncIterable<Buffer | string>) => Promise<void>,
): Promise<ToolResult> =>
  inWork(parts, work, what, async run => {
    const { format } = parts;
    const places = placesOf(run, oneTable(run.tables, what), extensionOf(format));
    const paths = places.map(({ shard }) => partPath(work, shard));
    await take((await writingOf(format, paths))(paths));
    return { tables: 1 };
  });

function argumentsOf({ options, format, endpoint }: Dump): RunArguments {
  const { choice, filter, select, since } = options;
  return {
    '--from': endpoint.name,
    '--all': choice.all,
    '--table': choice.names,
    '--filter': filter ?? null,
    '--select': select ?? null,
    '--since': since ?? null,
    '--format': format.name,
    '--compress': format.gzip,
    ...contentArguments(options),
  };
}

/**
 * Records the selection in the journal, before the first row is read; the earlier one of the local clock and the
 * server's counts.
 */
async function begin(parts: Dump, run: DumpRun, journal: Journal<DumpEntry>): Promise<void> {
  const local = Date.now();
  const tables = await namesOf(parts);
  // A missing table or a wrong filter ends the run at once. Those of --all were just listed.
  for (const table of parts.options.choice.all ? tables.slice(0, 1) : tables)
    await parts.rows.page({ table, range: '', select: [], top: 1 });
  const started = new Date(Math.min(local, parts.endpoint.firstDate ?? local)).toISOString();
  journal.append(run.begin(started, tables));
  journal.sync();
}

/**
 * Reads everything into parts, which `finish` installs; resumes from the journal of an earlier process.
 *
 * @param work the directory of what is incomplete, with the journal.
 * @param what is the name of what other runs must not use at the same time.
 */
async function inWork(
  parts: Dump,
  work: string,
  what: string,
  finish: (run: DumpRun, journal: Journal<DumpEntry>) => Promise<ToolResult>,
): Promise<ToolResult> {
  const { rows, context, options } = parts;
  const unlock = await takeLock(join(work, 'lock'), what);
  try {
    const path = join(work, 'journal.jsonl');
    const resume = options.resume ?? false;
    const journal = Journal.open<DumpEntry>({ path, tool: 'dump', arguments: argumentsOf(parts), resume });
    const run = new DumpRun(journal);
    if (run.started === undefined) {
      try {
        await begin(parts, run, journal);
      } catch (error) {
        // Nothing was read, so nothing is worth keeping.
        removeWork(work);
        throw error;
      }
    }
    if (run.isRead) for (const { state } of run.shards) context.reporter.rows(state?.rows ?? 0);
    else {
      await moveShards({
        run,
        journal,
        rows,
        parallel: context.parallel,
        context,
        isThere: ({ id, state }) =>
          statSync(partPath(work, id), { throwIfNoEntry: false })?.size === state?.bytes,
        open: ({ id, state }) => Part.open(partPath(work, id), state),
      });
      journal.append({ kind: 'read' });
    }
    // Before parts get names that no shard has; a process that was killed may have left it unsynced.
    journal.sync();
    const result = await finish(run, journal);
    journal.close();
    removeWork(work);
    return result;
  } finally {
    unlock();
    removeWhereEmpty(work);
  }
}

async function dumpDirectory(parts: Dump): Promise<ToolResult> {
  const { options, format, context } = parts;
  const { out: directory, resume = false } = options;
  const isFinished = existsSync(join(directory, SUMS_PATH));
  const work = join(directory, WORK_PATH);
  const isEmpty = !existsSync(directory) || readdirSync(directory).length === 0;
  if (!resume && !isEmpty)
    throw new ToolError(
      'conflict',
      `${directory} is not empty: give another directory${isFinished ? '' : ', or go on with --resume'}.`,
    );
  if (isFinished) return finished(parts, directory, work);
  if (!isEmpty && !existsSync(work))
    throw new ToolError('conflict', `${directory} is not empty, and has no dump that goes on.`);
  const isNew = !existsSync(directory);
  try {
    return await inWork(parts, work, directory, async (run, journal) => {
      const tables: DumpedTable[] = [];
      const sums: Sum[] = [];
      for (const name of run.tables) {
        const policies = await readPolicies(parts.endpoint, name, context.reporter);
        const done = await finishTable({ directory, work, run, format, policies }, name);
        tables.push(done.table);
        sums.push(...done.sums);
      }
      const { source } = options;
      const contents = await dumpContents({
        choice: options,
        source,
        directory,
        work,
        journal: contentsIn(journal),
        context,
        add: sum => sums.push(sum),
      });
      const text = formatManifest({ ...manifestOf(parts, run, tables), ...contents });
      installText(join(directory, MANIFEST_PATH), text, join(work, 'manifest'));
      sums.push({ path: MANIFEST_PATH, sha256: createHash('sha256').update(text).digest('hex') });
      installText(join(directory, SUMS_PATH), formatSums(sums), join(work, 'sums'));
      return { tables: tables.length, more: contentCounts(contents) };
    });
  } finally {
    if (isNew) removeWhereEmpty(directory);
  }
}

const removeWork = (work: string): void => rmSync(work, { recursive: true, force: true });

function removeWhereEmpty(work: string): void {
  if (existsSync(work) && readdirSync(work).length === 0) removeWork(work);
}

/** The parts of a manifest that follow from the arguments. */
const headOf = ({ options, format, endpoint, since }: Dump) =>
  ({
    format: format.name,
    version: VERSION,
    source: endpoint.name,
    filter: options.filter ?? null,
    select: options.select ?? null,
    since: since ?? null,
  }) as const;

function manifestOf(parts: Dump, run: DumpRun, tables: readonly DumpedTable[]): Manifest {
  const { format, version, source, ...selection } = headOf(parts);
  return {
    format,
    version,
    source,
    started: run.started ?? '',
    ended: new Date(Date.now()).toISOString(),
    ...selection,
    snapshot: false,
    note: selection.since === null ? NOTE : NOTE + SINCE_NOTE,
    tables,
  };
}

/** A finished dump is not started again; one with other arguments is not this one. */
function finished(parts: Dump, directory: string, work: string): ToolResult {
  const { choice, queues = false, blobs = false, takeMessages = false } = parts.options;
  const manifest = JSON.parse(readFileSync(join(directory, MANIFEST_PATH), 'utf8')) as Manifest;
  const there = new Set(manifest.tables.map(({ name }) => name.toLowerCase()));
  const named = choice.names.filter(name => !name.includes('*'));
  const isSame =
    isDeepStrictEqual({ ...manifest, ...headOf(parts) }, manifest) &&
    queues === (manifest.queues !== undefined) &&
    blobs === (manifest.containers !== undefined) &&
    (manifest.queues ?? []).every(({ messages }) => (messages !== null) === takeMessages) &&
    named.every(name => there.has(name.toLowerCase()));
  if (!isSame) throw new ToolError('usage', `${directory} is a finished dump with other arguments.`);
  removeWork(work);
  parts.context.reporter.rows(manifest.tables.reduce((sum, { rows }) => sum + rows, 0));
  return { tables: manifest.tables.length, more: contentCounts(manifest) };
}

async function dumpFile(parts: Dump): Promise<ToolResult> {
  const { options, context } = parts;
  const { out: path, resume = false, choice } = options;
  const work = `${path}${WORK_PATH}`;
  if (choice.all || choice.names.length > 1) oneTable([], 'A file');
  if (existsSync(path) && !(resume && existsSync(work))) {
    if (!resume) throw new ToolError('conflict', `${path} is there already: give another name.`);
    // The run that gave the file its name ended; its arguments are not in the file.
    context.reporter.tell('note', { message: `${path} is there, and whole: nothing was read.` });
    return { tables: 1 };
  }
  return dumpOne(parts, work, path, async pieces => {
    await writePieces(join(work, 'file'), pieces);
    install(join(work, 'file'), path);
  });
}
