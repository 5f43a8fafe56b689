// Reads and writes the rows of a table as CSV (RFC 4180 with LF), in which every value keeps its type. Reads what
// Storage Explorer exported with types, too; a column without an adjacent `name@type` holds Strings. An invalid file is
// a RowError with its line.
import { Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { type Row, RowError } from '../line/row.js';
import { inPages } from '../source/row-source.js';
import type { Columns } from './columns.js';
import { type Header, headerCells, readHeader, readRecord, rowCells } from './csv-record.js';

const OPTIONS = { bom: true, info: true } as const;

/** Bytes as text, which must be UTF-8. The parser handles a byte order mark. */
async function* decoded(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  for await (const chunk of bytes) yield decoder.decode(chunk, { stream: true });
  yield decoder.decode();
}

function rowErrorOf(error: unknown, line: number): unknown {
  if (error instanceof CsvError) return new RowError(error.message);
  if (error instanceof RowError)
    return new RowError(`${error.message}, in the record that ends in line ${line}`);
  const isEncoding =
    error instanceof TypeError && 'code' in error && error.code === 'ERR_ENCODING_INVALID_ENCODED_DATA';
  return isEncoding ? new RowError(`the text is not UTF-8, somewhere after line ${line}`) : error;
}

interface Parsed {
  readonly record: readonly string[];
  readonly info: { readonly lines: number };
}

/** @throws RowError for an invalid file; or the error of `bytes`. */
export async function* readCsv(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Row> {
  const parser = parse(OPTIONS);
  const text = Readable.from(decoded(bytes));
  text.on('error', error => parser.destroy(error));
  let header: Header | undefined;
  let line = 1;
  try {
    const records: AsyncIterable<Parsed> = text.pipe(parser);
    for await (const { record, info } of records) {
      line = info.lines;
      if (header === undefined) header = readHeader(record);
      else yield readRecord(record, header);
    }
    if (header === undefined) throw new RowError('there is no header');
  } catch (error) {
    throw rowErrorOf(error, line);
  } finally {
    text.destroy();
    parser.destroy();
  }
}

const PAGE_ROWS = 500;

/** In pages, as every other source of rows. @throws RowError with the name of the file. */
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
