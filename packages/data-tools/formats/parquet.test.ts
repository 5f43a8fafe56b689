// Parquet: what hyparquet, an independent reader, finds in the file: the columns and their types, and each value.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { toUSVString } from 'node:util';
import { parquetMetadata, parquetRead } from 'hyparquet';
import { bytesOf } from '../line/bytes.js';
import { int64Of, numberOf, type Property, type Row, RowError, textOf } from '../line/row.js';
import { NASTIER_ROWS, NASTY_ROWS, rowOf, type Told } from '../testing/nasty-rows.js';
import { Columns } from './columns.js';
import { microsOf, parquetColumns, writeParquet } from './parquet.js';

async function* each<T>(values: Iterable<T>): AsyncGenerator<T> {
  yield* values;
}

function columnsOf(rows: readonly Row[]): Columns {
  const columns = new Columns();
  for (const row of rows) columns.add(row);
  return columns;
}

async function written(rows: readonly Row[]): Promise<ArrayBuffer> {
  const pieces: Buffer[] = [];
  for await (const piece of writeParquet(each(rows), columnsOf(rows))) pieces.push(piece);
  const bytes = Buffer.concat(pieces);
  return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
}

/** Every row as an array of its cells, with bytes for untyped strings and microseconds as numbers for times. */
async function read(file: ArrayBuffer): Promise<readonly (readonly unknown[])[]> {
  let rows: readonly (readonly unknown[])[] = [];
  await parquetRead({
    file,
    utf8: false,
    parsers: { timestampFromMicroseconds: (micros: bigint) => micros } as never,
    onComplete: (found: unknown[][]) => {
      rows = found;
    },
  });
  return rows;
}

/** What a reader should find for a property. Half surrogate pairs are replaced: Parquet's strings are UTF-8. */
function expected(property: Property): unknown {
  switch (property.type) {
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
      return Uint8Array.from(bytesOf(property));
    default:
      return toUSVString(textOf(property));
  }
}

const plain = (value: unknown): unknown =>
  value instanceof Uint8Array ? Uint8Array.from(value) : (value ?? undefined);

async function check(rows: readonly Row[]): Promise<void> {
  const columns = parquetColumns(columnsOf(rows).list());
  const found = await read(await written(rows));
  assert.equal(found.length, rows.length);
  for (const [i, row] of rows.entries()) {
    const cells = found[i] ?? [];
    assert.equal(cells[0], toUSVString(row.partitionKey));
    assert.equal(cells[1], toUSVString(row.rowKey));
    for (const [place, { name, type, title }] of columns.entries()) {
      const property = row.properties.find(one => one.name === name && one.type === type);
      assert.deepEqual(plain(cells[place + 3]), property && expected(property), `${row.rowKey}: ${title}`);
    }
  }
}

