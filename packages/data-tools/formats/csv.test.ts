// CSV both ways: a table's content reads back as it was; exports of Storage Explorer are read; an invalid file is
// reported with its line.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { formatLine } from '../line/line.js';
import { type EdmType, type Row, RowError } from '../line/row.js';
import { ToolError } from '../source/tool-error.js';
import { NASTIER_ROWS, NASTY_ROWS, rowOf } from '../testing/nasty-rows.js';
import { Columns, NAMES_MAX } from './columns.js';
import { readCsv, writeCsv } from './csv.js';

async function* each<T>(values: Iterable<T>): AsyncGenerator<T> {
  yield* values;
}

async function written(rows: readonly Row[]): Promise<string> {
  const columns = new Columns();
  for (const row of rows) columns.add(row);
  let text = '';
  for await (const piece of writeCsv(each(rows), columns)) text += piece;
  return text;
}

/** Read in pieces that end anywhere, in the middle of characters too. */
async function read(text: string | Uint8Array, pieceBytes = 7): Promise<readonly Row[]> {
  const bytes = Buffer.from(text);
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += pieceBytes) pieces.push(bytes.subarray(at, at + pieceBytes));
  const rows: Row[] = [];
  for await (const row of readCsv(each(pieces))) rows.push(row);
  return rows;
}

describe('CSV', () => {
  test('keeps every type at its edges, odd names and odd keys', async () => {
    for (const rows of [[], NASTY_ROWS, NASTIER_ROWS])
      assert.deepEqual((await read(await written(rows), 4096)).map(formatLine), rows.map(formatLine));
  });

  test('keeps whatever strings are names, keys and values', async () => {
    const text = fc.string({ unit: 'binary', maxLength: 6 });
    const half = fc.constantFrom(
      ...['\ud800', 'a\udc00', '"', '"\ud800"', '@type', 'a@type', '\r', '\n', ',', ' '],
    );
    const any = fc.oneof(text, half);
    const name = any.filter(each => each !== '' && !['PartitionKey', 'RowKey', 'Timestamp'].includes(each));
    const value = fc.constantFrom<[EdmType, string]>(
      ['Double', '-0'],
      ['Double', 'NaN'],
      ['Int64', '-9223372036854775808'],
      ['Binary', ''],
      ['Guid', '00112233-4455-6677-8899-aabbccddeeff'],
    );
    const property = fc.oneof(
      any.map((each): [EdmType, string] => ['String', each]),
      value,
    );
    const row = fc
      .tuple(any, any, fc.dictionary(name, property, { maxKeys: 4 }))
      .map(([partitionKey, rowKey, properties]) =>
        rowOf(
          partitionKey,
          rowKey,
          Object.entries(properties).map(([each, [type, told]]) => [each, type, told]),
        ),
      );
    await fc.assert(
      fc.asyncProperty(fc.array(row, { maxLength: 4 }), async rows => {
        assert.deepEqual((await read(await written(rows))).map(formatLine), rows.map(formatLine));
      }),
      { numRuns: 100 },
    );
  });

  test('has name and name@type in adjacent columns, the type in every row, and nothing where a property is absent', async () => {
    const rows = [
      rowOf('p', 'a', [
        ['b', 'Int32', '1'],
        ['a', 'String', ''],
      ]),
      rowOf('p', 'b', [['b', 'String', 'x,"y"']]),
      rowOf('p', 'c', []),
    ].map(row => ({ ...row, timestamp: '2020-01-01T00:00:00Z' }));
    assert.equal(
      await written(rows),
      [
        'PartitionKey,RowKey,Timestamp,a,a@type,b,b@type',
        'p,a,2020-01-01T00:00:00Z,,String,1,Int32',
        'p,b,2020-01-01T00:00:00Z,,,"x,""y""",String',
        'p,c,2020-01-01T00:00:00Z,,,,',
        '',
      ].join('\n'),
    );
  });

  test('writes a half surrogate pair as a JSON string, and marks it', async () => {
    const text = await written([rowOf('p', 'r', [['a', 'String', 'x\ud800']])]);
    assert.match(text, /,"""x\\ud800""",String@json\n$/);
    const key = await written([rowOf('\ud800', 'r', [])]);
    assert.equal(key.split('\n')[0], 'PartitionKey,PartitionKey@type,RowKey,RowKey@type,Timestamp');
  });

  test('of Storage Explorer is read, of any version, with a byte order mark and CRLF', async () => {
    const text =
      '\ufeffPartitionKey,RowKey,Timestamp,age,age@type,name,name@type\r\np,1,2020-01-01T00:00:00.1200000Z,5,Edm.Int32,,\r\np,2,,7.5,Double,Ann,String\r\n';
    assert.deepEqual((await read(text)).map(formatLine), [
      '{"PartitionKey":"p","RowKey":"1","Timestamp":"2020-01-01T00:00:00.12Z","age":5}',
      '{"PartitionKey":"p","RowKey":"2","age@odata.type":"Edm.Double","age":7.5,"name":"Ann"}',
    ]);
    // Without types values are strings, and empty cells are no properties.
    assert.deepEqual((await read('RowKey,PartitionKey,x\n1,p,5\n2,p,\n')).map(formatLine), [
      '{"PartitionKey":"p","RowKey":"1","x":"5"}',
      '{"PartitionKey":"p","RowKey":"2"}',
    ]);
  });

  test('that is invalid is refused, with the place', async () => {
    const head = 'PartitionKey,RowKey,a,a@type\n';
    for (const [text, message] of [
      ['', /there is no header/],
      ['RowKey,a\n', /the columns PartitionKey and RowKey are not there/],
      ['PartitionKey,RowKey,a,a\n', /the column "a" comes twice/],
      ['PartitionKey,RowKey,\n', /a column has no name/],
      [
        `${head}p,1,x,String\np,2,5,\n`,
        /"a": there is a value without its type, in the record that ends in line 3/,
      ],
      [`${head}p,1,x,Int32\n`, /"a": "x" is not an Int32, in the record that ends in line 2/],
      [`${head}p,1,x,Float\n`, /"a": "Float" is not a type/],
      [`${head}p,1,x,String@json\n`, /String@json stands beside what is not a JSON string/],
      [`${head}p,1,x\n`, /Invalid Record Length/],
      [`${head}p,1,"x,String\n`, /Quote Not Closed/],
      [Buffer.from(`${head}p,1,\xff,String\n`, 'latin1'), /not UTF-8/],
    ] as const)
      await assert.rejects(read(text), error => error instanceof RowError && message.test(error.message));
  });

  test('holds the maximum of names, and no more', () => {
    const columns = new Columns();
    const add = (name: string): void => columns.add(rowOf('p', 'r', [[name, 'Int32', '1']]));
    for (let i = 0; i < NAMES_MAX; i++) add(`p${i}`);
    add('p0');
    assert.equal(columns.list().length, NAMES_MAX);
    assert.throws(
      () => add('one more'),
      error => error instanceof ToolError && error.exit === 'usage',
    );
  });
});
