// `shelfmark serve --workers` while it serves: one ready line, one port, connections in rotation, one history through
// any worker, and the death of a worker. workers-life.test.ts tests how it starts and ends.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { QueueServiceClient } from '@azure/storage-queue';
import { until } from '#base/testing/until';
import { isTaken } from '../support/taken-port.js';
import { type Connection, childrenOf, isAlive, type Reply } from '../support/worker-processes.js';
import {
  ACCOUNT,
  connections,
  createTable,
  get,
  KEYS,
  ROW,
  send,
  skip,
  skipLong,
  start,
  statusOf,
  tickOf,
  WORKERS,
} from '../support/worker-server.js';

const ROUNDS = skipLong === false ? 10 : 3;

const server = await start(WORKERS, '--table-deletion-seconds', '600');
after(() => server.stop('SIGKILL'));

test('one line reports that all are ready; connections go to the workers in rotation', { skip }, async t => {
  t.diagnostic(`ready after ${Math.round(server.readyMilliseconds)} ms`);
  assert.match(
    server.readyLine,
    /; data in [^;]+; queues at [^;]+; blobs at [^;]+; 4 processes; connection string: [^\n]+\n$/,
  );
  const workers = childrenOf(server.pid);
  assert.equal(workers.length, WORKERS);
  const made = await connections(t, server, 3 * WORKERS);
  const met = made.map(connection => connection.workerAmong(workers));
  for (const worker of workers) assert.equal(met.filter(pid => pid === worker).length, 3, met.join(' '));
});

/** Reads on every connection without a pause until it is stopped: a busy process is the likeliest to show stale data. */
function keepReading(busy: readonly Connection[], target: string): () => Promise<unknown> {
  let isOver = false;
  const read = async (connection: Connection): Promise<void> => {
    while (!isOver) await connection.request(get(target));
  };
  const reading = Promise.all(busy.map(read));
  return () => {
    isOver = true;
    return reading;
  };
}

test('what one worker has acknowledged, all others show at once, however busy they are', {
  skip,
}, async t => {
  const stop = keepReading(await connections(t, server, 4 * WORKERS), `/busy${ROW}`);
  t.after(stop);
  const made = await connections(t, server, WORKERS);
  assert.equal(new Set(made.map(each => each.workerAmong(childrenOf(server.pid)))).size, WORKERS);
  const onOthers = (writer: Connection, request: ReturnType<typeof get>): Promise<Reply[]> =>
    Promise.all(made.filter(each => each !== writer).map(each => each.request(request)));
  const ids = new Set<unknown>();
  const ticks: string[] = [];
  let requests = 0;
  for (let round = 0; round < ROUNDS; round++) {
    for (const [index, writer] of made.entries()) {
      const [table, value] = [`t${round}x${index}`, round * WORKERS + index];
      assert.equal(statusOf(await writer.request(createTable(table))), 204);
      for (const count of [value, value + 0.5]) {
        const put = await writer.request(send('PUT', `/${table}${ROW}`, { count }));
        ticks.push(tickOf(put));
        for (const { status, body, headers } of await onOthers(writer, get(`/${table}${ROW}`))) {
          assert.deepEqual([status, JSON.parse(body).count], [200, count]);
          ids.add(headers['x-ms-request-id']);
          requests++;
        }
      }
      const dropped = await writer.request({ method: 'DELETE', target: `${ACCOUNT}/Tables('${table}')` });
      assert.equal(dropped.status, 204);
      for (const { status } of await onOthers(writer, get(`/${table}${ROW}`))) assert.equal(status, 404);
      for (const { status } of await onOthers(writer, createTable(table))) assert.equal(status, 409);
    }
  }
  await stop();
  assert.equal(ids.size, requests, 'no id of a request was given twice');
  assert.equal(new Set(ticks).size, ticks.length, 'no ETag was given twice');
  assert.deepEqual(ticks, ticks.toSorted());
});

