// A shard of rows on its way into a table: writes them by a mode, or makes a range of the table equal to them (a
// mirror). A checkpoint is the last page whose rows are all written.
import type { Key, Row } from '../line/row.js';
import type { ToolContext } from '../run/context.js';
import type { Mode } from '../run/mode.js';
import type { ShardSink } from '../run/move-shards.js';
import type { Reached } from '../run/shard-state.js';
import type { ByteBudget } from '../write/byte-budget.js';
import type { ChangeKind } from '../write/change.js';
import type { TargetTable } from '../write/target-table.js';
import { type Told, Writer } from '../write/writer.js';
import type { Mirror } from './mirror.js';

/** Of rows that are done or reported. */
export interface Counts extends Told {
  readonly rows: number;
  readonly deleted: number;
}

export const NO_COUNTS: Counts = { rows: 0, conflicts: 0, refused: 0, deleted: 0 };

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
