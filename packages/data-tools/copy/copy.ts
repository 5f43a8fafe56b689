// `copy`: rows of one account into another, by key ranges in parallel, without a file in between. A journal allows a
// killed copy to be resumed; the modes are those of load, and --mirror makes the target's table equal the source's.

import { contentArguments, hasTables, serviceNamed } from '../dump/dump-contents.js';
import { sinceFilter, sinceTime } from '../dump/since.js';
import type { Row } from '../line/row.js';
import { KINDS, type Mode, parseMode, type Written } from '../load/load.js';
import type { ToolContext } from '../run/context.js';
import { Journal } from '../run/journal.js';
import { takeLock } from '../run/lock.js';
import { type Pair, pairOf, type ShardEntry, ShardState } from '../run/shard-state.js';
import { ByteBudget, PAGE_BYTES_MAX, WRITE_BYTES_MAX } from '../source/byte-budget.js';
import { Endpoint } from '../source/endpoint.js';
import { readPolicies } from '../source/policies.js';
import { type Shard, Shards } from '../source/shards.js';
import { checkChoice, chooseTables, type TableChoice, type TableName } from '../source/table-names.js';
import { bothFilters, TableRows } from '../source/table-rows.js';
import { ToolError } from '../source/tool-error.js';
import { TargetTable } from '../write/target-table.js';
import { type Told, Writer } from '../write/writer.js';
import {
  type ContentCopyEntry,
  type ContentCopyOptions,
  checkContentCopy,
  copyContents,
  tellContents,
} from './copy-contents.js';
import { Mirror } from './mirror.js';

export interface CopyOptions extends ContentCopyOptions {
  readonly choice: TableChoice;
  readonly mode?: string | undefined;
  readonly filter?: string | undefined;
  readonly since?: string | undefined;
  readonly resume?: boolean | undefined;
  readonly journal?: string | undefined;
  readonly dryRun?: boolean | undefined;
}

/** In the working directory. */
const JOURNAL_DEFAULT = 'shelfmark-copy.journal';

interface Counts extends Told {
  readonly rows: number;
  readonly deleted: number;
}

type RowEntry = ShardEntry<Counts, Counts>;
type CopyEntry = RowEntry | ContentCopyEntry;

const isRowEntry = (entry: CopyEntry): entry is RowEntry => 'kind' in entry;
const isContentEntry = (entry: CopyEntry): entry is ContentCopyEntry => !isRowEntry(entry);

function checkOptions(options: CopyOptions): void {
  const { choice, mode, mirror, filter, since } = options;
  if (hasTables(options)) checkChoice(choice);
  checkContentCopy(options);
  parseMode(mode);
  if (mirror && mode !== undefined) throw new ToolError('usage', '--mirror and --mode exclude each other.');
  if (mirror && (filter !== undefined || since !== undefined))
    throw new ToolError(
      'usage',
      '--mirror compares whole tables: it would delete what --filter or --since leave out.',
    );
}

class Copy {
  readonly options: CopyOptions;
  readonly context: ToolContext;
  readonly rows: TableRows;
  readonly source: Endpoint;
  readonly target: Endpoint;
  readonly budget = new ByteBudget(WRITE_BYTES_MAX);
  readonly #targets = new Map<string, TargetTable>();
  readonly state = new ShardState<Counts, Counts>();
  journal: Journal<CopyEntry> | undefined;
  /** By the name at the source. */
  names = new Map<string, TableName>();

  constructor(options: CopyOptions, context: ToolContext) {
    this.options = options;
    this.context = context;
    const service = serviceNamed(options);
    this.source = new Endpoint(options.source, service, context.source);
    this.target = new Endpoint(options.target, service, context.source);
    const since = options.since === undefined ? undefined : sinceFilter(sinceTime(options.since));
    const filter = bothFilters(options.filter ?? '', since) || undefined;
    this.rows = new TableRows(this.source, { filter }, new ByteBudget(PAGE_BYTES_MAX));
  }

  targetOf(table: string): TargetTable {
    const known = this.#targets.get(table);
    if (known !== undefined) return known;
    const made = new TargetTable(this.target, this.names.get(table)?.to ?? table, this.context.source);
    this.#targets.set(table, made);
    return made;
  }

