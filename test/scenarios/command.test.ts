// The command `shelfmark serve` as one process, and a server in this one: ready line, connection string, ports, flags, and
// data that outlives the process. mistakes.test.ts has what it refuses, test/overload/stop.test.ts signals.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { get } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, type TestContext, test } from 'node:test';
import { TableClient } from '@azure/data-tables';
import { BlobServiceClient } from '@azure/storage-blob';
import { QueueServiceClient } from '@azure/storage-queue';
import { serve as serveHere } from 'shelfmark';
import { makeCertificate } from '../../packages/http/testing/certificate.js';
import { CLIENT_OPTIONS, collect } from '../support/clients.js';
import { onlyIn } from '../support/slow.js';
import { runToEnd, type SpawnedServer, type Spawning, spawnServer } from '../support/spawned-server.js';
import { freePort, isTaken } from '../support/taken-port.js';

const WELL_KNOWN = {
  name: 'devstoreaccount1',
  key: 'Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==',
};
const ONCE = { retryOptions: { maxTries: 1 } };
const skipLong = onlyIn('operations');

const open = ({ connectionString }: SpawnedServer, table = 'things'): TableClient =>
  TableClient.fromConnectionString(connectionString, table, CLIENT_OPTIONS);
const queueOf = ({ connectionString }: SpawnedServer) =>
  QueueServiceClient.fromConnectionString(connectionString, ONCE).getQueueClient('work');

/** A server that ends with its test. */
async function serve(t: TestContext, args: readonly string[], spawning?: Spawning): Promise<SpawnedServer> {
  const server = await spawnServer(['serve', ...args], spawning);
  t.after(() => server.stop('SIGKILL'));
  return server;
}

/** By the clients of all three services. */
async function useAll(connectionString: string): Promise<void> {
  const table = TableClient.fromConnectionString(connectionString, 'rows', CLIENT_OPTIONS);
  await table.createTable();
  await table.createEntity({ partitionKey: 'p', rowKey: 'r' });
  const queue = QueueServiceClient.fromConnectionString(connectionString, ONCE).getQueueClient('work');
  await queue.create();
  await queue.sendMessage('m');
  const blobs = BlobServiceClient.fromConnectionString(connectionString, ONCE);
  const container = blobs.getContainerClient('things');
  await container.create();
  await container.uploadBlockBlob('b', 'content', 7);
  assert.equal((await container.getBlobClient('b').downloadToBuffer()).toString(), 'content');
  assert.equal((await table.getEntity('p', 'r')).rowKey, 'r');
  assert.equal((await queue.receiveMessages()).receivedMessageItems[0]?.messageText, 'm');
}

describe('a server in this process', () => {
  test('opens three services, which one connection string names', async t => {
    const server = await serveHere();
    t.after(() => server.close());
    const { tableEndpoint, queueEndpoint, blobEndpoint, endpoints } = server;
    assert.deepEqual(endpoints, { table: tableEndpoint, queue: queueEndpoint, blob: blobEndpoint });
    const ports = [server.tablePort, server.queuePort, server.blobPort];
    for (const [i, endpoint] of [tableEndpoint, queueEndpoint, blobEndpoint].entries())
      assert.equal(endpoint, `http://127.0.0.1:${ports[i]}/devstoreaccount1`);
    await useAll(server.connectionString());
  });

  test('has no endpoint of a service that is left out', async t => {
    const server = await serveHere({ blobPort: 'none' });
    t.after(() => server.close());
    const { blobEndpoint, blobPort, endpoints } = server;
    assert.deepEqual([blobEndpoint, blobPort, endpoints.blob], [undefined, undefined, undefined]);
    assert.doesNotMatch(server.connectionString(), /BlobEndpoint/);
  });

  test('is found on the default ports by the connection string of the emulator', async t => {
    for (const port of [10000, 10001, 10002])
      if (await isTaken(port)) return t.skip(`port ${port} is in use`);
    const server = await serveHere({ tablePort: 10002, queuePort: 10001, blobPort: 10000 });
    t.after(() => server.close());
    await useAll('UseDevelopmentStorage=true');
  });
});

