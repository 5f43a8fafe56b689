// Writes tables, queues and containers to an account, whichever tool reads them.
import { type ContentEntry, type ContentJournal, contentsIn } from '../contents/content-journal.js';
import type { ContentInput } from '../contents/move-container.js';
import { type ContentTargets, countsTold, writeContents } from '../contents/write-contents.js';
import type { Row } from '../line/row.js';
import type { Mode, ToolContext, ToolResult } from '../run/context.js';
import type { Journal } from '../run/journal.js';
import { moveShards, type ShardEntry, ShardRun } from '../run/move-shards.js';
import type { Endpoint } from '../source/endpoint.js';
import { type KeyRange, WHOLE } from '../source/key-range.js';
import type { Policy } from '../source/policies.js';
import type { RowSource } from '../source/row-source.js';
import type { TableName } from '../source/table-names.js';
import { TargetTable } from '../write/target-table.js';
import { ByteBudget, WRITE_BYTES_MAX } from '../write/writer.js';
import { type Counts, Mirror, sumOf, TableWrite } from './table-write.js';

export type TransferEntry = ShardEntry<Counts> | ContentEntry;

interface SourceTables {
  readonly names: readonly TableName[];
  /** The rows of a range; an earlier run has read `done` of them. */
  readonly pages: (table: string, range: KeyRange, done: number) => AsyncIterable<readonly Row[]>;
  readonly split?: NonNullable<RowSource['split']>;
  /** Concurrent readers. */
  readonly readers: number;
  readonly hasDistinctKeys: boolean;
  /** Null if the source does not include them. */
  readonly policiesOf: (table: string) => Promise<readonly Policy[] | null>;
}

export interface Transfer {
  readonly context: ToolContext;
  readonly mode: Mode;
  readonly mirror?: boolean | undefined;
  readonly tables: SourceTables;
  /** For tables; undefined if there are none. */
  readonly target: Endpoint | undefined;
  readonly contents: (journal: ContentJournal | undefined) => Promise<ContentInput>;
  readonly targets: ContentTargets;
}

interface TableCounts extends Counts {
  /** At the source. */
  readonly name: string;
  readonly table: TargetTable;
}

/**
 * Does not repeat what an earlier run has done.
 *
 * @param isDry whether to count only.
 * @throws ToolError
 */
export async function transferTables(
  { context, mode, mirror, tables, target }: Transfer,
  journal: Journal<TransferEntry> | undefined,
  isDry: boolean,
): Promise<readonly TableCounts[]> {
  if (target === undefined) return [];
  const run = new ShardRun<Counts>();
  for (const entry of journal?.entries ?? []) if ('kind' in entry) run.take(entry);
  if (run.started === undefined) {
    const names = tables.names.map(({ from }) => from);
    const begun = run.begin(new Date(Date.now()).toISOString(), names);
    journal?.append(begun);
  }
  const { source } = context;
  const targets = new Map<string, TargetTable>();
  for (const { from, to } of tables.names) targets.set(from, new TargetTable(target, to, source));
  // A resumed run has the tables of its beginning.
  const targetOf = (name: string): TargetTable => {
    const known = targets.get(name) ?? new TargetTable(target, name, source);
    targets.set(name, known);
    return known;
  };
  const budget = new ByteBudget(WRITE_BYTES_MAX);
  const doneOf = (name: string): Counts => sumOf(run.shardsOf(name).flatMap(({ state }) => state ?? []));
  await moveShards({
    run,
    journal,
    rows: { ...tables, pages: (name, range = WHOLE) => tables.pages(name, range, doneOf(name).rows) },
    // Each reader of a mirror reads both sides, and holds pages of both.
    parallel: mirror ? Math.ceil(tables.readers / 2) : tables.readers,
    context,
    isThere: () => true,
    open: async shard => {
      const { hasDistinctKeys, readers: writers } = tables;
      const table = targetOf(shard.table);
      const mirrored = mirror ? new Mirror(table, shard) : undefined;
      const options = { context, mode, mirror: mirrored, isDry, hasDistinctKeys, budget, writers, shard };
      return new TableWrite(table, options);
    },
  });
  const done: TableCounts[] = [];
  for (const name of run.tables) {
    const counts = { name, table: targetOf(name), ...doneOf(name) };
    if (!isDry) await finishTable(context, counts, await tables.policiesOf(name));
    done.push(counts);
  }
  return done;
}

/** A table without rows is created too; policies are written only with a key. */
async function finishTable(
  { reporter }: ToolContext,
  { table, rows }: TableCounts,
  policies: readonly Policy[] | null,
): Promise<void> {
  if (rows === 0) await table.create();
  if (policies === null || policies.length === 0 || !table.endpoint.address.hasKey) return;
  if (!(await table.setPolicies(policies)))
    reporter.tell('note', {
      table: table.name,
      message: `Table ${table.name} has access policies of its own: those that came with it were not set.`,
    });
}

/** The exit code is `conflict` if rows, blobs or messages were left alone or refused. @throws ToolError */
export async function transfer(
  run: Transfer,
  journal: Journal<TransferEntry> | undefined,
): Promise<ToolResult> {
  const { context, mode, mirror, contents, targets } = run;
  const tables = await transferTables(run, journal, false);
  const contentJournal = journal && contentsIn(journal);
  const input = await contents(contentJournal);
  const options = { context, mode: mirror ? 'upsert' : mode, mirror, journal: contentJournal } as const;
  const written = await writeContents(input, targets, options);
  const total = sumOf(tables);
  const [conflicts, refused] = [total.conflicts + written.conflicts, total.refused + written.refused];
  return {
    tables: tables.length,
    exit: conflicts + refused > 0 ? 'conflict' : 'done',
    more: {
      conflicts,
      refused,
      ...(mirror && { deleted: total.deleted }),
      ...countsTold(input, written, mirror),
    },
  };
}
