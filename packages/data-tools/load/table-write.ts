// A shard of rows on its way into a table: writes them by a mode, or makes a range of the table equal to them (a
// mirror). A checkpoint is the last page whose rows are all written.
import { formatContent } from '../line/line.js';
import { compareKeys, type Key, type Row } from '../line/row.js';
import type { Mode, ToolContext } from '../run/context.js';
import type { Reached, ShardSink } from '../run/move-shards.js';
import { after, isAfter, type KeyRange } from '../source/key-range.js';
import { RowCursor } from '../source/row-source.js';
import type { Shard } from '../source/shards.js';
import type { TableRows } from '../source/table-rows.js';
import { ToolError } from '../source/tool-error.js';
import type { ChangeKind } from '../write/change.js';
import type { TargetTable } from '../write/target-table.js';
import { type ByteBudget, type Told, Writer } from '../write/writer.js';

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
  readonly #shard: Shard;

  /** @param last the row after which the shard is read. */
  constructor({ rows, name }: TargetTable, shard: Shard, last: Key | undefined) {
    const { from, until } = shard.range;
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
      row !== undefined && !isAfter(row, this.#shard.range);
      row = await this.#there.next()
    ) {
      yield row;
      this.#there.take();
    }
    await this.#there.close();
  }
}

/** Of rows that are done or reported. */
export interface Counts extends Told {
  readonly rows: number;
  readonly deleted: number;
}

const NO_COUNTS: Counts = { rows: 0, conflicts: 0, refused: 0, deleted: 0 };

export const sumOf = (all: readonly Counts[]): Counts =>
  all.reduce(
    (one, other) => ({
      rows: one.rows + other.rows,
      conflicts: one.conflicts + other.conflicts,
      refused: one.refused + other.refused,
      deleted: one.deleted + other.deleted,
    }),
    NO_COUNTS,
  );

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
  readonly from: Reached<Counts> | undefined;
}

/** The writer's place after it was given a page. */
interface Mark {
  readonly place: number;
  readonly last: Key;
  readonly rows: number;
  readonly deleted: number;
}

export class TableWrite implements ShardSink<Counts, Counts> {
  readonly last: Key | undefined;
  readonly #options: TableWriteOptions;
  readonly #earlier: Counts;
  readonly #writer: Writer;
  #rows: number;
  #deleted: number;
  readonly #marks: Mark[] = [];

  constructor(target: TargetTable, options: TableWriteOptions) {
    const { context, from, mode, hasDistinctKeys, budget, writers } = options;
    this.#options = options;
    this.#earlier = from?.state ?? NO_COUNTS;
    this.last = from?.last;
    this.#rows = this.#earlier.rows;
    this.#deleted = this.#earlier.deleted;
    this.#writer = new Writer(target, {
      parallel: context.parallel,
      reporter: context.reporter,
      hasDistinctKeys,
      budget,
      writers,
      onExisting: mode === 'skip' ? 'skip' : 'compare',
    });
  }

  get rows(): number {
    return this.#rows;
  }

  #counts(): Counts {
    const { conflicts, refused } = this.#writer.told;
    return {
      rows: this.#rows,
      deleted: this.#deleted,
      conflicts: this.#earlier.conflicts + conflicts,
      refused: this.#earlier.refused + refused,
    };
  }

  async #add(kind: ChangeKind, row: Row): Promise<void> {
    if (kind === 'delete') this.#deleted++;
    if (!this.#options.isDry) await this.#writer.add(kind, row);
  }

  async write(page: readonly Row[]): Promise<number> {
    const { mirror, mode, isDry } = this.#options;
    let written = page.length;
    if (mirror !== undefined) {
      const changes = await mirror.changes(page);
      for (const { kind, row } of changes) await this.#add(kind, row);
      written = changes.filter(({ kind }) => kind !== 'delete').length;
    } else if (!isDry) for (const row of page) await this.#writer.add(KINDS[mode], row);
    this.#rows += page.length;
    const last = page.at(-1);
    if (last !== undefined) {
      const { partitionKey, rowKey } = last;
      const place = this.#writer.nextPlace;
      this.#marks.push({ place, last: { partitionKey, rowKey }, rows: this.#rows, deleted: this.#deleted });
    }
    // Rows that are already right are done without a write.
    return isDry ? page.length : page.length - written;
  }

  async checkpoint(): Promise<Reached<Counts> | undefined> {
    const { donePlace } = this.#writer;
    while ((this.#marks[1]?.place ?? Number.POSITIVE_INFINITY) <= donePlace) this.#marks.shift();
    const [mark] = this.#marks;
    if (mark === undefined || mark.place > donePlace) return undefined;
    const { last, rows, deleted } = mark;
    return { last, state: { ...this.#counts(), rows, deleted } };
  }

  async end(): Promise<Counts> {
    for await (const row of this.#options.mirror?.rest() ?? []) await this.#add('delete', row);
    await this.#writer.end();
    return this.#counts();
  }

  async close(): Promise<void> {}
}
