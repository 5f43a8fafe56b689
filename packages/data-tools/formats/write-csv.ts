// Writes the rows of a table as CSV (RFC 4180 with LF), in which every value keeps its type. csv-stringify quotes;
// csv-cell.ts makes the cells, read-csv.ts reads them.
import { stringify } from 'csv-stringify/sync';
import type { Row } from '../line/row.js';
import type { Columns } from './columns.js';
import { cellOf, headerOf, stringCell, TYPE_SUFFIX } from './csv-cell.js';

/** Carriage returns, and spaces at the ends, are quoted too: other readers end a record at the former, and trim the latter. */
const OPTIONS = { record_delimiter: '\n', quoted_match: /[\r\n]|^\s|\s$/ } as const;
/** Text that is passed on at once, approximately. */
const BATCH_UNITS = 65_536;

/** The cells of a key: its type follows only if some key of the table needs an escape. */
function keyCells(text: string, columns: Columns): readonly string[] {
  if (columns.hasPlainKeys) return [text];
  const cell = stringCell(text);
  return [cell.text, cell.type];
}

function headerCells(columns: Columns): readonly string[] {
  const keys = ['PartitionKey', 'RowKey'];
  const keyHeaders = columns.hasPlainKeys ? keys : keys.flatMap(name => [name, name + TYPE_SUFFIX]);
  const names = columns.list().flatMap(({ name }) => [headerOf(name), headerOf(name) + TYPE_SUFFIX]);
  return [...keyHeaders, 'Timestamp', ...names];
}

function rowCells(row: Row, columns: Columns, places: ReadonlyMap<string, number>): readonly string[] {
  const properties = new Array<string>(places.size * 2).fill('');
  for (const property of row.properties) {
    const place = places.get(property.name);
    if (place === undefined) continue;
    const { text, type } = cellOf(property);
    properties[place * 2] = text;
    properties[place * 2 + 1] = type;
  }
  return [
    ...keyCells(row.partitionKey, columns),
    ...keyCells(row.rowKey, columns),
    row.timestamp ?? '',
    ...properties,
  ];
}

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
