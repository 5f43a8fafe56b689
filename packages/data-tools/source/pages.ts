// Items and pages of items: gathered into pages, one by one with a lookahead.
import type { Row } from '../line/row.js';

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
