// Where rows come from, the same for every tool: a table over the wire (table-rows.ts) or in a dump (dump/read-dump.ts).
// Rows come in the order of their keys, each once.
//
//   for await (const page of source.pages('orders')) for (const row of page) …
//
// A page is what is there at once: as short as one row, never empty, and at most a few MiB. Stopping early ends the
// iteration, which frees what it held.
import type { Key, Row } from '../line/row.js';
import type { KeyRange } from './key-range.js';

export interface RowSource {
  /** Its name in messages; contains no secret. */
  readonly name: string;
  /** The existing tables, in order. @throws ToolError denied, if a SAS cannot list. */
  tables(): Promise<readonly string[]>;
  /** @throws ToolError notThere, if the table does not exist. */
  pages(table: string, range?: KeyRange): AsyncIterable<readonly Row[]>;
  /** A key after `from` at which a range can be cut in two; absent if that takes longer than reading. */
  split?(table: string, range: KeyRange): Promise<Key | undefined>;
}

/** None is empty. */
export async function* inPages<T>(
  items: Iterable<T> | AsyncIterable<T>,
  size: number,
): AsyncGenerator<readonly T[], void> {
  let page: T[] = [];
  for await (const item of items) {
    page.push(item);
    if (page.length < size) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}

/** Rows of pages, for merging two sources by key. */
export class RowCursor {
  readonly #pages: AsyncIterator<readonly Row[]>;
  #page: readonly Row[] = [];
  #at = 0;

  constructor(pages: AsyncIterable<readonly Row[]>) {
    this.#pages = pages[Symbol.asyncIterator]();
  }

  /** The next row, which `take` moves past; undefined at the end. */
  async next(): Promise<Row | undefined> {
    while (this.#at >= this.#page.length) {
      const { done, value } = await this.#pages.next();
      if (done) return undefined;
      this.#page = value;
      this.#at = 0;
    }
    return this.#page[this.#at];
  }

  take(): void {
    this.#at++;
  }

  async close(): Promise<void> {
    await this.#pages.return?.();
  }
}
