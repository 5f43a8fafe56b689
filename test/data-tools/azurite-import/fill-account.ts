// Fills an account with everything that an import must bring, mostly by the official clients: tables with every type at
// its edges, queues with messages that are visible, hidden, taken and gone, and blobs of each kind with odd names.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TableClient } from '@azure/data-tables';
import { BlobServiceClient, type ContainerClient } from '@azure/storage-blob';
import { QueueServiceClient } from '@azure/storage-queue';
import { keptByAzurite, NASTY_ROWS, rowOf } from '../../../packages/data-tools/testing/nasty-rows.js';
import { CLIENT_OPTIONS } from '../../support/clients.js';
import { linesOf, loadInto } from '../tool-run.js';

const HALVES = rowOf('half', 'values', [['high', 'String', 'a\ud800b']]);

/** Odd for a URL, a header, a file or XML. */
const ODD_BLOB_NAMES: readonly string[] = [
  'a/b c/ü 😀.txt',
  'a%20b',
  "it's",
  'q?x=1&y=2',
  'plus+and;semi,comma',
  '<tag>&amp;',
  '$dollar',
  'A',
  'a',
  'dots..end',
  'tilde~!*()[]',
];

async function fillTables(connectionString: string, directory: string): Promise<void> {
  const table = (name: string): TableClient =>
    TableClient.fromConnectionString(connectionString, name, CLIENT_OPTIONS);
  const rows = [...NASTY_ROWS.flatMap(row => keptByAzurite(row) ?? []), HALVES];
  const path = join(directory, 'nasty.jsonl');
  await writeFile(path, linesOf(rows));
  await loadInto(connectionString, path, { tables: ['Nasty'] });
  const orders = table('Orders');
  await orders.createTable();
  await orders.setAccessPolicy([
    {
      id: 'read',
      accessPolicy: { permission: 'r', start: new Date('2020-01-01'), expiry: new Date('2040-01-01') },
    },
  ]);
  await orders.createEntity({
    partitionKey: 'p',
    rowKey: 'typed',
    guid: { type: 'Guid', value: '0A112233-4455-6677-8899-AABBCCDDEEFF' },
    whole: { type: 'Double', value: '1' },
    half: 1.5,
    int: 7,
    long: 12345678901n,
    when: new Date('2024-02-29T12:00:00.120Z'),
    bytes: new Uint8Array([0, 1, 255]),
    flag: true,
    text: '',
  });
  await orders.createEntity({ partitionKey: 'p', rowKey: 'merged', a: 1, b: 'kept' });
  await orders.updateEntity({ partitionKey: 'p', rowKey: 'merged', a: 2 }, 'Merge');
  await orders.createEntity({ partitionKey: 'p', rowKey: 'gone' });
  await orders.deleteEntity('p', 'gone');
  await table('Empty').createTable();
  await table('Dropped').createTable();
  await table('Dropped').deleteTable();
}

/** In a second that is over when an import runs; -1 is never. */
const NEVER = { messageTimeToLive: -1 };
const HIDDEN_SECONDS = 3600;

export async function fillQueues(connectionString: string): Promise<void> {
  const queues = QueueServiceClient.fromConnectionString(connectionString);
  const jobs = queues.getQueueClient('jobs');
  await jobs.create({ metadata: { CaseOf: 'Mixed', plain: 'a b' } });
  await jobs.setAccessPolicy([
    {
      id: 'add',
      accessPolicy: {
        permissions: 'a',
        startsOn: new Date('2020-01-01'),
        expiresOn: new Date('2040-01-01'),
      },
    },
  ]);
  for (const text of ['first', '<x a="1"/>&amp;', 'ü 😀', '  spaces ', 'e'.repeat(3000)])
    await jobs.sendMessage(text, NEVER);
  await jobs.sendMessage('hidden', { ...NEVER, visibilityTimeout: HIDDEN_SECONDS });
  await queues.getQueueClient('empty').create();
  const taken = queues.getQueueClient('taken');
  await taken.create();
  await taken.sendMessage('was taken', NEVER);
  await taken.sendMessage('is left', NEVER);
  await taken.receiveMessages({ visibilityTimeout: HIDDEN_SECONDS });
  await queues.createQueue('dropped');
  await queues.deleteQueue('dropped');
}

const LARGE = Buffer.alloc(30_000, 'large ');

async function fillBox(box: ContainerClient): Promise<void> {
  await box.create({ metadata: { CaseOf: 'Mixed', second: 'b' }, access: 'blob' });
  await box.setAccessPolicy('blob', [
    {
      id: 'look',
      accessPolicy: {
        permissions: 'rl',
        startsOn: new Date('2020-01-01'),
        expiresOn: new Date('2040-01-01'),
      },
    },
  ]);
  await box.getBlockBlobClient('zero').upload('', 0);
  const text = box.getBlockBlobClient('small.txt');
  await text.upload('old', 3);
  await text.createSnapshot();
  await text.upload('hello', 5, {
    metadata: { CaseOf: 'Value', other: '' },
    blobHTTPHeaders: {
      blobContentType: 'text/plain; charset=utf-8',
      blobContentEncoding: 'identity',
      blobContentLanguage: 'de',
      blobContentDisposition: 'attachment; filename="a.txt"',
      blobCacheControl: 'no-cache',
    },
    tags: { one: '1', 'two words': 'a b' },
    tier: 'Cool',
  });
  const blocks = box.getBlockBlobClient('blocks');
  const ids = ['a', 'b', 'c'].map(each => Buffer.from(each).toString('base64'));
  for (const [place, id] of ids.entries()) await blocks.stageBlock(id, `${place}`.repeat(1000), 1000);
  await blocks.commitBlockList([...ids].reverse(), { metadata: { n: '3' } });
  await box.getBlockBlobClient('unfinished').stageBlock(ids[0] ?? '', 'x', 1);
  const appended = box.getAppendBlobClient('log');
  await appended.create({ metadata: { kind: 'log' }, blobHTTPHeaders: { blobContentType: 'text/x-log' } });
  for (const line of ['one\n', 'two\n', 'three\n']) await appended.appendBlock(line, line.length);
  await box.getAppendBlobClient('emptylog').create();
  await box.getPageBlobClient('pages').create(1024);
  await box.getBlockBlobClient('large').upload(LARGE, LARGE.length);
  for (const name of ODD_BLOB_NAMES) await box.getBlockBlobClient(name).upload(name, Buffer.byteLength(name));
  await box.getBlockBlobClient('gone').upload('x', 1);
  await box.getBlockBlobClient('gone').delete();
}

export async function fillBlobs(connectionString: string): Promise<void> {
  const blobs = BlobServiceClient.fromConnectionString(connectionString);
  await fillBox(blobs.getContainerClient('box'));
  const root = blobs.getContainerClient('$root');
  await root.create();
  await root.getBlockBlobClient('index.html').upload('<p>', 3);
  await blobs.createContainer('empty');
  await blobs.createContainer('dropped');
  await blobs.deleteContainer('dropped');
}

/** @param directory for files of the test's own. */
export async function fillAccount(connectionString: string, directory: string): Promise<void> {
  await fillTables(connectionString, directory);
  await fillQueues(connectionString);
  const queues = QueueServiceClient.fromConnectionString(connectionString);
  await queues.getQueueClient('jobs').sendMessage('expired', { messageTimeToLive: 1 });
  await fillBlobs(connectionString);
}
