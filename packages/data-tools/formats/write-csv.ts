// Writes the rows of a table as CSV (RFC 4180 with LF), in which every value keeps its type. csv-stringify quotes;
// csv-cell.ts makes the cells, read-csv.ts reads them.
import { stringify } from 'csv-stringify/sync';
import type { Row } from '../line/row.js';
import type { Columns } from './columns.js';
import { headerCells, rowCells } from './csv-record.js';

/** Carriage returns, and spaces at the ends, are quoted too: other readers end a record at the former, and trim the latter. */
const OPTIONS = { record_delimiter: '\n', quoted_match: /[\r\n]|^\s|\s$/ } as const;
/** Text that is passed on at once, approximately. */
const BATCH_UNITS = 65_536;

/** @param columns of all rows: properties that it does not name are left out. */
export async function* writeCsv(rows: AsyncIterable<Row>, columns: Columns): AsyncGenerator<string> {
  const places = new Map(columns.list().map(({ name }, place) => [name, place]));
  let batch: (readonly string[])[] = [headerCells(columns)];
  let units = 0;
  for await (const row of rows) {
    const cells = rowCells(row, columns, places);
    batch.push(cells);
    for (const cell of cells) units += cell.length + 1;
    if (units < BATCH_UNITS) continue;
    yield stringify(batch, OPTIONS);
    batch = [];
    units = 0;
  }
  yield stringify(batch, OPTIONS);
}
