// A ledger, by that of queues: what it makes of a busy server and of none.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { Journal } from '../histories/journal.js';
import { Connection } from '../support/worker-processes.js';
import { QueueLedger } from './queue-ledger.js';

test('an answer that only a busy server gives is a fault, and a missing server gives none', async () => {
  const ledger = new QueueLedger(new Journal());
  const busy = createServer((_, response) => {
    response.writeHead(503, { 'x-ms-error-code': 'ServerBusy', 'content-type': 'application/xml' });
    response.end('<Error><Code>ServerBusy</Code><Message>The server is busy.</Message></Error>');
  });
  await once(busy.listen(0, '127.0.0.1'), 'listening');
  const { port } = busy.address() as AddressInfo;
  const ask = async (): Promise<void> => {
    const connection = new Connection(port);
    assert.equal(await ledger.ask(connection, { kind: 'clear', queue: 'work' }), undefined);
    connection.close();
  };
  await ask();
  assert.match(ledger.faults.join(), /^queue 1 clear: .*503/);
  ledger.faults.length = 0;
  await once(busy.close(), 'close');
  await ask();
  assert.deepEqual([ledger.judge(), ledger.history.length], [[], 1]);
});
