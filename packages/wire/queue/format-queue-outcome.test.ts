// Answers of the Queue service: status, headers and document of every outcome (protocol: service-properties, queues, messages).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultServiceProperties } from '#account';
import type { Outcome } from '#queues';
import { storageAnswer } from '../shared/storage-answer.js';
import { parseTarget } from '../shared/target.js';
import { XML_HEAD } from '../shared/xml.js';
import { formatQueueOutcome, formatQueueResponse } from './format-queue-outcome.js';
import { QUEUE_GRAMMAR } from './queue-route.js';

const EXCHANGE = { requestId: 'an-id', version: '2018-03-28', clientRequestId: 'theirs' };

function respond(outcome: Outcome, target = '/acc/q', exchange = EXCHANGE) {
  const route = parseTarget(
    { target, headers: { host: '127.0.0.1:10001' }, secure: false },
    new Set(),
    QUEUE_GRAMMAR,
  );
  const { status, headers, body } = formatQueueResponse(formatQueueOutcome(outcome, route), exchange);
  return { status, headers: Object.fromEntries(headers), body };
}

const COMMON = {
  Server: 'Shelfmark-Queue/1.0',
  'x-ms-request-id': 'an-id',
  'x-ms-version': '2018-03-28',
};
const EMPTY = { ...COMMON, 'Content-Length': '0' };

const inserted = BigInt(Date.parse('2019-05-09T01:19:36Z')) * 10_000n;
const expires = inserted + 604_800n * 10_000_000n;
const visible = inserted + 30n * 10_000_000n;
const SEEN = { id: 'an-id', inserted, expires, dequeueCount: 1, text: 'a&b' };

test('outcomes without a document', () => {
  const statuses: Readonly<Record<string, number>> = {
    queueCreated: 201,
    queueExisted: 204,
    queueDeleted: 204,
    queueMetadataSet: 204,
    aclSet: 204,
    messageDeleted: 204,
    messagesCleared: 204,
    servicePropertiesSet: 202,
  };
  for (const [kind, status] of Object.entries(statuses))
    assert.deepEqual(respond({ kind } as Outcome), { status, headers: EMPTY, body: undefined }, kind);
});

test('metadata is in headers, as it was spelled', () => {
  const metadata = [
    { name: 'Val1', value: 'test' },
    { name: 'none', value: '' },
  ];
  assert.deepEqual(respond({ kind: 'queueMetadata', metadata, approximateCount: 7 }), {
    status: 200,
    headers: {
      ...EMPTY,
      'Cache-Control': 'no-cache',
      'x-ms-approximate-messages-count': '7',
      'x-ms-meta-Val1': 'test',
      'x-ms-meta-none': '',
    },
    body: undefined,
  });
});

test('documents have a type and their length in bytes, and reads are not cacheable', () => {
  const { status, headers, body } = respond({ kind: 'messagesPeeked', messages: [SEEN] });
  assert.equal(status, 200);
  assert.ok(body?.toString().includes('<DequeueCount>1</DequeueCount><MessageText>a&amp;b</MessageText>'));
  assert.ok(!body?.toString().includes('PopReceipt'));
  assert.deepEqual(headers, {
    ...COMMON,
    'Cache-Control': 'no-cache',
    'Content-Length': String(Buffer.byteLength(body ?? '')),
    'Content-Type': 'application/xml',
  });
});

test('a put returns the message without text and count', () => {
  const message = { id: 'an-id', inserted, expires, receipt: 'AgA=', visible: inserted };
  const { status, headers, body } = respond({ kind: 'messagePut', message });
  assert.equal(status, 201);
  assert.equal(headers['Cache-Control'], undefined);
  assert.equal(
    body,
    `${XML_HEAD}<QueueMessagesList><QueueMessage><MessageId>an-id</MessageId><InsertionTime>Thu, 09 May 2019 01:19:36 GMT</InsertionTime><ExpirationTime>Thu, 16 May 2019 01:19:36 GMT</ExpirationTime><PopReceipt>AgA=</PopReceipt><TimeNextVisible>Thu, 09 May 2019 01:19:36 GMT</TimeNextVisible></QueueMessage></QueueMessagesList>`,
  );
});

test('a get returns all members', () => {
  const { body } = respond({ kind: 'messages', messages: [{ ...SEEN, receipt: 'AgA=', visible }] });
  assert.match(
    body?.toString() ?? '',
    /<PopReceipt>AgA=<\/PopReceipt><TimeNextVisible>Thu, 09 May 2019 01:20:06 GMT<\/TimeNextVisible><DequeueCount>1<\/DequeueCount><MessageText>a&amp;b/,
  );
  assert.equal(respond({ kind: 'messages', messages: [] }).body, `${XML_HEAD}<QueueMessagesList />`);
});

test('an update gives the new receipt', () => {
  assert.deepEqual(respond({ kind: 'messageUpdated', receipt: 'AwA=', visible }).headers, {
    ...EMPTY,
    'x-ms-popreceipt': 'AwA=',
    'x-ms-time-next-visible': 'Thu, 09 May 2019 01:20:06 GMT',
  });
});

test('a list has metadata only where it was asked for', () => {
  const outcome: Outcome = { kind: 'queues', queues: [{ name: 'b', metadata: [] }], next: 'c' };
  const bodyOf = (query: string) => respond(outcome, `/acc?comp=list${query}`).body;
  const frame = (entry: string) =>
    `${XML_HEAD}<EnumerationResults ServiceEndpoint="http://127.0.0.1:10001/acc/"><MaxResults>1</MaxResults><Queues><Queue><Name>b</Name>${entry}</Queue></Queues><NextMarker>/acc/c</NextMarker></EnumerationResults>`;
  assert.equal(bodyOf('&maxresults=1'), frame(''));
  assert.equal(bodyOf('&maxresults=1&include=Metadata'), frame('<Metadata />'));
});

test('documents that are the same for tables', () => {
  assert.equal(respond({ kind: 'acl', identifiers: [] }).body, `${XML_HEAD}<SignedIdentifiers />`);
  const { body } = respond({ kind: 'serviceProperties', properties: defaultServiceProperties });
  assert.match(
    body?.toString() ?? '',
    /^\ufeff.*<StorageServiceProperties><Logging>.*<Cors \/><\/StorageServiceProperties>$/,
  );
  assert.match(respond({ kind: 'serviceStats', lastSync: inserted }).body?.toString() ?? '', /<Status>live</);
});

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
    respond({ kind: 'queueCreated' }, '/acc/q', { ...EXCHANGE, version }).headers['x-ms-client-request-id'];
  assert.equal(echoed('2018-03-28'), undefined);
  assert.equal(echoed('2019-02-02'), 'theirs');
});
