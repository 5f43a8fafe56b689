// The kill loop's judges detect faults: on a queue where another client takes, shows and loses messages without the
// ledger's knowledge, and in the state that is read from a server and from its files.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type RunningServer, serve } from 'shelfmark';
import type { QueueAnswer, QueueCall } from '../../queues/call.js';
import { Connection } from '../../support/worker-processes.js';
import { foundByServer, foundInStore } from '../found.js';
import { Journal } from '../journal.js';
import { pathOf, textOf } from '../tables/request.js';
import { Ledger, NOBODY, rawQueueRequest } from './ledger.js';

const queue = 'work';
const put = (text: string): QueueCall => ({ kind: 'put', queue, text, delay: 0, life: undefined });
const get: QueueCall = { kind: 'get', queue, count: 32, seconds: 600 };

interface Subject {
  readonly server: RunningServer;
  readonly ledger: Ledger;
  /** Through the ledger, like a hand. */
  ask(call: QueueCall): Promise<QueueAnswer>;
  /** Without its knowledge. */
  tamper(call: QueueCall): Promise<void>;
}

async function open(t: TestContext, data?: string): Promise<Subject> {
  const server = await serve({ data, tablePort: 0, queuePort: 0, logLevel: 'silent' });
  const connection = new Connection(server.queuePort ?? 0);
  t.after(async () => {
    connection.close();
    await server.close();
  });
  const ledger = new Ledger(new Journal());
  const ask = async (call: QueueCall) => {
    const answer = await ledger.ask(connection, call, NOBODY);
    assert(answer !== undefined);
    return answer;
  };
  const tamper = async (call: QueueCall) => {
    const { status, body } = await connection.request(rawQueueRequest(call));
    assert(status < 300, body);
  };
  await ask({ kind: 'createQueue', queue });
  return { server, ledger, ask, tamper };
}

const receiptIn = ({ messages: [message] }: QueueAnswer) => {
  assert(message?.receipt !== undefined);
  return { id: message.id, receipt: message.receipt };
};

test('nothing is wrong with a queue that no other client uses', async t => {
  const { ledger, ask } = await open(t);
  await ask(put('m1 a'));
  await ask(put('m2 b'));
  assert.equal(ledger.living, 2);
  const first = await ask(get);
  assert.deepEqual(
    first.messages.map(({ text }) => text),
    ['m1 a', 'm2 b'],
  );
  assert.equal(ledger.nameOf(receiptIn(first).id), 'm1');
  await ask({ kind: 'delete', queue, ...receiptIn(first) });
  assert.equal(ledger.living, 1);
  await ask(get);
  assert.deepEqual(ledger.judge(), []);
});

test('a message that is lost is found', async t => {
  const { ledger, ask, tamper } = await open(t);
  await ask(put('m1 a'));
  await tamper({ kind: 'clear', queue });
  await ask(get);
  assert.match(ledger.judge().join(), /No order of the calls on m1 in work explains/);
});

test('a message that two clients hold at one time is found', async t => {
  const { ledger, ask, tamper } = await open(t);
  await ask(put('m1 a'));
  const held = receiptIn(await ask(get));
  await tamper({ kind: 'update', queue, ...held, seconds: 0, text: undefined });
  assert.equal((await ask(get)).messages.length, 1);
  assert.match(ledger.judge().join(), /No order of the calls on m1 in work explains/);
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
  assert.equal(await ledger.ask(connection, get, NOBODY), undefined);
  connection.close();
  assert.match(ledger.faults.join(), /^queue 3 get 32 for 600: .*503/);
  ledger.faults.length = 0;
  await server.close();
  const gone = new Connection(server.queuePort ?? 0);
  assert.equal(await ledger.ask(gone, { kind: 'clear', queue }, NOBODY), undefined);
  gone.close();
  assert.deepEqual(ledger.judge(), []);
});

test('what is read of a server, and of its files, is what was put there', async t => {
  const data = mkdtempSync(join(tmpdir(), 'shelfmark-ledger-'));
  t.after(() => rmSync(data, { recursive: true }));
  const { server, ask } = await open(t, data);
  const tables = new Connection(server.tablePort);
  const send = async (target: string, body: object) => {
    const { status, body: text } = await tables.request({
      method: 'POST',
      target: `/devstoreaccount1/${target}`,
      headers: { 'content-type': 'application/json', accept: 'application/json;odata=nometadata' },
      body: JSON.stringify(body),
    });
    assert.equal(status, 201, text);
  };
  await send('Tables', { TableName: 'there' });
  await send('there', { PartitionKey: 'p', RowKey: 'r', a: 'text' });
  await ask(put('m1 a'));
  tables.close();
  const found = await foundByServer(server.tablePort);
  assert.deepEqual([...found.keys()], ['there', pathOf({ table: 'there', partition: 'p', row: 'r' })]);
  const entity = found.get(pathOf({ table: 'there', partition: 'p', row: 'r' }));
  assert.equal(entity?.text, textOf({ a: 'text' }));
  await server.close();
  assert.deepEqual(await foundInStore(data), found);
});
