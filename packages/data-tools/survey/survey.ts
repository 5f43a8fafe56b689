// Reads tables, all of their rows or a sample, for stats and advice. The rows come from any source, in the order of their keys.
import { AdviceOnTable, type Prices, type TableAdvice } from '../advise/table-advice.js';
import type { Row } from '../line/row.js';
import type { ToolContext } from '../run/context.js';
import type { RowSource } from '../source/row-source.js';
import { chooseTables, type TableChoice } from '../source/table-names.js';
import { sampledRows } from '../stats/sampled-rows.js';
import { StatsOfTable, type TableStats } from '../stats/table-stats.js';

interface Survey {
  readonly source: RowSource;
  /** Maximum of rows to read per table; undefined for all. */
  readonly sample: number | undefined;
}

async function* allRows(source: RowSource, table: string): AsyncGenerator<Row, void> {
  for await (const page of source.pages(table)) yield* page;
}

/** Passes every row to `add`. */
async function read(
  { source, sample }: Survey,
  table: string,
  { reporter, source: { signal } }: ToolContext,
  add: (row: Row) => void,
): Promise<void> {
  const rows = sample === undefined ? allRows(source, table) : sampledRows(source, table, sample);
  reporter.range('begins');
  for await (const row of rows) {
    signal?.throwIfAborted();
    add(row);
    reporter.rows(1);
  }
  reporter.range('done');
}

/** Passes the stats of each selected table to `take` as they are ready; returns how many tables. */
export async function stats(
  survey: Survey,
  choice: TableChoice,
  context: ToolContext,
  take: (stats: TableStats) => Promise<void>,
): Promise<number> {
  const tables = await chooseTables(choice, survey.source);
  for (const { from } of tables) {
    const counted = new StatsOfTable();
    await read(survey, from, context, row => counted.add(row));
    await take(counted.result(from, survey.sample));
  }
  return tables.length;
}

export async function advise(
  survey: Survey,
  table: string,
  prices: Prices,
  context: ToolContext,
): Promise<TableAdvice> {
  const [chosen] = await chooseTables({ all: false, names: [table] }, survey.source);
  const name = chosen?.from ?? table;
  const advice = new AdviceOnTable();
  await read(survey, name, context, row => advice.add(row));
  return advice.result(name, { prices, sample: survey.sample });
}
