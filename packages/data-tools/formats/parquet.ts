// Writes the rows of a table as Apache Parquet, by row groups, so that memory holds one group at a time. A name with
// several types has a column for each, `name@Int32` and `name@String`. hyparquet-writer knows the format.
import type { SchemaElement } from 'hyparquet';
import { ByteWriter, type ColumnSource, ParquetWriter } from 'hyparquet-writer';
import { detachedString } from '#base';
import { bytesOf } from '../line/bytes.js';
import { type EdmType, int64Of, numberOf, type Property, type Row, RowError, textOf } from '../line/row.js';
import type { Column, Columns } from './columns.js';

interface ParquetColumn {
  /** In the file. */
  readonly title: string;
  readonly name: string;
  readonly type: EdmType;
}

/**
 * One column per name and type, in the order of names. A name with one type keeps its own, unless it equals another
 * name's `name@Type`.
 */
export function parquetColumns(columns: readonly Column[]): readonly ParquetColumn[] {
  const withType = new Set(columns.filter(({ types }) => types.length > 1).map(({ name }) => name));
  const titleOf = (name: string, type: EdmType): string => (withType.has(name) ? `${name}@${type}` : name);
  // Titles with a type differ from each other, so a clash involves a plain name, which then gets its type. That title
  // may clash again.
  for (let isClear = false; !isClear; ) {
    const titles = new Set(
      columns
        .filter(({ name }) => withType.has(name))
        .flatMap(({ name, types }) => types.map(type => `${name}@${type}`)),
    );
    const clashing = columns.filter(({ name }) => !withType.has(name) && titles.has(name));
    for (const { name } of clashing) withType.add(name);
    isClear = clashing.length === 0;
  }
  return columns.flatMap(({ name, types }) =>
    types.map(type => ({ title: titleOf(name, type), name, type })),
  );
}

const TIME: Omit<SchemaElement, 'name'> = {
  type: 'INT64',
  converted_type: 'TIMESTAMP_MICROS',
  logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' },
};
const TEXT: Omit<SchemaElement, 'name'> = {
  type: 'BYTE_ARRAY',
  converted_type: 'UTF8',
  logical_type: { type: 'STRING' },
};

const ELEMENTS: Readonly<Record<EdmType, Omit<SchemaElement, 'name'>>> = {
  String: TEXT,
  Boolean: { type: 'BOOLEAN' },
  Int32: { type: 'INT32' },
  Int64: { type: 'INT64' },
  Double: { type: 'DOUBLE' },
  DateTime: TIME,
  Guid: { type: 'FIXED_LEN_BYTE_ARRAY', type_length: 16, logical_type: { type: 'UUID' } },
  Binary: { type: 'BYTE_ARRAY' },
};

/** A row has a value in it, or none. */
const schemaOf = (name: string, type: EdmType, isRequired = false): SchemaElement => ({
  name,
  ...ELEMENTS[type],
  repetition_type: isRequired ? 'REQUIRED' : 'OPTIONAL',
});

const TIME_PARTS = /^(-?\d{4,})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:Z|([+-])(\d\d):(\d\d))?$/;

/**
 * Microseconds since 1970, cut off after the sixth digit. Throws RowError for a year that JavaScript's dates do not
 * reach, beyond 275,760.
 */
export function microsOf(text: string): bigint {
  const parts = TIME_PARTS.exec(text);
  if (parts === null) throw new RowError(`${text} is not a time that Parquet can hold`);
  const [, year, month, day, hour, minute, second, fraction = '', sign, zoneHours, zoneMinutes] = parts;
  // A year below 100 would be taken for one of the last century.
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  date.setUTCHours(Number(hour), Number(minute), Number(second));
  if (Number.isNaN(date.getTime())) throw new RowError(`${text} is not a time that Parquet can hold`);
  const zone =
    sign === undefined ? 0 : (Number(zoneHours) * 60 + Number(zoneMinutes)) * (sign === '-' ? -1 : 1);
  const seconds = BigInt(date.getTime() / 1000 - zone * 60);
  return seconds * 1_000_000n + BigInt(fraction.slice(0, 6).padEnd(6, '0'));
}

type ParquetValue = string | boolean | number | bigint | Uint8Array | undefined;

function parquetValue(property: Property): ParquetValue {
  switch (property.type) {
    case 'String':
    case 'Guid':
      return textOf(property);
    case 'Boolean':
      return property.literal === 'true';
    case 'Int32':
    case 'Double':
      return numberOf(property);
    case 'Int64':
      return int64Of(property);
    case 'DateTime':
      return microsOf(textOf(property));
    case 'Binary':
      return bytesOf(property);
  }
}

