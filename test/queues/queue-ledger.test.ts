// The ledger of queues: what clients learn from it, and what it makes of a busy server and of none.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { type RunningServer, serve } from 'shelfmark';
import { Journal } from '../histories/journal.js';
import { Connection } from '../support/worker-processes.js';
import type { QueueAnswer, QueueCall } from './call.js';
import { QueueLedger } from './queue-ledger.js';

const queue = 'work';
const put = (text: string): QueueCall => ({ kind: 'put', queue, text, delay: 0, life: undefined });
const get: QueueCall = { kind: 'get', queue, count: 32, seconds: 600 };

interface Subject {
  readonly server: RunningServer;
  readonly ledger: QueueLedger;
  /** Through the ledger, like a hand. */
  ask(call: QueueCall): Promise<QueueAnswer>;
}

async function open(t: TestContext): Promise<Subject> {
  const server = await serve({ tablePort: 0, queuePort: 0, logLevel: 'silent' });
  const connection = new Connection(server.queuePort ?? 0);
  t.after(async () => {
    connection.close();
    await server.close();
  });
  const ledger = new QueueLedger(new Journal());
  const ask = async (call: QueueCall) => {
    const answer = await ledger.ask(connection, call);
    assert(answer !== undefined);
    return answer;
  };
  await ask({ kind: 'createQueue', queue });
  return { server, ledger, ask };
}

const receiptIn = ({ messages: [message] }: QueueAnswer) => {
  assert(message?.receipt !== undefined);
  return { id: message.id, receipt: message.receipt };
};

test('nothing is wrong with a queue that no other client uses', async t => {
  const { ledger, ask } = await open(t);
  await ask(put('m1 a'));
  await ask(put('m2 b'));
  assert.equal(ledger.caller.living, 2);
  const first = await ask(get);
  assert.deepEqual(
    first.messages.map(({ text }) => text),
    ['m1 a', 'm2 b'],
  );
  await ask({ kind: 'delete', queue, ...receiptIn(first) });
  assert.equal(ledger.caller.living, 1);
  await ask(get);
  assert.deepEqual(ledger.judge(), []);
});

test('an answer that only a busy server gives is a fault, and a missing server gives none', async t => {
  const { server, ledger, ask } = await open(t);
  await ask(put('m1 a'));
  const busy = createServer((_, response) => {
    response.writeHead(503, { 'x-ms-error-code': 'ServerBusy', 'content-type': 'application/xml' });
    response.end('<Error><Code>ServerBusy</Code><Message>The server is busy.</Message></Error>');
  });
  await new Promise<void>(done => {
    busy.listen(0, '127.0.0.1', done);
  });
  t.after(() => busy.close());
  const connection = new Connection((busy.address() as AddressInfo).port);
  assert.equal(await ledger.ask(connection, get), undefined);
  connection.close();
  assert.match(ledger.faults.join(), /^queue 3 get 32 for 600: .*503/);
  ledger.faults.length = 0;
  await server.close();
  const gone = new Connection(server.queuePort ?? 0);
  assert.equal(await ledger.ask(gone, { kind: 'clear', queue }), undefined);
  gone.close();
  assert.deepEqual(ledger.judge(), []);
});
