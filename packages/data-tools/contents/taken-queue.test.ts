// How long messages are hidden that are taken late: until all should be taken, and not for that long once more.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { toolContext } from '../run/context.js';
import { parseAddress } from '../source/address.js';
import { Endpoint } from '../source/endpoint.js';
import { TakenQueue } from './taken-queue.js';

/** Of messages that take three seconds. */
const COUNT = 1500;

const listOf = (id: number): string =>
  `<QueueMessagesList><QueueMessage><MessageId>${id}</MessageId><PopReceipt>r</PopReceipt><ExpirationTime>Fri, 31 Dec 9999 23:59:59 GMT</ExpirationTime><MessageText>m</MessageText></QueueMessage></QueueMessagesList>`;

test('a message that is taken late is hidden for what is left of the time', async t => {
  const seconds: number[] = [];
  const server = createServer((request, response) => {
    const hidden = new URL(request.url ?? '', 'http://localhost').searchParams.get('visibilitytimeout');
    if (request.method === 'HEAD') response.setHeader('x-ms-approximate-messages-count', COUNT).end();
    else if (request.method === 'PUT') response.writeHead(204).end();
    else response.end(seconds.push(Number(hidden)) <= 2 ? listOf(seconds.length) : '<QueueMessagesList />');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const display = { progress: () => {}, tell: () => {}, close: () => {} };
  const context = toolContext(display, {
    write: async () => {},
    parallel: 1,
    checkpointMilliseconds: 1000,
    retryForMilliseconds: 1000,
    signal: new AbortController().signal,
  });
  t.after(() => {
    context.source.transport.close();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const address = parseAddress(`AccountName=a;AccountKey=AAAA;QueueEndpoint=http://127.0.0.1:${port}/a`);
  await new TakenQueue({
    endpoint: new Endpoint(address, 'queue', context.source),
    queue: 'jobs',
    earlier: [],
    onStep: ({ step }) => {
      // Nothing else runs in the meantime.
      if (step === 'taken') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1100);
    },
    context,
    takenSeconds: 1,
  }).take();
  assert.deepEqual(seconds, [3, 2, 1]);
});