/** A reader, too, has a row group in memory at once. */
const GROUP_ROWS_MAX = 20_000;
const GROUP_UNITS_MAX = 16 * 1_048_576;
/** Cells of a group; absent ones take memory too, so tables with many names have smaller groups. */
const GROUP_CELLS_MAX = 1_000_000;

/** Where a row's property goes: columns of one name, by type. */
type Places = ReadonlyMap<string, ReadonlyMap<string, number>>;

function placesOf(columns: readonly ParquetColumn[]): Places {
  const places = new Map<string, Map<string, number>>();
  for (const [place, { name, type }] of columns.entries()) {
    const ofName = places.get(name) ?? new Map<string, number>();
    places.set(name, ofName.set(type, place));
  }
  return places;
}

class Group {
  readonly #columns: readonly ParquetColumn[];
  readonly #places: Places;
  readonly #keys: { partitionKey: string[]; rowKey: string[]; timestamp: (bigint | undefined)[] } = {
    partitionKey: [],
    rowKey: [],
    timestamp: [],
  };
  readonly #values: ParquetValue[][];
  #units = 0;

  constructor(columns: readonly ParquetColumn[], places: Places) {
    this.#columns = columns;
    this.#places = places;
    this.#values = columns.map(() => []);
  }

  get rows(): number {
    return this.#keys.rowKey.length;
  }

  get isFull(): boolean {
    const rowsMax = Math.min(GROUP_ROWS_MAX, Math.ceil(GROUP_CELLS_MAX / (this.#columns.length + 3)));
    return this.rows >= rowsMax || this.#units >= GROUP_UNITS_MAX;
  }

  add({ partitionKey, rowKey, timestamp, properties }: Row): void {
    const place = this.rows;
    // Minimum and maximum stay until the end, and must not retain the text of their page.
    this.#keys.partitionKey.push(detachedString(partitionKey));
    this.#keys.rowKey.push(detachedString(rowKey));
    this.#keys.timestamp.push(timestamp === undefined ? undefined : microsOf(timestamp));
    this.#units += partitionKey.length + rowKey.length;
    for (const property of properties) this.#addProperty(property, place);
  }

  #addProperty(property: Property, place: number): void {
    const column = this.#places.get(property.name)?.get(property.type);
    const values = column === undefined ? undefined : this.#values[column];
    if (values === undefined) return;
    // Rows before it did not have the property.
    while (values.length < place) values.push(undefined);
    values.push(parquetValue(property));
    this.#units += property.literal.length;
  }

  /**
   * In the form that hyparquet-writer takes. Doubles go without a dictionary, which would take -0 for 0. Minimum and
   * maximum of strings and bytes are left out: the writer keeps them whole until the end, for each group.
   */
  columnData(): ColumnSource[] {
    const { partitionKey, rowKey, timestamp } = this.#keys;
    return [
      { name: 'PartitionKey', data: partitionKey },
      { name: 'RowKey', data: rowKey },
      { name: 'Timestamp', data: timestamp },
      ...this.#columns.map(({ title, type }, place) => {
        const data = this.#values[place] ?? [];
        while (data.length < this.rows) data.push(undefined);
        if (type === 'Double') return { name: title, data, encoding: 'PLAIN' as const };
        return { name: title, data, statistics: type !== 'String' && type !== 'Binary' };
      }),
    ];
  }
}

/** What the writer has written since the last call; the writer then forgets it. */
function taken(writer: ByteWriter): Buffer {
  const bytes = Buffer.from(writer.getBytes());
  writer.index = 0;
  return bytes;
}

/** @param columns of all rows. */
export async function* writeParquet(rows: AsyncIterable<Row>, columns: Columns): AsyncGenerator<Buffer> {
  const list = parquetColumns(columns.list());
  const places = placesOf(list);
  const writer = new ByteWriter();
  const parquet = new ParquetWriter({
    writer,
    schema: [
      { name: 'root', num_children: list.length + 3 },
      schemaOf('PartitionKey', 'String', true),
      schemaOf('RowKey', 'String', true),
      schemaOf('Timestamp', 'DateTime'),
      ...list.map(({ title, type }) => schemaOf(title, type)),
    ],
    createdBy: 'shelfmark',
  });
  let group = new Group(list, places);
  for await (const row of rows) {
    group.add(row);
    if (!group.isFull) continue;
    parquet.write({ columnData: group.columnData(), rowGroupSize: group.rows });
    yield taken(writer);
    group = new Group(list, places);
  }
  if (group.rows > 0) parquet.write({ columnData: group.columnData(), rowGroupSize: group.rows });
  parquet.finish();
  yield taken(writer);
}
