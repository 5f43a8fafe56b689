// The changes that make a range of the target equal the source's: rows that are missing or differ are replaced, rows
// that the source lacks are deleted. Both sides are read in parallel in the order of keys.
import { formatContent } from '../line/line.js';
import { compareKeys, type Key, type Row } from '../line/row.js';
import { after, isAfter, type KeyRange } from '../source/key-range.js';
import { RowCursor } from '../source/pages.js';
import type { Shard } from '../source/shards.js';
import type { TableRows } from '../source/table-rows.js';
import { ToolError } from '../source/tool-error.js';
import type { TargetTable } from '../write/target-table.js';

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
