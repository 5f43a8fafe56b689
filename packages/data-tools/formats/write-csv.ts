// Writes the rows of a table as CSV (RFC 4180 with LF), in which every value keeps its type. csv-cell.ts makes the
// cells, read-csv.ts reads them.
import type { Row } from '../line/row.js';
import type { Columns } from './columns.js';
import { headerCells, rowCells } from './csv-record.js';

/** Carriage returns, and spaces at the ends, are quoted too: other readers end a record at the former, and trim the latter. */
const TO_QUOTE = /[",\r\n]|^\s|\s$/;
/** Text that is passed on at once, approximately. */
const BATCH_UNITS = 65_536;

const quoted = (cell: string): string => (TO_QUOTE.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);

const lineOf = (cells: readonly string[]): string => `${cells.map(quoted).join()}\n`;

/** @param columns of all rows: properties that it does not name are left out. */
export async function* writeCsv(rows: AsyncIterable<Row>, columns: Columns): AsyncGenerator<string> {
  const places = new Map(columns.list().map(({ name }, place) => [name, place]));
  let text = lineOf(headerCells(columns));
  for await (const row of rows) {
    text += lineOf(rowCells(row, columns, places));
    if (text.length < BATCH_UNITS) continue;
    yield text;
    text = '';
  }
  yield text;
}
