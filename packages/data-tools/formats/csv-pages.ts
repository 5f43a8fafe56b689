// The rows of a CSV file in pages, like every other source of rows.
import type { Row } from '../line/row.js';
import { RowError } from '../line/row-error.js';
import { inPages } from '../source/pages.js';
import { readCsv } from './read-csv.js';

const PAGE_ROWS = 500;

/** @throws RowError with the name of the file. */
export async function* csvPages(
  bytes: AsyncIterable<Buffer>,
  name: string,
): AsyncGenerator<readonly Row[], void> {
  try {
    yield* inPages(readCsv(bytes), PAGE_ROWS);
  } catch (error) {
    if (error instanceof RowError) throw new RowError(`${name}, ${error.message}`);
    throw error;
  }
}
