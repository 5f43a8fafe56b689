// What files that Azurite itself wrote (test/data-tools) do not have: entities of its older versions, a second account,
// and files that are not Azurite's.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { LokiFile } from '../azurite/loki-file.js';
import { formatLine } from '../line/line.js';
import type { Row } from '../line/row.js';
import { ToolError } from '../source/tool-error.js';
import { openAzuriteFolder } from './azurite-folder.js';
import { azuriteTables } from './azurite-tables.js';

const ACCOUNT = 'devstoreaccount1';

function directoryOf(t: TestContext, files: Readonly<Record<string, unknown>>): string {
  const directory = mkdtempSync(join(tmpdir(), 'shelfmark-azurite-files-'));
  t.after(() => rmSync(directory, { recursive: true }));
  for (const [name, content] of Object.entries(files))
    writeFileSync(join(directory, name), typeof content === 'string' ? content : JSON.stringify(content));
  return directory;
}

const loki = (collections: Readonly<Record<string, readonly unknown[]>>): unknown => ({
  collections: Object.entries(collections).map(([name, data]) => ({ name, data })),
});

const entity = (RowKey: string, properties: Readonly<Record<string, unknown>>): unknown => ({
  PartitionKey: 'p',
  RowKey,
  properties: {
    PartitionKey: 'p',
    RowKey,
    ...properties,
    Timestamp: '2020-01-01T00:00:00Z',
    'Timestamp@odata.type': 'Edm.DateTime',
  },
  lastModifiedTime: '2020-01-01T00:00:00.1234567Z',
});

const GUID = 'A0B1C2D3-0000-1111-2222-333344445555';
const TABLES: Readonly<Record<string, unknown>> = {
  '__azurite_db_table__.json': loki({
    $TABLES_COLLECTION$: [
      {
        account: ACCOUNT,
        table: 'Orders',
        tableAcl: [{ id: 'a', accessPolicy: { permission: 'r', expiry: '2030-01-01T00:00:00Z' } }],
      },
      { account: 'other', table: 'Orders' },
    ],
    [`${ACCOUNT}$Orders`]: [
      entity('b', { x: null }),
      entity('a', {
        guid: Buffer.from(GUID).toString('base64'),
        'guid@odata.type': 'Edm.Guid',
        old: GUID,
        'old@odata.type': 'Edm.Guid',
        bare: '2020-01-01T00:00:00',
        'bare@odata.type': 'Edm.DateTime',
        zoned: '2020-01-01T00:00:00.5Z',
        'zoned@odata.type': 'Edm.DateTime',
        half: 1.5,
        whole: 1,
        'whole@odata.type': 'Edm.Double',
        int: 5,
      }),
    ],
    other$Orders: [entity('z', {})],
  }),
};

test('entities are as Azurite answered them', async t => {
  const file = new LokiFile(join(directoryOf(t, TABLES), '__azurite_db_table__.json'));
  assert.deepEqual(
    azuriteTables(file, 'other').map(({ name, rows }) => [name, rows]),
    [['Orders', 1]],
  );
  const [orders] = azuriteTables(file, ACCOUNT);
  assert.deepEqual(orders?.policies, [{ id: 'a', expiry: '2030-01-01T00:00:00Z', permission: 'r' }]);
  assert.equal(orders.rows, 2);
  const time = '"Timestamp":"2020-01-01T00:00:00.1234567Z"';
  const typed = (name: string, type: string, value: string): string =>
    `"${name}@odata.type":"Edm.${type}","${name}":${value}`;
  const guid = `"${GUID.toLowerCase()}"`;
  const found: Row[] = [];
  for await (const page of orders.pages()) found.push(...page);
  assert.deepEqual(found.map(formatLine), [
    `{"PartitionKey":"p","RowKey":"a",${time},${[
      typed('bare', 'DateTime', '"2020-01-01T00:00:00Z"'),
      typed('guid', 'Guid', guid),
      typed('half', 'Double', '1.5'),
      '"int":5',
      typed('old', 'Guid', guid),
      typed('whole', 'Double', '1.0'),
      typed('zoned', 'DateTime', '"2020-01-01T00:00:00.5Z"'),
    ].join()}}`,
    `{"PartitionKey":"p","RowKey":"b",${time}}`,
  ]);
});

test('a file that Azurite did not write is reported by name', t => {
  for (const content of [
    '',
    '{',
    '[]',
    '{}',
    '{"collections":[{}]}',
    '{"collections":[{"name":"$TABLES_COLLECTION$","data":[{}]}]}',
  ]) {
    const directory = directoryOf(t, { '__azurite_db_table__.json': content });
    const options = { account: undefined, wanted: { queues: false, blobs: false }, now: 0 };
    assert.throws(
      () => openAzuriteFolder(directory, options),
      error => error instanceof ToolError && error.message.includes('__azurite_db_table__.json'),
      content,
    );
  }
});
