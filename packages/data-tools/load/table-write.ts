// A shard of rows on its way into a table: writes them by a mode, or makes a range of the table equal to them (a
// mirror). A checkpoint waits until all rows are written.
import { formatContent } from '../line/line.js';
import { compareKeys, type Key, type Row } from '../line/row.js';
import type { Mode, ToolContext } from '../run/context.js';
import type { Shard, ShardSink } from '../run/move-shards.js';
import { after, isAfter, type KeyRange } from '../source/key-range.js';
import { RowCursor } from '../source/row-source.js';
import type { TableRows } from '../source/table-rows.js';
import { ToolError } from '../source/tool-error.js';
import type { ChangeKind } from '../write/change.js';
import type { TargetTable } from '../write/target-table.js';
import { type ByteBudget, Writer } from '../write/writer.js';

interface MirrorChange {
  readonly kind: 'replace' | 'delete';
  readonly row: Row;
}

/** No rows if the table does not exist yet. */
async function* pagesThere(
  rows: TableRows,
  table: string,
  range: KeyRange,
): AsyncGenerator<readonly Row[], void> {
  try {
    yield* rows.pages(table, range);
  } catch (error) {
    if (!(error instanceof ToolError && error.exit === 'notThere')) throw error;
  }
}

export class Mirror {
  readonly #there: RowCursor;
  readonly #shard: Shard<Counts>;

  constructor({ rows, name }: TargetTable, shard: Shard<Counts>) {
    const { from, until, last } = shard;
    this.#there = new RowCursor(
      pagesThere(rows, name, { from: last === undefined ? from : after(last), until }),
    );
    this.#shard = shard;
  }

  /** What to write up to the last row of a page of the source. */
  async changes(page: readonly Row[]): Promise<readonly MirrorChange[]> {
    const changes: MirrorChange[] = [];
    for (const row of page) {
      let there = await this.#there.next();
      while (there !== undefined && compareKeys(there, row) < 0) {
        changes.push({ kind: 'delete', row: there });
        this.#there.take();
        there = await this.#there.next();
      }
      // A missing row is written whatever arrived in the meantime.
      if (there === undefined || compareKeys(there, row) > 0) changes.push({ kind: 'replace', row });
      else {
        if (formatContent(there) !== formatContent(row)) changes.push({ kind: 'replace', row });
        this.#there.take();
      }
    }
    return changes;
  }

  /** What is left at the target after the last row of the source, up to the current end of the shard, in pieces. */
  async *rest(): AsyncGenerator<Row, void> {
    for (
      let row = await this.#there.next();
      row !== undefined && !isAfter(row, this.#shard);
      row = await this.#there.next()
    ) {
      yield row;
      this.#there.take();
    }
    await this.#there.close();
  }
}

/** Of rows that are done or reported. */
export interface Counts {
  rows: number;
  conflicts: number;
  refused: number;
  deleted: number;
}

const NO_COUNTS: Readonly<Counts> = { rows: 0, conflicts: 0, refused: 0, deleted: 0 };

export function sumOf(all: readonly Counts[]): Counts {
  const sum = { ...NO_COUNTS };
  for (const counts of all) {
    sum.rows += counts.rows;
    sum.conflicts += counts.conflicts;
    sum.refused += counts.refused;
    sum.deleted += counts.deleted;
  }
  return sum;
}

const KINDS: Readonly<Record<Mode, ChangeKind>> = {
  insert: 'insert',
  upsert: 'replace',
  merge: 'merge',
  skip: 'insert',
};

interface TableWriteOptions {
  readonly context: ToolContext;
  readonly mode: Mode;
  readonly mirror: Mirror | undefined;
  readonly isDry: boolean;
  readonly hasDistinctKeys: boolean;
  readonly budget: ByteBudget;
  /** Concurrent ones. */
  readonly writers: number;
  readonly shard: Shard<Counts>;
}

export class TableWrite implements ShardSink<Counts> {
  last: Key | undefined;
  readonly #options: TableWriteOptions;
  readonly #counts: Counts;
  readonly #writer: Writer;

  constructor(target: TargetTable, options: TableWriteOptions) {
    const { context, shard, mode, hasDistinctKeys, budget, writers } = options;
    const { parallel, reporter } = context;
    const onExisting = mode === 'skip' ? 'skip' : 'compare';
    this.#options = options;
    this.#counts = { ...(shard.state ?? NO_COUNTS) };
    this.last = shard.last;
    const counts = this.#counts;
    this.#writer = new Writer(target, {
      parallel,
      reporter,
      hasDistinctKeys,
      budget,
      writers,
      onExisting,
      counts,
    });
  }

  get rows(): number {
    return this.#counts.rows;
  }

  async #add(kind: ChangeKind, row: Row): Promise<void> {
    if (kind === 'delete') this.#counts.deleted++;
    if (!this.#options.isDry) await this.#writer.add(kind, row);
  }

  async write(page: readonly Row[]): Promise<number> {
    const { mirror, mode, isDry } = this.#options;
    const changes = (await mirror?.changes(page)) ?? page.map(row => ({ kind: KINDS[mode], row }));
    for (const { kind, row } of changes) await this.#add(kind, row);
    this.#counts.rows += page.length;
    const last = page.at(-1);
    if (last !== undefined) this.last = { partitionKey: last.partitionKey, rowKey: last.rowKey };
    // Rows that are already right are done without a write.
    return isDry ? page.length : page.length - changes.filter(({ kind }) => kind !== 'delete').length;
  }

  async checkpoint(): Promise<Counts> {
    await this.#writer.drain();
    return { ...this.#counts };
  }

  async end(): Promise<Counts> {
    for await (const row of this.#options.mirror?.rest() ?? []) await this.#add('delete', row);
    return this.checkpoint();
  }

  async close(): Promise<void> {}
}