describe('shelfmark serve', () => {
  let directory = '';
  let unused = 0;
  const newDirectory = (): string => join(directory, `data${++unused}`);
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'shelfmark-command-'));
  });
  after(() => rm(directory, { recursive: true }));

  test('reports in one line that it is ready, where, and how to connect', async t => {
    const data = newDirectory();
    const server = await serve(t, ['--data', data, '--table-port', '0']);
    t.diagnostic(`ready after ${Math.round(server.readyMilliseconds)} ms`);
    assert.equal(server.readyLine.split('\n').length, 2);
    assert.equal(server.endpoint, `http://127.0.0.1:${server.port}/devstoreaccount1`);
    assert.equal(server.place, `data in ${data}`);
    const [, queueEndpoint = ''] = /; queues at ([^;]+);/.exec(server.readyLine) ?? [];
    const [, blobEndpoint = ''] = /; blobs at ([^;]+);/.exec(server.readyLine) ?? [];
    for (const endpoint of [queueEndpoint, blobEndpoint])
      assert.match(endpoint, /^http:\/\/127\.0\.0\.1:\d+\/devstoreaccount1$/);
    assert.equal(
      server.connectionString,
      `DefaultEndpointsProtocol=http;AccountName=${WELL_KNOWN.name};AccountKey=${WELL_KNOWN.key};TableEndpoint=${server.endpoint};QueueEndpoint=${queueEndpoint};BlobEndpoint=${blobEndpoint};`,
    );
    await useAll(server.connectionString);
    const { code, stderr } = await server.stop('SIGTERM');
    assert.deepEqual([code, stderr], [0, '']);
  });

  test('a second start on the same directory has the data, however the first one ended', async t => {
    const args = ['--data', newDirectory(), '--table-port', '0'];
    const first = await serve(t, args);
    const table = open(first, 'Kept');
    await table.createTable();
    await table.setAccessPolicy([{ id: 'mine', accessPolicy: { permission: 'r' } }]);
    await table.createEntity({ partitionKey: 'p', rowKey: 'stopped', n: 5n });
    const { etag } = await table.getEntity('p', 'stopped');
    await queueOf(first).create();
    await queueOf(first).sendMessage('kept');
    await queueOf(first).receiveMessages({ visibilityTimeout: 1 });
    assert.equal((await first.stop('SIGINT')).code, 0);

    const second = await serve(t, args);
    const entity = await open(second, 'kept').getEntity<{ n: bigint }>('p', 'stopped');
    assert.deepEqual([entity.n, entity.etag], [5n, etag]);
    await open(second, 'kept').submitTransaction([['create', { partitionKey: 'p', rowKey: 'killed' }]]);
    assert.equal((await second.stop('SIGKILL')).code, null);

    const third = await serve(t, args);
    const entities = await collect(open(third, 'kept').listEntities());
    assert.deepEqual(
      entities.map(({ rowKey }) => rowKey),
      ['killed', 'stopped'],
    );
    assert.equal((await open(third, 'kept').getAccessPolicy())[0]?.id, 'mine');
    let message: { dequeueCount: number; messageText: string } | undefined;
    while (!message) [message] = (await queueOf(third).receiveMessages()).receivedMessageItems;
    assert.deepEqual([message.messageText, message.dequeueCount], ['kept', 2]);
  });

  test('ports that are given, left out, or chosen because others are given', { skip: skipLong }, async t => {
    const ports = ['--table-port', String(await freePort()), '--queue-port', String(await freePort())];
    const chosen = await serve(t, ['--inMemoryPersistence', ...ports]);
    const [, port = ''] = /; blobs at http:\/\/127\.0\.0\.1:(\d+)\//.exec(chosen.readyLine) ?? [];
    assert(Number(port) > 0 && port !== '10000', chosen.readyLine);
    const memory = ['--inMemoryPersistence', '--table-port', '0'];
    const without = await serve(t, [...memory, '--queue-port', 'none']);
    assert.doesNotMatch(without.readyLine, /queues at|QueueEndpoint/);
    const queuePort = String(await freePort());
    const named = await serve(t, [...memory, '--queuePort', queuePort, '--queueHost', 'localhost']);
    const endpoint = `QueueEndpoint=http://localhost:${queuePort}/devstoreaccount1;`;
    assert.ok(named.connectionString.includes(endpoint));
    await queueOf(named).create();
  });

  test("takes Azurite's flags and its variable", { skip: skipLong }, async t => {
    const location = newDirectory();
    const flags =
      '--tableHost 127.0.0.1 --tablePort 0 --blobPort 0 --queuePort 0 -L --skipApiVersionCheck --disableProductStyleUrl --disableTelemetry --oauth basic --blobHost 127.0.0.1';
    const key = Buffer.from('a key of our own').toString('base64');
    const env = { ...process.env, AZURITE_ACCOUNTS: `first:${key};second:${key}:${WELL_KNOWN.key}` };
    const server = await spawnServer(['-s', '-l', location, ...flags.split(' ')], { env });
    t.after(() => server.stop('SIGKILL'));
    assert.equal(server.place, `data in ${location}`);
    assert.equal(server.endpoint, `http://127.0.0.1:${server.port}/first`);
    // Logs contain no configured key.
    assert.match(server.connectionString, /;AccountName=first;AccountKey=<its key>;/);
    const first = server.connectionString.replace('<its key>', key);
    await TableClient.fromConnectionString(first, 'things', CLIENT_OPTIONS).createTable();
    for (const accountKey of [key, WELL_KNOWN.key]) {
      const second = `DefaultEndpointsProtocol=http;AccountName=second;AccountKey=${accountKey};TableEndpoint=http://127.0.0.1:${server.port}/second`;
      const other = TableClient.fromConnectionString(second, 'things', CLIENT_OPTIONS);
      await assert.rejects(other.createEntity({ partitionKey: 'p', rowKey: 'r' }), /TableNotFound/);
    }
    assert.equal((await server.stop('SIGTERM')).stderr, '');
  });

  test('keeps the data in memory if asked, and the folder clean; logs requests with --debug, without secrets', {
    skip: skipLong,
  }, async t => {
    const cwd = join(directory, 'clean');
    await mkdir(cwd);
    const server = await serve(t, ['--inMemoryPersistence', '--tablePort', '0', '--debug'], { cwd });
    assert.equal(server.place, 'data in memory');
    const table = open(server);
    await table.createTable();
    await table.createEntity({ partitionKey: 'p', rowKey: 'r', word: 'private' });
    const { stderr } = await server.stop('SIGTERM');
    assert.deepEqual(await readdir(cwd), []);
    const lines: { method?: string; path?: string; status?: number }[] = stderr
      .trim()
      .split('\n')
      .map(line => JSON.parse(line));
    assert.deepEqual(
      lines.map(({ method, path, status }) => [method, path, status]),
      [
        ['POST', '/devstoreaccount1/Tables', 201],
        ['POST', '/devstoreaccount1/things', 204],
      ],
    );
    assert.doesNotMatch(stderr, /private|SharedKey|Eby8/);
  });

  test('serves HTTPS with a certificate', { skip: skipLong }, async t => {
    const [cert, key] = [join(directory, 'cert.pem'), join(directory, 'key.pem')];
    const pair = makeCertificate();
    await writeFile(cert, pair.cert);
    await writeFile(key, pair.key);
    const server = await serve(t, [
      '--inMemoryPersistence',
      ...['--tablePort', '0', '--cert', cert, '--key', key],
    ]);
    assert.match(server.endpoint, /^https:/);
    const asked = get(`${server.endpoint}/Tables`, { rejectUnauthorized: false, agent: false });
    const [{ statusCode }] = (await once(asked, 'response')) as [IncomingMessage];
    assert.equal(statusCode, 403);
  });

  test('prints its options', { skip: skipLong }, async () => {
    const { code, stdout } = await runToEnd(['serve', '--help']);
    assert.equal(code, 0);
    for (const option of ['--data', '--table-port', '--queue-port', '--durability', '--inMemoryPersistence'])
      assert(stdout.includes(option), option);
  });
});
