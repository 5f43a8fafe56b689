// Calls of the official clients of queues and blobs against services that do not answer, or answer in part.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { BlobServiceClient } from '@azure/storage-blob';
import { QueueServiceClient } from '@azure/storage-queue';
import { PatternError } from '../values/pattern-error.js';
import { BlobContainer } from './blob-container.js';
import { QueueRequests } from './queue-requests.js';

const TIMEOUT = 1_000;
const BYTES = 8;

async function service(t: TestContext, listener: RequestListener, timeoutMilliseconds = TIMEOUT) {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/a`;
  const connection = `DefaultEndpointsProtocol=http;AccountName=a;AccountKey=YQ==;QueueEndpoint=${address};BlobEndpoint=${address};`;
  const options = { retryOptions: { maxTries: 3, retryDelayInMs: 1, maxRetryDelayInMs: 1 } };
  const queues = QueueServiceClient.fromConnectionString(connection, options);
  const blobs = BlobServiceClient.fromConnectionString(connection, options);
  const clients = { tables: queues as never, queues, blobs, timeoutMilliseconds };
  return {
    queue: new QueueRequests(clients, 'jobs', Date.now),
    container: new BlobContainer(clients, 'a test', 'logs'),
  };
}

const isUnreachable = (thrown: unknown): boolean => {
  assert(PatternError.is(thrown, 'Unreachable'), String(thrown));
  assert.equal(thrown.message, 'Unreachable: No answer came (attempts: unknown).');
  return true;
};

/** A blob whose bytes come one by one; after so many, no more. */
const slowly =
  (count: number): RequestListener =>
  (_, response) => {
    response.writeHead(206, { 'Content-Length': BYTES, ETag: '"1"', 'Content-Range': `bytes 0-7/${BYTES}` });
    let sent = 0;
    const timer = setInterval(() => {
      response.write('a');
      if (++sent === count) clearInterval(timer);
    }, TIMEOUT / 4);
  };

test('a client that tried again without an answer is not said to have tried once', async t => {
  let connections = 0;
  const broken: RequestListener = ({ socket }) => {
    connections++;
    socket.destroy();
  };
  const { queue } = await service(t, broken, 60_000);
  await assert.rejects(queue.send('text', 0), isUnreachable);
  assert(connections > 1, `${connections} connections`);
});

test('a call that nothing answers ends in time, of whichever service', async t => {
  const { queue, container } = await service(t, () => undefined);
  const calls = [
    queue.send('text', 0),
    queue.delete({ id: 'a', receipt: 'b' }),
    container.upload('a', new Uint8Array(1), {}, {}),
    container.append('a', new Uint8Array(1), 0, {}),
    container.exchange('a', undefined, '"1"', {}),
    container.length('a', {}),
    container.read('a'),
    container.delete('a', {}),
    container.pages('', {}).next(),
  ];
  await Promise.all(calls.map(call => assert.rejects(call, isUnreachable)));
});

test('a blob that arrives slowly is read, and one that stops to arrive is not waited for', async t => {
  const whole = await service(t, slowly(BYTES));
  assert.equal((await whole.container.read('a', { count: BYTES }))?.length, BYTES);
  const half = await service(t, slowly(BYTES / 2));
  await assert.rejects(half.container.read('a', { count: BYTES }), isUnreachable);
});

test('an upload may take longer the more it has', async t => {
  const { container } = await service(t, (request, response) => {
    request.resume();
    setTimeout(() => response.writeHead(201, { ETag: '"1"' }).end(), 1.5 * TIMEOUT);
  });
  const small = new Uint8Array(1);
  // 2.3 seconds more.
  const large = new Uint8Array(4_096);
  const ways = [
    (body: Uint8Array) => container.upload('a', body, {}, {}),
    (body: Uint8Array) => container.append('a', body, 0, {}),
    (body: Uint8Array) => container.exchange('a', body, '"1"', {}),
  ];
  await Promise.all(
    ways.flatMap(
      way => [way(large), assert.rejects(way(small), isUnreachable)] as readonly Promise<unknown>[],
    ),
  );
});

test('a timeout without end is none, and warns of nothing', async t => {
  const warned = t.mock.method(process, 'emitWarning');
  const { container } = await service(t, slowly(BYTES), Number.POSITIVE_INFINITY);
  assert.equal((await container.read('a', { count: BYTES }))?.length, BYTES);
  assert.equal(warned.mock.callCount(), 0);
});

test('a signal ends a call with its own reason', async t => {
  const ending = new AbortController();
  const { signal } = ending;
  const { container } = await service(t, () => ending.abort(new Error('the end')));
  await assert.rejects(container.read('a', { signal }), /the end/);
  await assert.rejects(container.length('a', { signal }), /the end/);
});
