// Deletes the rows of a query page by page, in batches over many partitions at a time, and gives a token after each page by which another process can
// continue.
import type { Results } from '../read/results.js';
import { PatternError, type RowAddress } from '../values/pattern-error.js';
import { BatchWriter } from './batch-writer.js';
import type { RowChange } from './change.js';
import { planDelete } from './plan-write.js';
import type { Service } from './service.js';

/** How bulk deletes are sent, and under which condition. */
export interface DeleteRowsOptions {
  /** Only rows that are as the query read them; those that were changed since stay, and are counted as such. */
  readonly conditional: boolean;
  /** The `next` of the last progress that was seen; the query is the same. */
  readonly resume?: string | undefined;
  /** Batches that are under way at a time; 8 by default. */
  readonly concurrency?: number | undefined;
  /** Rows of a page; 1,000 by default. */
  readonly size?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Where it is after a page. Counts are of all pages since the start, or since the token that was given. */
export interface DeleteProgress {
  readonly deleted: number;
  /** Rows that another client had deleted: only where it is conditional, else they count as deleted. */
  readonly gone: number;
  /** Rows that were changed since the query read them, and stay: only where it is conditional. */
  readonly changed: number;
  /** By which to go on; undefined at the end. */
  readonly next: string | undefined;
}

/** Rows are deleted by their addresses, whatever was read of them. */
type DeletableRow = RowAddress & { readonly etag: string };

/** A query of rows, of what is selected of them, or of bags. */
export type DeletableRows = Pick<Results<DeletableRow>, 'pages'>;

const changeOf = (row: DeletableRow, conditional: boolean): RowChange => ({
  plan: () => (conditional ? planDelete(row, row.etag) : { ...planDelete(row, '*'), ifExists: true }),
});

/** Throws what a delete is refused with besides; what was seen of the page is then done again by the token before it. */
export async function* deletePages(
  service: Service,
  rows: DeletableRows,
  { conditional, resume, size, signal, concurrency }: DeleteRowsOptions,
): AsyncGenerator<DeleteProgress, void, undefined> {
  let [deleted, gone, changed] = [0, 0, 0];
  for await (const { items, next } of rows.pages({ resume, size, signal })) {
    const changes = items.map(row => changeOf(row, conditional));
    const writer = new BatchWriter(service, changes, { concurrency, signal, ordered: false });
    for await (const report of writer.reports()) {
      if (report.kind === 'done') deleted++;
      else if (PatternError.is(report.error, 'NotFound')) gone++;
      else if (PatternError.is(report.error, 'Conflict')) changed++;
      else throw report.error;
    }
    yield { deleted, gone, changed, next };
  }
}
