// Azurite's files, written here by hand; test/data-tools has files that Azurite itself wrote. Files that are not
// Azurite's are reported.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { LokiFile } from '../azurite/loki-file.js';
import { formatLine } from '../line/line.js';
import { ToolError } from '../source/tool-error.js';
import { azuriteBlobs, azuriteQueues } from './azurite-contents.js';
import { openAzuriteFolder } from './azurite-folder.js';
import { azuriteTables } from './azurite-tables.js';

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

/** All items of pages, or the messages or pieces of a content. */
async function all<T>(items: Iterable<T> | AsyncIterable<T> | undefined): Promise<readonly T[]> {
  const found: T[] = [];
  for await (const item of items ?? []) found.push(item);
  return found;
}

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
  assert.deepEqual((await all(orders.pages())).flat().map(formatLine), [
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
      message(1, 1969, piece(0, 1)),
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

test('live messages, in the order in which they become visible, and blobs by their blocks', async t => {
  const directory = directoryOf(t, QUEUES_AND_BLOBS);
  const file = (service: string) => new LokiFile(join(directory, `__azurite_db_${service}__.json`));
  const [jobs] = azuriteQueues(file('queue'), ACCOUNT, { directory, isWanted: true, now: 15 });
  assert.deepEqual([jobs?.name, jobs?.metadata, jobs?.policies], ['jobs', { a: 'b' }, []]);
  assert.deepEqual(
    (await all((await jobs?.read())?.all)).map(({ text, visible }) => [text, visible]),
    [
      ['hello', null],
      ['<x/', new Date(20).toISOString()],
    ],
  );
  const [box] = azuriteBlobs(file('blob'), ACCOUNT, { directory, isWanted: false });
  assert.deepEqual([box?.name, box?.metadata, box?.publicAccess], ['box', { m: '1' }, 'blob']);
  const [page, last] = await all(box?.pages());
  assert.deepEqual(
    last?.skipped.map(({ name }) => name),
    ['old', 'unfinished'],
  );
  const [blocks, cut, whole] = page?.blobs ?? [];
  assert(blocks?.name === 'blocks' && cut?.name === 'cut' && whole?.name === 'whole');
  assert.deepEqual(whole.headers, { 'content-type': 'text/plain' });
  assert.equal(Buffer.concat(await all(blocks.content())).toString(), 'deabc');
  assert.equal(Buffer.concat(await all(whole.content())).toString(), 'abcde');
  const isDamaged = { name: 'ToolError', exit: 'damaged' };
  await assert.rejects(all(cut.content()), isDamaged);
  assert.throws(() => azuriteBlobs(file('blob'), ACCOUNT, { directory, isWanted: true }), isDamaged);
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
