// The rows of one query: read by continuation as the grid asks for them, and kept.
import { computed, signal } from '@preact/signals';
import type { Key, Row } from '#data-tools/line';
import { SeenColumns } from '../../model/columns.js';
import { isAborted, sentenceOf } from '../client/ask.js';
import { PAGE_ROWS, queryPage, type Selected } from '../client/table-client.js';

interface RowsState {
  readonly rows: readonly Row[];
  /** Requests so far. */
  readonly pages: number;
  readonly hasMore: boolean;
  readonly isLoading: boolean;
  /** Undefined if the last request succeeded. */
  readonly failure: string | undefined;
  readonly milliseconds: number;
}

/** Small, so that the first rows are there at once; the service's own limit afterwards. */
const FIRST_PAGE_ROWS = 200;
/** Browsers end elements at some 17 to 33 million pixels. */
export const ROWS_MAX = 500_000;
/** Pages without a row that are read before the user is asked whether to go on. */
const EMPTY_PAGES_MAX = 50;

const START: RowsState = {
  rows: [],
  pages: 0,
  hasMore: true,
  isLoading: false,
  failure: undefined,
  milliseconds: 0,
};

export const isSame = (row: Row, { partitionKey, rowKey }: Key): boolean =>
  row.partitionKey === partitionKey && row.rowKey === rowKey;

export class RowPages {
  readonly selected: Selected;
  readonly state = signal<RowsState>(START);
  readonly columns = computed(() => this.#columnsOf(this.#seen));
  /** Also of other queries of the table. */
  readonly knownColumns = computed(() => this.#columnsOf(this.#known));
  readonly #seen = new SeenColumns();
  readonly #known: SeenColumns;
  #stop = new AbortController();
  #next: string | undefined;

  /** @param known collects the columns of all queries of the table. */
  constructor(selected: Selected, known: SeenColumns) {
    this.selected = selected;
    this.#known = known;
  }

  #columnsOf(seen: SeenColumns) {
    // They change with the rows.
    void this.state.value.rows;
    return seen.columns();
  }

  #set(change: Partial<RowsState>): void {
    this.state.value = { ...this.state.peek(), ...change };
  }

  /** Ends the request under way; more can be read afterwards. */
  stop(): void {
    this.#stop.abort();
    this.#stop = new AbortController();
  }

  /** Reads on, over pages without rows, which a scan may have many of. */
  async loadMore(): Promise<void> {
    const { hasMore, isLoading, rows } = this.state.peek();
    if (isLoading || !hasMore || rows.length >= ROWS_MAX) return;
    this.#set({ isLoading: true, failure: undefined });
    try {
      const { signal: stopped } = this.#stop;
      for (let empty = 0; empty < EMPTY_PAGES_MAX && this.state.peek().hasMore; empty++)
        if (await this.#readPage(stopped)) break;
    } catch (error) {
      if (!isAborted(error)) this.#set({ failure: sentenceOf(error) });
    } finally {
      this.#set({ isLoading: false });
    }
  }

  /** Whether it had rows. */
  async #readPage(stopped: AbortSignal): Promise<boolean> {
    const begun = performance.now();
    const top = this.state.peek().pages === 0 ? FIRST_PAGE_ROWS : PAGE_ROWS;
    const { rows: read, next } = await queryPage(this.selected, { top, token: this.#next }, stopped);
    const { rows, pages, milliseconds } = this.state.peek();
    this.#seen.add(read);
    this.#known.add(read);
    this.#next = next;
    this.#set({
      rows: [...rows, ...read],
      pages: pages + 1,
      hasMore: next !== undefined,
      milliseconds: milliseconds + performance.now() - begun,
    });
    return read.length > 0;
  }

  /** Shows a new version of a row. */
  replace(key: Key, row: Row): void {
    this.#seen.add([row]);
    this.#set({ rows: this.state.peek().rows.map(each => (isSame(each, key) ? row : each)) });
  }

  remove(key: Key): void {
    this.#set({ rows: this.state.peek().rows.filter(each => !isSame(each, key)) });
  }
}
