// Reads the rows of a table from CSV: what write-csv.ts wrote, and what Storage Explorer exported with types. A column
// without an adjacent `name@type` holds Strings. An invalid file is a RowError with its line.
import { Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { formatDateTime, formatString } from '../line/literal.js';
import { compareText, type Property, type Row } from '../line/row.js';
import { RowError } from '../line/row-error.js';
import { type Cell, cellValue, nameOf, stringOf, TYPE_SUFFIX } from './csv-cell.js';

/** The positions of a name and of its types; undefined for a column without types. */
interface Place {
  readonly name: string;
  readonly at: number;
  readonly typeAt: number | undefined;
}

interface Header {
  readonly partitionKey: Place;
  readonly rowKey: Place;
  readonly timestamp: Place | undefined;
  /** By name in UTF-16 order. */
  readonly properties: readonly Place[];
}

const OPTIONS = { bom: true, info: true } as const;

/** Each name takes the column to its right if that has its types: a property may itself be called `a@type`. */
function placesOf(cells: readonly string[]): readonly Place[] {
  const places: Place[] = [];
  for (let at = 0; at < cells.length; at++) {
    const cell = cells[at] ?? '';
    const hasType = cells[at + 1] === cell + TYPE_SUFFIX;
    places.push({ name: nameOf(cell), at, typeAt: hasType ? at + 1 : undefined });
    if (hasType) at++;
  }
  return places;
}

/** Throws RowError. */
function headerOf(cells: readonly string[]): Header {
  const byName = new Map<string, Place>();
  for (const place of placesOf(cells)) {
    if (place.name === '') throw new RowError('a column has no name');
    if (byName.has(place.name)) throw new RowError(`the column ${JSON.stringify(place.name)} comes twice`);
    byName.set(place.name, place);
  }
  const [partitionKey, rowKey] = [byName.get('PartitionKey'), byName.get('RowKey')];
  if (partitionKey === undefined || rowKey === undefined)
    throw new RowError('the columns PartitionKey and RowKey are not there');
  const timestamp = byName.get('Timestamp');
  for (const name of ['PartitionKey', 'RowKey', 'Timestamp']) byName.delete(name);
  const properties = [...byName.values()].sort((a, b) => compareText(a.name, b.name));
  return { partitionKey, rowKey, timestamp, properties };
}

const cellAt = (record: readonly string[], { at, typeAt }: Place): Cell => ({
  text: record[at] ?? '',
  type: typeAt === undefined ? '' : (record[typeAt] ?? ''),
});

/** For a column without types: an empty cell is not a property, anything else a String. */
function propertyAt(record: readonly string[], place: Place): Property | undefined {
  const cell = cellAt(record, place);
  if (place.typeAt === undefined)
    return cell.text === ''
      ? undefined
      : { name: place.name, type: 'String', literal: formatString(cell.text) };
  try {
    const value = cellValue(cell);
    return value && { name: place.name, ...value };
  } catch (error) {
    if (!(error instanceof RowError)) throw error;
    throw new RowError(`${JSON.stringify(place.name)}: ${error.message}`);
  }
}

/** Throws RowError. */
function rowOf(record: readonly string[], header: Header): Row {
  const time = header.timestamp === undefined ? '' : (record[header.timestamp.at] ?? '');
  return {
    partitionKey: stringOf(cellAt(record, header.partitionKey)),
    rowKey: stringOf(cellAt(record, header.rowKey)),
    timestamp: time === '' ? undefined : formatDateTime(time),
    properties: header.properties.flatMap(place => propertyAt(record, place) ?? []),
  };
}

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
  return isEncoding ? new RowError(`the text is no UTF-8, somewhere after line ${line}`) : error;
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
      if (header === undefined) header = headerOf(record);
      else yield rowOf(record, header);
    }
    if (header === undefined) throw new RowError('there is no header');
  } catch (error) {
    throw rowErrorOf(error, line);
  } finally {
    text.destroy();
    parser.destroy();
  }
}
