// What the official clients of queues and blobs throw, as errors of this library.
import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { QueueServiceClient } from '@azure/storage-queue';
import { PatternError } from '../values/pattern-error.js';
import { QueueRequests } from './queue-requests.js';

test('a client that tried again without an answer is not said to have tried once', async () => {
  let connections = 0;
  const deaf = createServer(socket => {
    connections++;
    socket.destroy();
  });
  await new Promise<void>(resolve => deaf.listen(0, '127.0.0.1', resolve));
  const { port } = deaf.address() as AddressInfo;
  const queues = QueueServiceClient.fromConnectionString(
    `DefaultEndpointsProtocol=http;AccountName=a;AccountKey=YQ==;QueueEndpoint=http://127.0.0.1:${port}/a;`,
    { retryOptions: { maxTries: 3, retryDelayInMs: 1, maxRetryDelayInMs: 1 } },
  );
  const queue = new QueueRequests({ queues } as never, 'jobs', Date.now);
  const thrown = await queue.send('text', 0).catch(error => error);
  deaf.close();
  assert(PatternError.is(thrown, 'Unreachable'), String(thrown));
  assert.equal(thrown.message, 'Unreachable: No answer came (attempts: unknown).');
  assert.equal(thrown.detail.attempts, undefined);
  assert(connections > 1, `${connections} connections`);
});
