// The rows of one query: read by continuation as the grid asks for them, and kept.
import { useMemo, useState } from 'preact/hooks';
import type { Key, Row } from '#data-tools/line';
import { type Column, SeenColumns } from '../../model/columns.js';
import { PAGE_ROWS, queryPage, type Selected } from '../client/table-client.js';
import { useLoaded } from '../state/loaded.js';

interface Rows {
  readonly rows: readonly Row[];
  readonly columns: readonly Column[];
  /** Requests so far. */
  readonly pages: number;
  /** Where the query continues; undefined before the first page, and after the last. */
  readonly next: string | undefined;
  readonly milliseconds: number;
}

/** Small, so that the first rows are there at once; the service's own limit afterwards. */
const FIRST_PAGE_ROWS = 200;
/** Browsers end elements at some 17 to 33 million pixels. */
export const ROWS_MAX = 500_000;
/** Pages without a row that are read before the user is asked whether to go on. */
const EMPTY_PAGES_MAX = 50;

const NOTHING: Rows = {
  rows: [],
  columns: new SeenColumns().columns(),
  pages: 0,
  next: undefined,
  milliseconds: 0,
};

export const isSame = (row: Row, { partitionKey, rowKey }: Key): boolean =>
  row.partitionKey === partitionKey && row.rowKey === rowKey;

/**
 * A new query stops the one before.
 *
 * @returns also what changes a row that is shown, and the columns of all queries of the table.
 */
export function useRows({ table, filter }: Selected) {
  const [asked, setAsked] = useState(0);
  const known = useMemo(() => new SeenColumns(), []);
  const seen = useMemo(() => new SeenColumns(), [filter, asked]);
  const loading = useLoaded<Rows>(
    async (stop, from, show) => {
      // On over pages without rows, which a scan may have many of.
      for (let empty = 1; ; empty++) {
        const begun = performance.now();
        const { pages, next: token } = from() ?? NOTHING;
        const top = pages === 0 ? FIRST_PAGE_ROWS : PAGE_ROWS;
        const page = await queryPage({ table, filter }, { top, token }, stop);
        for (const columns of [seen, known]) columns.add(page.rows);
        const { rows, milliseconds } = from() ?? NOTHING;
        const read = {
          rows: [...rows, ...page.rows],
          columns: seen.columns(),
          pages: pages + 1,
          next: page.next,
          milliseconds: milliseconds + performance.now() - begun,
        };
        if (page.rows.length > 0 || page.next === undefined || empty === EMPTY_PAGES_MAX) return read;
        show(read);
      }
    },
    [filter, asked],
  );
  const { value, failure, isLoading } = loading.state.value;
  const read = value ?? NOTHING;
  const hasMore = value === undefined || value.next !== undefined;
  const isFull = hasMore && read.rows.length >= ROWS_MAX;
  return {
    selected: { table, filter },
    read,
    failure,
    isLoading,
    hasMore,
    isFull,
    knownColumns: known.columns(),
    stop: loading.stop,
    more: () => {
      // Not as drawn: an effect may run after the page has been read, with the function of the drawing before.
      if (hasMore && !isFull && !loading.state.peek().isLoading) void loading.more();
    },
    /** Asking again reads again. */
    again: () => setAsked(count => count + 1),
    replace: (key: Key, row: Row) => {
      seen.add([row]);
      loading.edit(shown => ({
        ...shown,
        rows: shown.rows.map(each => (isSame(each, key) ? row : each)),
        columns: seen.columns(),
      }));
    },
    remove: (key: Key) =>
      loading.edit(shown => ({ ...shown, rows: shown.rows.filter(each => !isSame(each, key)) })),
  };
}
