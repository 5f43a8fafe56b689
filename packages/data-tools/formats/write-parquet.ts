// Writes the rows of a table as Apache Parquet, by row groups, so that memory holds one group at a time. parquet-columns.ts has the columns; hyparquet-writer knows the format.
import { ByteWriter, type ColumnSource, ParquetWriter } from 'hyparquet-writer';
import { detachedString } from '#base';
import type { Property, Row } from '../line/row.js';
import type { Columns } from './columns.js';
import {
  microsOf,
  type ParquetColumn,
  type ParquetValue,
  parquetColumns,
  parquetValue,
  schemaOf,
} from './parquet-columns.js';

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
