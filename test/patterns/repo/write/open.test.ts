// `open` takes the official clients of an account; only the client for tables is required.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { AzureNamedKeyCredential, TableServiceClient } from '@azure/data-tables';
import { QueueServiceClient } from '@azure/storage-queue';
import { open } from '#patterns';
import { anna, Employee } from '../../support/employee.js';
import { describePeers } from '../../support/peers.js';

describePeers('open', peer => {
  test('takes a client of queues beside that of tables, and needs none', async () => {
    const table = await peer.newTable();
    const queues = new QueueServiceClient('http://127.0.0.1:1/account');
    await open({ tables: peer.client(), queues }).repo(Employee, { table }).create(anna);
    const read = await open({ tables: peer.client(), queues: undefined }).repo(Employee, { table }).get(anna);
    assert.deepEqual(read?.value, anna);
    // @ts-expect-error tables are what all patterns need
    assert.throws(() => open({ queues }), /open\(\{ tables \}\)/);
    // @ts-expect-error a client by itself has no name
    assert.throws(() => open(peer.client()), /open\(\{ tables \}\)/);
  });
});

test('keeps its connections however often it is opened', async () => {
  let connections = 0;
  const server = createServer((_, response) => {
    response.writeHead(404, { 'Content-Type': 'application/json' });
    response.end('{"odata.error":{"code":"ResourceNotFound","message":{"value":"none"}}}');
  });
  server.on('connection', () => connections++).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const credential = new AzureNamedKeyCredential('account', 'a2V5');
  for (let i = 0; i < 5; i++) {
    const tables = new TableServiceClient(`http://127.0.0.1:${port}/account`, credential, {
      allowInsecureConnection: true,
    });
    assert.equal(await open({ tables }).repo(Employee).get(anna), undefined);
  }
  server.closeAllConnections();
  server.close();
  assert.equal(connections, 1);
});
