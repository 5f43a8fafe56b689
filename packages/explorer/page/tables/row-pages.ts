// The rows of one query: pages that are read by continuation as the grid asks for them. Pages far from what is shown are
// dropped and read again by their tokens, so that memory is bounded however far a user scrolls.
import { computed, signal } from '@preact/signals';
import type { Key, Row } from '#data-tools/line';
import { type Column, SeenColumns } from '../../model/columns.js';
import { isAborted, sentenceOf } from '../client/ask.js';
import { PAGE_ROWS, queryPage, type Selected } from '../client/table-client.js';

interface RowPage {
  readonly token: string | undefined;
  /** Of the first row. */
  readonly start: number;
  readonly count: number;
  /** Undefined if they were dropped. */
  readonly rows: readonly Row[] | undefined;
}

interface RowsState {
  /** Rows read so far. */
  readonly count: number;
  readonly pages: number;
  readonly hasMore: boolean;
  readonly isLoading: boolean;
  /** Undefined if the last request succeeded. */
  readonly failure: string | undefined;
  readonly milliseconds: number;
  /** Rises with each change of the rows. */
  readonly version: number;
}

/** Small, so that the first rows are there at once; the service's own limit afterwards. */
const FIRST_PAGE_ROWS = 200;
const PAGES_KEPT = 60;
/** Browsers end elements at some 17 to 33 million pixels. */
export const ROWS_MAX = 500_000;
/** Pages without a row that are read before the user is asked whether to go on. */
const EMPTY_PAGES_MAX = 50;

const START: RowsState = {
  count: 0,
  pages: 0,
  hasMore: true,
  isLoading: false,
  failure: undefined,
  milliseconds: 0,
  version: 0,
};

export const isSame = (row: Row, { partitionKey, rowKey }: Key): boolean =>
  row.partitionKey === partitionKey && row.rowKey === rowKey;

export class RowPages {
  readonly selected: Selected;
  readonly state = signal<RowsState>(START);
  readonly columns = computed<readonly Column[]>(() => {
    void this.state.value.version;
    return this.#seen.columns();
  });
  /** Also of other queries of the table. */
  readonly knownColumns = computed<readonly Column[]>(() => {
    void this.state.value.version;
    return this.#known.columns();
  });
  readonly #seen = new SeenColumns();
  readonly #known: SeenColumns;
  #stop = new AbortController();
  readonly #reading = new Set<number>();
  #pages: RowPage[] = [];
  #next: string | undefined;
  #isLoadingMore = false;

  /** @param known collects the columns of all queries of the table. */
  constructor(selected: Selected, known: SeenColumns) {
    this.selected = selected;
    this.#known = known;
  }

  /** Ends the requests under way; more can be read afterwards. */
  stop(): void {
    this.#stop.abort();
    this.#stop = new AbortController();
  }

  #set(change: Partial<RowsState>): void {
    const { version } = this.state.value;
    this.state.value = { ...this.state.value, ...change, version: version + 1 };
  }

  /** Reads on, over pages without rows, which a scan may have many of. */
  async loadMore(): Promise<void> {
    const { hasMore, count } = this.state.value;
    if (this.#isLoadingMore || !hasMore || count >= ROWS_MAX) return;
    this.#isLoadingMore = true;
    this.#set({ isLoading: true, failure: undefined });
    try {
      const { signal: stopped } = this.#stop;
      for (let empty = 0; empty < EMPTY_PAGES_MAX && this.state.value.hasMore; empty++)
        if ((await this.#readNext(stopped)) > 0) break;
    } catch (error) {
      if (!isAborted(error)) this.#set({ failure: sentenceOf(error) });
    } finally {
      this.#isLoadingMore = false;
      this.#set({ isLoading: false });
    }
  }

  async #readNext(stopped: AbortSignal): Promise<number> {
    const token = this.#next;
    const begun = performance.now();
    const top = this.#pages.length === 0 ? FIRST_PAGE_ROWS : PAGE_ROWS;
    const { rows, next } = await queryPage(this.selected, { top, token }, stopped);
    const { count, milliseconds } = this.state.value;
    this.#seen.add(rows);
    this.#known.add(rows);
    this.#pages.push({ token, start: count, count: rows.length, rows });
    this.#next = next;
    this.#set({
      count: count + rows.length,
      pages: this.#pages.length,
      hasMore: next !== undefined,
      milliseconds: milliseconds + performance.now() - begun,
    });
    return rows.length;
  }

  #pageAt(index: number): number {
    return this.#pages.findLastIndex(({ start }) => start <= index);
  }

  /** Undefined while its page is read again. */
  rowAt(index: number): Row | undefined {
    const at = this.#pageAt(index);
    const page = this.#pages[at];
    if (page === undefined) return undefined;
    if (page.rows === undefined) void this.#readAgain(at);
    return page.rows?.[index - page.start];
  }

  async #readAgain(at: number): Promise<void> {
    const page = this.#pages[at];
    if (page === undefined || this.#reading.has(at)) return;
    this.#reading.add(at);
    try {
      const part = { top: page.count, token: page.token };
      const { rows } = await queryPage(this.selected, part, this.#stop.signal);
      this.#pages[at] = { ...page, rows };
      this.#set({});
    } catch (error) {
      if (!isAborted(error)) this.#set({ failure: sentenceOf(error) });
    } finally {
      this.#reading.delete(at);
    }
  }

  /** Drops pages far from these rows. */
  showing(first: number, last: number): void {
    const kept = this.#pages.filter(({ rows }) => rows !== undefined).length;
    if (kept <= PAGES_KEPT) return;
    const [from, to] = [this.#pageAt(first), this.#pageAt(last)];
    const distance = (at: number): number => Math.max(from - at, at - to, 0);
    const far = [...this.#pages.keys()]
      .filter(at => this.#pages[at]?.rows !== undefined)
      .sort((one, other) => distance(other) - distance(one));
    for (const at of far.slice(0, kept - PAGES_KEPT)) {
      const page = this.#pages[at];
      if (page !== undefined) this.#pages[at] = { ...page, rows: undefined };
    }
  }

  /** The rows that are in memory. */
  loaded(): readonly Row[] {
    return this.#pages.flatMap(({ rows }) => rows ?? []);
  }

  /** Shows a new version of a row. */
  replace(key: Key, row: Row): void {
    this.#seen.add([row]);
    this.#change(key, rows => rows.map(each => (isSame(each, key) ? row : each)));
  }

  remove(key: Key): void {
    this.#change(key, rows => rows.filter(each => !isSame(each, key)));
  }

  #change(key: Key, change: (rows: readonly Row[]) => readonly Row[]): void {
    let start = 0;
    this.#pages = this.#pages.map(page => {
      const isHere = page.rows?.some(row => isSame(row, key)) ?? false;
      const rows = isHere && page.rows !== undefined ? change(page.rows) : page.rows;
      const changed = { ...page, start, rows, count: isHere ? (rows?.length ?? 0) : page.count };
      start += changed.count;
      return changed;
    });
    this.#set({ count: start });
  }
}