  async readNames(): Promise<void> {
    if (!hasTables(this.options)) return;
    const names = await chooseTables(this.options.choice, this.rows);
    for (const name of names) {
      if (this.source.name === this.target.name && name.from.toLowerCase() === name.to.toLowerCase())
        throw new ToolError(
          'usage',
          `Table ${name.from} would be copied onto itself: give it another name with ${name.from}=NEW.`,
        );
      this.names.set(name.from, name);
    }
  }
}

/** @throws ToolError */
export async function copy(
  options: CopyOptions,
  context: ToolContext,
  write: (text: string) => Promise<void>,
): Promise<Written> {
  checkOptions(options);
  const run = new Copy(options, context);
  await run.readNames();
  if (options.dryRun) return runCopy(run, write);
  const path = options.journal ?? JOURNAL_DEFAULT;
  const unlock = takeLock(`${path}.lock`, `The journal ${path}`);
  try {
    const journal = Journal.open<CopyEntry>({
      path,
      tool: 'copy',
      resume: options.resume ?? false,
      arguments: {
        '--from': run.source.name,
        '--to': run.target.name,
        '--all': options.choice.all,
        '--table': options.choice.names,
        '--mode': parseMode(options.mode),
        '--mirror': options.mirror ?? false,
        '--filter': options.filter ?? null,
        '--since': options.since ?? null,
        ...contentArguments(options),
      },
    });
    run.journal = journal;
    for (const entry of journal.entries.filter(isRowEntry)) run.state.take(entry);
    const written = await runCopy(run, write);
    journal.remove();
    return written;
  } finally {
    unlock();
  }
}

async function runCopy(run: Copy, write: (text: string) => Promise<void>): Promise<Written> {
  const { state, context, journal, options } = run;
  const { reporter } = context;
  if (state.started === undefined) {
    const tables = [...run.names.keys()];
    const started = new Date(context.source.surroundings.now()).toISOString();
    state.begin(started, tables);
    journal?.append({ kind: 'start', started, tables });
  }
  for (const table of state.tables)
    if (!run.names.has(table)) run.names.set(table, { from: table, to: table });
  const open = [...state.shards.values()].filter(({ id }) => !state.ends.has(id));
  for (const { id } of state.shards.values()) {
    reporter.range('begins');
    const end = state.ends.get(id);
    if (end === undefined) continue;
    reporter.range('done');
    reporter.rows(end.rows);
  }
  const shards = new Shards(open, state.nextId, {
    rows: run.rows,
    // Each reader of a mirror reads both sides, and holds pages of both.
    parallel: options.mirror ? Math.ceil(context.parallel / 2) : context.parallel,
    signal: context.source.signal,
    onCut: (cut, behind) => {
      if (behind.from === undefined) return;
      journal?.append({ kind: 'cut', shard: cut.id, at: pairOf(behind.from), behind: behind.id });
      state.shards.set(behind.id, behind);
      reporter.range('begins');
    },
    read: (shard, pages) => copyShard(run, shard, pages),
  });
  await shards.run();
  let total: Counts = NO_COUNTS;
  for (const table of state.tables) {
    const counts = countsOf(run, table);
    total = sum(total, counts);
    if (options.dryRun)
      await write(
        `${JSON.stringify({ table, to: run.targetOf(table).name, rows: counts.rows, deleted: counts.deleted })}\n`,
      );
    else await finishTable(run, table, counts);
  }
  const mode = parseMode(options.mode);
  const entries = journal?.entries.filter(isContentEntry) ?? [];
  if (options.dryRun) await tellContents(options, context, write);
  const contents = options.dryRun
    ? undefined
    : await copyContents({ ...options, mode }, context, entries, journal);
  const conflicts = total.conflicts + (contents?.conflicts ?? 0);
  const refused = total.refused + (contents?.refused ?? 0);
  const more = {
    conflicts,
    refused,
    ...(options.mirror && { deleted: total.deleted }),
    ...contents?.more,
  };
  return { tables: state.tables.length, exit: conflicts + refused > 0 ? 'conflict' : 'done', more };
}

const NO_COUNTS: Counts = { rows: 0, conflicts: 0, refused: 0, deleted: 0 };