test('policies and service properties hold in every worker from their answer on', {
  skip: skipLong,
}, async t => {
  const made = await connections(t, server, WORKERS);
  await made[0]?.request(createTable('things'));
  for (const [index, writer] of made.entries()) {
    const acl = `<SignedIdentifiers><SignedIdentifier><Id>id${index}</Id></SignedIdentifier></SignedIdentifiers>`;
    const set = { method: 'PUT', target: `${ACCOUNT}/things?comp=acl`, body: acl };
    assert.equal(statusOf(await writer.request(set)), 204);
    const origin = `http://host${index}`;
    const rule = `<CorsRule><AllowedOrigins>${origin}</AllowedOrigins><AllowedMethods>GET</AllowedMethods><AllowedHeaders /><ExposedHeaders /><MaxAgeInSeconds>5</MaxAgeInSeconds></CorsRule>`;
    const body = `<StorageServiceProperties><Cors>${rule}</Cors></StorageServiceProperties>`;
    const properties = { method: 'PUT', target: `${ACCOUNT}/?restype=service&comp=properties`, body };
    assert.equal(statusOf(await writer.request(properties)), 202);
    const preflight = { Origin: origin, 'Access-Control-Request-Method': 'GET' };
    for (const reader of made) {
      const read = await reader.request({ method: 'GET', target: `${ACCOUNT}/things?comp=acl` });
      assert.match(read.body, new RegExp(`<Id>id${index}</Id>`));
      const asked = {
        method: 'OPTIONS',
        target: `${ACCOUNT}/things`,
        headers: preflight,
        sign: 'none',
      } as const;
      assert.equal((await reader.request(asked)).headers['access-control-allow-origin'], origin);
    }
  }
});

test('counters by ETag lose nothing, and of those that create one entity one succeeds', { skip }, async t => {
  const made = await connections(t, server, 2 * WORKERS);
  await made[0]?.request(createTable('counters'));
  const inserts = made.map(each => each.request(send('POST', '/counters', { ...KEYS, count: 0 })));
  const statuses = (await Promise.all(inserts)).map(statusOf);
  assert.deepEqual(statuses.toSorted(), [204, ...Array.from({ length: made.length - 1 }, () => 409)]);
  const increment = async (connection: Connection): Promise<void> => {
    for (;;) {
      const { headers, body } = await connection.request(get(`/counters${ROW}`));
      const next = send(
        'PUT',
        `/counters${ROW}`,
        { count: JSON.parse(body).count + 1 },
        { 'If-Match': String(headers.etag) },
      );
      const { status } = await connection.request(next);
      if (status === 204) return;
      assert.equal(status, 412);
    }
  };
  for (let round = 0; round < 5; round++) await Promise.all(made.map(increment));
  const read = await made[0]?.request(get(`/counters${ROW}`));
  assert.equal(JSON.parse(read?.body ?? '').count, 5 * made.length);
});

test('each message is given to one caller, through any worker', { skip: skipLong }, async () => {
  // A client of its own for each, so that connections reach every worker.
  const clients = Array.from({ length: 3 * WORKERS }, () =>
    QueueServiceClient.fromConnectionString(server.connectionString).getQueueClient('work'),
  );
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
  assert.deepEqual(got.sort(), texts.sort());
});

test('a killed worker is replaced, and the others do not notice', { skip }, async t => {
  const workers = childrenOf(server.pid);
  const made = await connections(t, server, WORKERS);
  await made[0]?.request(createTable('others'));
  const [victim = 0] = workers;
  const spared = made.filter(each => each.workerAmong(workers) !== victim);
  assert.equal(spared.length, WORKERS - 1);
  process.kill(victim, 'SIGKILL');
  for (let round = 0; round < 50; round++) {
    const puts = spared.map(each => each.request(send('PUT', `/others${ROW}`, { round })));
    assert.deepEqual(
      (await Promise.all(puts)).map(statusOf),
      spared.map(() => 204),
    );
  }
  const line = `shelfmark: worker ${victim} ended (SIGKILL); another takes its place.\n`;
  await until('the death is told', () => server.stderr() === line);
  const isNew = (pid: number): boolean => !workers.includes(pid);
  await until('the new worker gets connections', async () => {
    const [fresh] = await connections(t, server, 1);
    return fresh?.workerAmong(childrenOf(server.pid).filter(isNew));
  });
});

test('a signal ends them all', { skip }, async () => {
  const workers = childrenOf(server.pid);
  assert.equal(workers.length, WORKERS);
  const told = server.stderr();
  const { code, stderr } = await server.stop('SIGTERM');
  assert.deepEqual([code, stderr], [0, told]);
  assert.deepEqual(workers.filter(isAlive), []);
  assert.equal(await isTaken(server.port), false);
});
