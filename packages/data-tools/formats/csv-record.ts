// The records of a CSV file as lists of cells, in both directions (docs/data-tools.md#csv): which cells are a header, and which a row. Quotes and line ends are
// the business of read-csv.ts and write-csv.ts, and of the explorer's page.
import { formatDateTime, formatString } from '../line/literal.js';
import { compareText, type Property, type Row, RowError } from '../line/row.js';
import type { Columns } from './columns.js';
import {
  type Cell,
  cellOf,
  cellValue,
  headerOf,
  nameOf,
  stringCell,
  stringOf,
  TYPE_SUFFIX,
} from './csv-cell.js';

/** The positions of a name and of its types; undefined for a column without types. */
interface Place {
  readonly name: string;
  readonly at: number;
  readonly typeAt: number | undefined;
}

/** What the first record says of all others. */
export interface Header {
  readonly partitionKey: Place;
  readonly rowKey: Place;
  readonly timestamp: Place | undefined;
  /** By name in UTF-16 order. */
  readonly properties: readonly Place[];
}

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
export function readHeader(cells: readonly string[]): Header {
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
export function readRecord(record: readonly string[], header: Header): Row {
  const time = header.timestamp === undefined ? '' : (record[header.timestamp.at] ?? '');
  return {
    partitionKey: stringOf(cellAt(record, header.partitionKey)),
    rowKey: stringOf(cellAt(record, header.rowKey)),
    timestamp: time === '' ? undefined : formatDateTime(time),
    properties: header.properties.flatMap(place => propertyAt(record, place) ?? []),
  };
}

/** The cells of a key: its type follows only if some key of the table needs an escape. */
function keyCells(text: string, columns: Columns): readonly string[] {
  if (columns.hasPlainKeys) return [text];
  const cell = stringCell(text);
  return [cell.text, cell.type];
}

export function headerCells(columns: Columns): readonly string[] {
  const keys = ['PartitionKey', 'RowKey'];
  const keyHeaders = columns.hasPlainKeys ? keys : keys.flatMap(name => [name, name + TYPE_SUFFIX]);
  const names = columns.list().flatMap(({ name }) => [headerOf(name), headerOf(name) + TYPE_SUFFIX]);
  return [...keyHeaders, 'Timestamp', ...names];
}

export function rowCells(row: Row, columns: Columns, places: ReadonlyMap<string, number>): readonly string[] {
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