const sum = (one: Counts, other: Counts): Counts => ({
  rows: one.rows + other.rows,
  conflicts: one.conflicts + other.conflicts,
  refused: one.refused + other.refused,
  deleted: one.deleted + other.deleted,
});

const countsOf = ({ state }: Copy, table: string): Counts =>
  state.shardsOf(table).reduce((total, { id }) => sum(total, state.ends.get(id) ?? NO_COUNTS), NO_COUNTS);

/** A table without rows is created too; policies are copied if both sides have a key. */
async function finishTable(run: Copy, table: string, { rows }: Counts): Promise<void> {
  const target = run.targetOf(table);
  if (rows === 0) await target.create();
  if (!run.source.address.hasKey || !run.target.address.hasKey) return;
  const policies = await readPolicies(run.source, table);
  if (policies !== null && !(await target.setPolicies(policies)))
    run.context.reporter.tell('note', {
      table: target.name,
      message: `Table ${target.name} has access policies of its own: those of the source were not set.`,
    });
}

/** The writer's place after it was given a page. */
interface Mark {
  readonly place: number;
  readonly last: Pair;
  readonly rows: number;
  readonly deleted: number;
}

/** The last page that is completely written; earlier ones are forgotten. */
function lastDone(marks: Mark[], donePlace: number): Mark | undefined {
  while ((marks[1]?.place ?? Number.POSITIVE_INFINITY) <= donePlace) marks.shift();
  const [mark] = marks;
  return mark !== undefined && mark.place <= donePlace ? mark : undefined;
}

const writerOf = ({ context, budget }: Copy, target: TargetTable, mode: Mode): Writer =>
  new Writer(target, {
    parallel: context.parallel,
    reporter: context.reporter,
    firstPlace: 0,
    hasDistinctKeys: true,
    budget,
    writers: context.parallel,
    onExisting: mode === 'skip' ? 'skip' : 'compare',
  });

async function copyShard(run: Copy, shard: Shard, pages: AsyncIterable<readonly Row[]>): Promise<void> {
  const { options, context, state, journal } = run;
  const { reporter, source } = context;
  const before = state.checkpoints.get(shard.id);
  shard.position = before?.last;
  const earlier = before?.state ?? NO_COUNTS;
  let { rows, deleted } = earlier;
  reporter.rows(rows);
  const target = run.targetOf(shard.table);
  const mode = parseMode(options.mode);
  const writer = writerOf(run, target, mode);
  const mirror = options.mirror ? new Mirror(target.rows, target.name, shard) : undefined;
  const marks: Mark[] = [];
  const counts = (): Counts => ({
    rows,
    deleted,
    conflicts: earlier.conflicts + writer.told.conflicts,
    refused: earlier.refused + writer.told.refused,
  });
  let checkpointedAt = source.surroundings.ticks();
  for await (const page of pages) {
    const changes =
      mirror === undefined ? page.map(row => ({ kind: KINDS[mode], row })) : await mirror.changes(page);
    for (const change of changes) {
      if (change.kind === 'delete') deleted++;
      // A row missing in a mirror is written whatever arrived in the meantime.
      const kind = mirror !== undefined && change.kind === 'insert' ? 'replace' : change.kind;
      if (!options.dryRun) await writer.add(kind, change.row);
    }
    rows += page.length;
    // Rows that are already right are done without a write.
    reporter.rows(
      options.dryRun ? page.length : page.length - changes.filter(each => each.kind !== 'delete').length,
    );
    const last = page.at(-1);
    if (last !== undefined) marks.push({ place: writer.nextPlace, last: pairOf(last), rows, deleted });
    const now = source.surroundings.ticks();
    const mark = lastDone(marks, writer.donePlace);
    if (journal === undefined || mark === undefined) continue;
    if (now - checkpointedAt < context.checkpointMilliseconds) continue;
    checkpointedAt = now;
    const state = { ...counts(), rows: mark.rows, deleted: mark.deleted };
    journal.append({ kind: 'checkpoint', shard: shard.id, last: mark.last, state });
  }
  for await (const { row } of mirror?.rest() ?? []) {
    deleted++;
    if (!options.dryRun) await writer.add('delete', row);
  }
  await writer.end();
  const end = counts();
  state.ends.set(shard.id, end);
  journal?.append({ kind: 'done', shard: shard.id, end });
  reporter.range('done');
}