describe('Parquet', () => {
  test('has every value at its edges, odd names and odd keys', async () => {
    await check(NASTY_ROWS);
    await check(NASTIER_ROWS);
  });

  test('has minus zero among zeros, in as many rows as make a dictionary', async () => {
    await check(
      Array.from({ length: 500 }, (_, i) =>
        rowOf('p', String(i).padStart(4, '0'), [['d', 'Double', i % 2 ? '-0' : '0']]),
      ),
    );
  });

  test('has a column per type if a name has several, and no two with one title', () => {
    const told = parquetColumns([
      { name: 'a', types: ['String', 'Int32'] },
      { name: 'a@Int32', types: ['String'] },
      { name: 'a@Int32@String', types: ['Int64'] },
      { name: 'b', types: ['Int32'] },
    ]);
    assert.deepEqual(
      told.map(({ title }) => title),
      ['a@String', 'a@Int32', 'a@Int32@String', 'a@Int32@String@Int64', 'b'],
    );
  });

  test('has the types that each value has', async () => {
    const file = await written(NASTY_ROWS);
    const { schema } = parquetMetadata(file);
    const told = new Map(
      schema.map(({ name, type, converted_type, logical_type }) => [
        name,
        [type, converted_type ?? logical_type?.type],
      ]),
    );
    for (const [name, ...types] of [
      ['PartitionKey', 'BYTE_ARRAY', 'UTF8'],
      ['Timestamp', 'INT64', 'TIMESTAMP_MICROS'],
      ['emptyString', 'BYTE_ARRAY', 'UTF8'],
      ['true', 'BOOLEAN', undefined],
      ['int32Least', 'INT32', undefined],
      ['int64Least', 'INT64', undefined],
      ['nan', 'DOUBLE', undefined],
      ['ticks', 'INT64', 'TIMESTAMP_MICROS'],
      ['guid', 'FIXED_LEN_BYTE_ARRAY', 'UUID'],
      ['bytes', 'BYTE_ARRAY', undefined],
      ['mixed@Int32', 'INT32', undefined],
    ])
      assert.deepEqual(told.get(name ?? ''), types, name);
  });

  test('of an empty table has its keys, and no rows', async () => {
    const file = await written([]);
    assert.deepEqual(
      parquetMetadata(file).schema.map(({ name }) => name),
      ['root', 'PartitionKey', 'RowKey', 'Timestamp'],
    );
    assert.deepEqual(await read(file), []);
  });

  const groupsOf = async (rows: readonly Row[]): Promise<readonly number[]> =>
    parquetMetadata(await written(rows)).row_groups.map(({ num_rows }) => Number(num_rows));
  const small = (count: number, make = (_i: number): readonly Told[] => []): readonly Row[] =>
    Array.from({ length: count }, (_, i) => rowOf('p', String(i), make(i)));

  test('has groups of 20,000 rows', async () => {
    const rows = Array.from({ length: 20_001 }, (_, i) => rowOf('p', 'r', [['n', 'Int32', String(i)]]));
    assert.equal((await read(await written(rows))).at(-1)?.[3], 20_000);
    assert.deepEqual(await groupsOf(rows.slice(2)), [19_999]);
    assert.deepEqual(await groupsOf(rows.slice(1)), [20_000]);
    assert.deepEqual(await groupsOf(rows), [20_000, 1]);
  });

  test('has groups of a million cells, absent ones and keys among them', async () => {
    const wide = (count: number): readonly Row[] =>
      small(count, i =>
        i > 0 ? [] : Array.from({ length: 1_997 }, (_, name): Told => [`n${name}`, 'Boolean', 'true']),
      );
    assert.deepEqual(await groupsOf(wide(499)), [499]);
    assert.deepEqual(await groupsOf(wide(500)), [500]);
    assert.deepEqual(await groupsOf(wide(501)), [500, 1]);
  });

  test('ends a group at 16 Mi characters of keys and values', async () => {
    // Two keys of one character, and two quotes.
    const first = 16 * 1_048_576 - 4;
    for (const [length, groups] of [
      [first - 1, [2]],
      [first, [1, 1]],
      [first + 1, [1, 1]],
    ] as const) {
      const rows = small(2, i => [['s', 'String', i === 0 ? 'x'.repeat(length) : '']]);
      assert.deepEqual(await groupsOf(rows), groups, String(length - first));
    }
  });

  test('counts microseconds of any year, zone and fraction', () => {
    assert.equal(microsOf('1970-01-01T00:00:00Z'), 0n);
    assert.equal(microsOf('1970-01-01T00:00:00.1234567Z'), 123_456n);
    assert.equal(microsOf('1969-12-31T23:59:59.9999999Z'), -1n);
    assert.equal(microsOf('1970-01-01T01:00:00+01:00'), 0n);
    assert.equal(microsOf('0001-01-01T00:00:00Z'), -62_135_596_800_000_000n);
    assert.equal(microsOf('9999-12-31T23:59:59.999999Z'), 253_402_300_799_999_999n);
    assert.equal(microsOf('12345-01-01T00:00:00Z'), 327_403_382_400_000_000n);
    assert.throws(() => microsOf('275761-01-01T00:00:00Z'), RowError);
  });
});
