// Azurite's files, written here by hand; test/data-tools has files that Azurite itself wrote. Files that are not
// Azurite's are reported.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { AzuriteBlobs } from './azurite-blobs.js';
import { AzuriteQueues } from './azurite-queues.js';
import { AzuriteTables } from './azurite-tables.js';
import { LokiInvalid } from './loki-file.js';

const ACCOUNT = 'devstoreaccount1';

function directoryOf(t: TestContext, files: Readonly<Record<string, unknown>>): string {
  const directory = mkdtempSync(join(tmpdir(), 'shelfmark-azurite-files-'));
  t.after(() => rmSync(directory, { recursive: true }));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(join(directory, name, '..'), { recursive: true });
    writeFileSync(join(directory, name), typeof content === 'string' ? content : JSON.stringify(content));
  }
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

test('entities are as Azurite answered them', t => {
  const directory = directoryOf(t, TABLES);
  const tables = AzuriteTables.read(directory);
  assert.deepEqual(
    tables.tables.map(({ account, name }) => [account, name]),
    [
      [ACCOUNT, 'Orders'],
      ['other', 'Orders'],
    ],
  );
  const [orders] = tables.tables;
  assert(orders);
  assert.deepEqual(orders.policies, [
    { id: 'a', start: undefined, expiry: '2030-01-01T00:00:00Z', permission: 'r' },
  ]);
  assert.deepEqual(tables.entitiesOf(orders), [
    {
      PartitionKey: 'p',
      RowKey: 'a',
      Timestamp: '2020-01-01T00:00:00.1234567Z',
      'guid@odata.type': 'Edm.Guid',
      guid: GUID,
      'old@odata.type': 'Edm.Guid',
      old: GUID,
      'bare@odata.type': 'Edm.DateTime',
      bare: '2020-01-01T00:00:00Z',
      'zoned@odata.type': 'Edm.DateTime',
      zoned: '2020-01-01T00:00:00.5Z',
      'half@odata.type': 'Edm.Double',
      half: 1.5,
      'whole@odata.type': 'Edm.Double',
      whole: 1,
      int: 5,
    },
    { PartitionKey: 'p', RowKey: 'b', Timestamp: '2020-01-01T00:00:00.1234567Z' },
  ]);
});

const piece = (offset: number, count: number): unknown => ({ id: 'e', offset, count });
const message = (timeNextVisible: number, year: number, persistency: unknown): unknown => ({
  accountName: ACCOUNT,
  queueName: 'jobs',
  timeNextVisible,
  expirationTime: `${year}-01-01T00:00:00Z`,
  persistency,
});
const blob = (name: string, more: object): unknown => ({
  accountName: ACCOUNT,
  containerName: 'box',
  name,
  snapshot: '',
  isCommitted: true,
  deleted: false,
  properties: { contentLength: 5, contentType: 'text/plain', blobType: 'BlockBlob' },
  ...more,
});
const extents = loki({ $EXTENTS_COLLECTION$: [{ id: 'e', path: 'file' }] });
const QUEUES_AND_BLOBS: Readonly<Record<string, unknown>> = {
  '__azurite_db_queue__.json': loki({
    $QUEUES_COLLECTION$: [{ accountName: ACCOUNT, name: 'jobs', metadata: { a: 'b' }, queueAcl: [] }],
    $MESSAGES_COLLECTION$: [
      message(20, 2030, piece(5, 3)),
      message(10, 2030, piece(0, 5)),
      message(1, 2001, piece(0, 1)),
    ],
  }),
  '__azurite_db_queue_extent__.json': extents,
  '__queuestorage__/file': 'hello<x/',
  '__azurite_db_blob__.json': loki({
    $CONTAINERS_COLLECTION$: [
      { accountName: ACCOUNT, name: 'box', metadata: { m: '1' }, properties: { publicAccess: 'blob' } },
    ],
    $BLOBS_COLLECTION$: [
      blob('whole', { persistency: piece(0, 5) }),
      blob('blocks', {
        committedBlocksInOrder: [{ persistency: piece(3, 2) }, { persistency: piece(0, 3) }],
      }),
      blob('cut', { persistency: piece(6, 5) }),
      blob('old', { snapshot: '2020-01-01T00:00:00Z', persistency: piece(0, 5) }),
      blob('unfinished', { isCommitted: false }),
      blob('gone', { deleted: true }),
    ],
  }),
  '__azurite_db_blob_extent__.json': extents,
  '__blobstorage__/file': 'abcdefgh',
};

test('live messages, in the order in which they become visible, and blobs by their blocks', t => {
  const directory = directoryOf(t, QUEUES_AND_BLOBS);
  const queues = AzuriteQueues.read(directory);
  const [jobs] = queues.queues;
  assert.deepEqual(jobs, { account: ACCOUNT, name: 'jobs', metadata: { a: 'b' }, policies: [] });
  const messages = [...queues.messagesOf(jobs, Date.UTC(2020))];
  assert.deepEqual(
    messages.map(({ text, visibleAt }) => [text, visibleAt]),
    [
      ['hello', 10],
      ['<x/', 20],
    ],
  );
  const blobs = AzuriteBlobs.read(directory);
  const [box] = blobs.containers;
  assert(box);
  assert.deepEqual([box.name, box.metadata, box.publicAccess], ['box', { m: '1' }, 'blob']);
  const found = blobs.blobsOf(box);
  assert.deepEqual(
    found.map(({ name }) => name),
    ['blocks', 'cut', 'whole'],
  );
  const [blocks, cut, whole] = found;
  assert(blocks && cut && whole);
  assert.equal(Buffer.concat([...blobs.contentOf(blocks)]).toString(), 'deabc');
  assert.equal(Buffer.concat([...blobs.contentOf(whole)]).toString(), 'abcde');
  assert.throws(() => [...blobs.contentOf(cut)], LokiInvalid);
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
    assert.throws(
      () => AzuriteTables.read(directory),
      error => error instanceof LokiInvalid && error.message.includes('__azurite_db_table__.json'),
      content,
    );
  }
});
