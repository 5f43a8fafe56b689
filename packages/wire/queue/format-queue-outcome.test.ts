// Answers of the Queue service: status and headers of outcomes without a document; the recordings have the documents.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Outcome } from '#queues';
import { storageAnswer } from '../shared/storage-exchange.js';
import { parseTarget } from '../shared/target.js';
import { formatQueueOutcome, formatQueueResponse } from './format-queue-outcome.js';
import { QUEUE_GRAMMAR } from './queue-route.js';

const EXCHANGE = { requestId: 'an-id', version: '2018-03-28', clientRequestId: 'theirs' };

const TARGET = { target: '/acc/q', headers: { host: '127.0.0.1:10001' }, secure: false };
const route = parseTarget(TARGET, new Set(), QUEUE_GRAMMAR);

function respond(outcome: Outcome, exchange = EXCHANGE) {
  const { status, headers, body } = formatQueueResponse(formatQueueOutcome(outcome, route), exchange);
  return { status, headers: Object.fromEntries(headers), body };
}

test('an answer that hides its version has neither that nor the id', () => {
  const exchange = { ...EXCHANGE, version: '2019-02-02' };
  const { headers } = formatQueueResponse(storageAnswer(400, { hidesVersion: true }), exchange);
  assert.deepEqual(
    headers.map(([name]) => name),
    ['Content-Length', 'Server', 'x-ms-request-id'],
  );
});

test('newer versions get their own id back', () => {
  const echoed = (version: string) =>
    respond({ kind: 'queueCreated' }, { ...EXCHANGE, version }).headers['x-ms-client-request-id'];
  assert.equal(echoed('2018-03-28'), undefined);
  assert.equal(echoed('2019-02-02'), 'theirs');
});
