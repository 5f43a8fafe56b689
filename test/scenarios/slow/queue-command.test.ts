// Queues of the command: the connection string that it prints, several processes, a restart, no Queue service.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { TableServiceClient } from '@azure/data-tables';
import { QueueServiceClient } from '@azure/storage-queue';
import { CLIENT_OPTIONS } from '../../support/clients.js';
import { type SpawnedServer, spawnServer } from '../../support/spawned-server.js';
import { freePort } from '../../support/taken-port.js';

const ONCE = { retryOptions: { maxTries: 1 } };

function newDirectory(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'shelfmark-queues-'));
  t.after(() => rmSync(directory, { recursive: true, maxRetries: 5 }));
  return directory;
}

async function start(t: TestContext, data: string, ...more: string[]): Promise<SpawnedServer> {
  const server = await spawnServer(['serve', '--silent', '--data', data, '--table-port', '0', ...more]);
  t.after(() => server.stop('SIGKILL'));
  return server;
}

const queuesOf = ({ connectionString }: SpawnedServer): QueueServiceClient =>
  QueueServiceClient.fromConnectionString(connectionString, ONCE);

describe('queues of the command', () => {
  test('one connection string opens tables and queues, and messages outlive the process', async t => {
    const data = newDirectory(t);
    const first = await start(t, data);
    await TableServiceClient.fromConnectionString(first.connectionString, CLIENT_OPTIONS).createTable(
      'things',
    );
    const queue = queuesOf(first).getQueueClient('things');
    await queue.create();
    await queue.sendMessage('kept');
    const { receivedMessageItems } = await queue.receiveMessages({ visibilityTimeout: 1 });
    assert.equal(receivedMessageItems.length, 1);
    await first.stop('SIGKILL');
    const again = queuesOf(await start(t, data)).getQueueClient('things');
    let message: { dequeueCount: number; messageText: string } | undefined;
    while (message === undefined) [message] = (await again.receiveMessages()).receivedMessageItems;
    assert.deepEqual([message.messageText, message.dequeueCount], ['kept', 2]);
  });

  test('several processes give each message to one caller', async t => {
    const server = await start(t, newDirectory(t), '--workers', '3');
    // A client of its own for each, so that connections reach every worker.
    const clients = Array.from({ length: 12 }, () => queuesOf(server).getQueueClient('work'));
    await clients[0]?.create();
    const texts = Array.from({ length: 60 }, (_, i) => `m${i}`);
    await Promise.all(texts.map((text, i) => clients[i % clients.length]?.sendMessage(text)));
    const drain = async (client: (typeof clients)[number]): Promise<string[]> => {
      const got: string[] = [];
      for (;;) {
        const { receivedMessageItems } = await client.receiveMessages({ numberOfMessages: 4 });
        if (receivedMessageItems.length === 0) return got;
        got.push(...receivedMessageItems.map(item => item.messageText));
      }
    };
    const got = (await Promise.all(clients.map(drain))).flat();
    assert.deepEqual(got.sort(), [...texts].sort());
    assert.equal((await server.stop('SIGTERM')).code, 0);
  });

  test('it can be left out, or have a given port', async t => {
    const without = await start(t, newDirectory(t), '--queue-port', 'none');
    assert.doesNotMatch(without.readyLine, /queues at|QueueEndpoint/);
    const queuePort = await freePort();
    const named = await start(
      t,
      newDirectory(t),
      '--queuePort',
      String(queuePort),
      '--queueHost',
      'localhost',
    );
    assert.ok(
      named.connectionString.includes(`QueueEndpoint=http://localhost:${queuePort}/devstoreaccount1;`),
    );
    await queuesOf(named).createQueue('named');
  });
});
