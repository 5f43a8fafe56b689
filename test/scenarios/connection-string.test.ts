// One connection string for the official clients of all three services: that of a server in this process, and that of
// the emulator, which means the default ports.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TableClient } from '@azure/data-tables';
import { BlobServiceClient } from '@azure/storage-blob';
import { QueueServiceClient } from '@azure/storage-queue';
import { serve } from 'shelfmark';
import { CLIENT_OPTIONS } from '../support/clients.js';
import { isTaken } from '../support/taken-port.js';

const ONCE = { retryOptions: { maxTries: 1 } };

async function useAll(connectionString: string): Promise<void> {
  const table = TableClient.fromConnectionString(connectionString, 'rows', CLIENT_OPTIONS);
  await table.createTable();
  await table.createEntity({ partitionKey: 'p', rowKey: 'r' });
  const queue = QueueServiceClient.fromConnectionString(connectionString, ONCE).getQueueClient('work');
  await queue.create();
  await queue.sendMessage('m');
  const container = BlobServiceClient.fromConnectionString(connectionString, ONCE).getContainerClient(
    'things',
  );
  await container.create();
  await container.uploadBlockBlob('b', 'content', 7);
  assert.equal((await container.getBlobClient('b').downloadToBuffer()).toString(), 'content');
  assert.equal((await table.getEntity('p', 'r')).rowKey, 'r');
  assert.equal((await queue.receiveMessages()).receivedMessageItems[0]?.messageText, 'm');
}

test('a server in this process opens three services, which one connection string names', async t => {
  const server = await serve();
  t.after(() => server.close());
  const { tableEndpoint, queueEndpoint, blobEndpoint, endpoints } = server;
  assert.deepEqual(endpoints, { table: tableEndpoint, queue: queueEndpoint, blob: blobEndpoint });
  const ports = [server.tablePort, server.queuePort, server.blobPort];
  for (const [i, endpoint] of [tableEndpoint, queueEndpoint, blobEndpoint].entries())
    assert.equal(endpoint, `http://127.0.0.1:${ports[i]}/devstoreaccount1`);
  await useAll(server.connectionString());
});

test('a service that is left out has no endpoint', async t => {
  const server = await serve({ blobPort: 'none' });
  t.after(() => server.close());
  assert.deepEqual(
    [server.blobEndpoint, server.blobPort, server.endpoints.blob],
    [undefined, undefined, undefined],
  );
  assert.doesNotMatch(server.connectionString(), /BlobEndpoint/);
});

test('the connection string of the emulator finds the default ports', async t => {
  for (const port of [10000, 10001, 10002]) if (await isTaken(port)) return t.skip(`port ${port} is in use`);
  const server = await serve({ tablePort: 10002, queuePort: 10001, blobPort: 10000 });
  t.after(() => server.close());
  await useAll('UseDevelopmentStorage=true');
});
