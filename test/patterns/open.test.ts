// The door of the library takes the official clients of an account, of which only that of tables must be there.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { QueueServiceClient } from '@azure/storage-queue';
import { open } from '#patterns';
import { anna, Employee } from './employee.js';
import { describePeers } from './peers.js';

describePeers('open', peer => {
  test('takes a client of queues beside that of tables, and needs none', async () => {
    const table = await peer.newTable();
    const queues = new QueueServiceClient('http://127.0.0.1:1/account');
    await open({ tables: peer.client(), queues }).repo(Employee, { table }).create(anna);
    const read = await open({ tables: peer.client(), queues: undefined }).repo(Employee, { table }).get(anna);
    assert.deepEqual(read?.value, anna);
    // @ts-expect-error tables are what all patterns need
    assert.throws(() => open({ queues }), TypeError);
  });
});
