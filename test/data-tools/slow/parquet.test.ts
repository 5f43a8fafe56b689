// Parquet as read by pyarrow, the most widely used reader: the columns with their types, and every value of every type
// at its edges.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { toUSVString } from 'node:util';
import { Columns } from '../../../packages/data-tools/formats/columns.js';
import { microsOf, parquetColumns, writeParquet } from '../../../packages/data-tools/formats/parquet.js';
import {
  type EdmType,
  numberOf,
  type Property,
  type Row,
  textOf,
} from '../../../packages/data-tools/index.js';
import { NASTY_ROWS, rowOf } from '../../../packages/data-tools/testing/nasty-rows.js';
import { DATA_PACKAGES, pythonWith } from '../../programs/install.js';
import { run } from '../../programs/program.js';
import { ROOT } from '../../support/spawned-server.js';

const SCRIPT = join(ROOT, 'test', 'data-tools', 'parquet-rows.py');
const ROWS = [...NASTY_ROWS, rowOf('zz', 'half', [['half', 'String', 'a\ud800b']])];

const TYPES: Readonly<Record<EdmType, string>> = {
  String: 'string',
  Boolean: 'bool',
  Int32: 'int32',
  Int64: 'int64',
  Double: 'double',
  DateTime: 'timestamp[us, tz=UTC]',
  Guid: 'extension<arrow.uuid>',
  Binary: 'binary',
};

function double(value: number): string {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleBE(value);
  return bytes.toString('hex');
}

/** In the script's notation. */
function told(property: Property | undefined): string | null {
  if (property === undefined) return null;
  const text = textOf(property);
  switch (property.type) {
    case 'Boolean':
      return text === 'true' ? 'True' : 'False';
    case 'Double':
      return double(numberOf(property));
    case 'DateTime':
      return String(microsOf(text));
    default:
      return toUSVString(text);
  }
}

async function write(path: string, rows: readonly Row[], columns: Columns): Promise<void> {
  async function* each(): AsyncGenerator<Row> {
    yield* rows;
  }
  const pieces: Buffer[] = [];
  for await (const piece of writeParquet(each(), columns)) pieces.push(piece);
  await writeFile(path, Buffer.concat(pieces));
}

test('pyarrow finds every column with its type, and every value', async context => {
  const installed = pythonWith('data-lake', DATA_PACKAGES);
  if ('missing' in installed) return context.skip(installed.missing);
  const folder = await mkdtemp(join(tmpdir(), 'shelfmark-parquet-'));
  try {
    const path = join(folder, 'rows.parquet');
    const columns = new Columns();
    for (const row of ROWS) columns.add(row);
    await write(path, ROWS, columns);
    const found = JSON.parse(await run(installed.python, [SCRIPT, path])) as {
      schema: readonly (readonly [string, string])[];
      rows: readonly (readonly (string | null)[])[];
    };
    const list = parquetColumns(columns.list());
    assert.deepEqual(found.schema, [
      ['PartitionKey', 'string'],
      ['RowKey', 'string'],
      ['Timestamp', TYPES.DateTime],
      ...list.map(({ title, type }) => [title, TYPES[type]]),
    ]);
    assert(list.some(({ title }) => title.endsWith('@Int32')));
    assert.equal(found.rows.length, ROWS.length);
    for (const [place, { partitionKey, rowKey, timestamp = '', properties }] of ROWS.entries())
      assert.deepEqual(found.rows[place], [
        partitionKey,
        rowKey,
        String(microsOf(timestamp)),
        ...list.map(({ name, type }) =>
          told(properties.find(each => each.name === name && each.type === type)),
        ),
      ]);
  } finally {
    await rm(folder, { recursive: true });
  }
});
