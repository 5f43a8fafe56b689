// The header, the records and the cells of a CSV file, in both directions, as docs/data-tools.md#csv documents them:
// `name` and `name@type` in adjacent columns, as in Storage Explorer. A string with half a surrogate pair, which UTF-8
// cannot encode, is written as a JSON string, marked by its type. Quotes and line ends are the business of csv.ts, and of
// the explorer's page.
import { formatDateTime, formatString, literalOf } from '../line/literal.js';
import {
  compareText,
  EDM_TYPES,
  type EdmType,
  type Property,
  type Row,
  RowError,
  textOf,
} from '../line/row.js';
import { type Columns, isWellFormed } from './columns.js';

/** The suffix of a column's name: the types of its values. */
const TYPE_SUFFIX = '@type';
/** The type of a string whose cell is a JSON string. */
const ESCAPED = 'String@json';

/** Storage Explorer writes `Int32` since 1.40, and wrote `Edm.Int32` before. */
const TYPES: ReadonlyMap<string, EdmType> = new Map(
  EDM_TYPES.flatMap(type => [
    [type, type],
    [`Edm.${type}`, type],
  ]),
);

interface Cell {
  readonly text: string;
  readonly type: string;
}

/** The two cells of a string. */
const stringCell = (text: string): Cell =>
  isWellFormed(text) ? { text, type: 'String' } : { text: formatString(text), type: ESCAPED };

const cellOf = (property: Property): Cell =>
  property.type === 'String' ? stringCell(textOf(property)) : { text: textOf(property), type: property.type };

/** A JSON string's text. Throws RowError for anything else. */
function unescaped(text: string): string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = undefined;
  }
  if (typeof value !== 'string') throw new RowError(`${ESCAPED} stands beside what is not a JSON string`);
  return value;
}

/** The string of two cells: of a key, whose type is `String` or missing. Throws RowError. */
function stringOf({ text, type }: Cell): string {
  if (type === ESCAPED) return unescaped(text);
  if (type === '' || TYPES.get(type) === 'String') return text;
  throw new RowError(`a key is a String, not ${type}`);
}

/** The type and the literal of two cells; undefined for a property that the row does not have. Throws RowError. */
function cellValue(cell: Cell): Pick<Property, 'type' | 'literal'> | undefined {
  const { text, type } = cell;
  if (type === '') {
    if (text === '') return undefined;
    throw new RowError('there is a value without its type');
  }
  if (type === ESCAPED) return { type: 'String', literal: formatString(unescaped(text)) };
  const known = TYPES.get(type);
  if (known === undefined) throw new RowError(`${JSON.stringify(type)} is not a type`);
  return { type: known, literal: literalOf(known, text) };
}

/** A name in the header: as it is, or as a JSON string if UTF-8 cannot encode it, or if it would be taken for one. */
const headerOf = (name: string): string =>
  isWellFormed(name) && !name.startsWith('"') ? name : formatString(name);

/** Throws RowError. */
const nameOf = (header: string): string => (header.startsWith('"') ? unescaped(header) : header);

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
