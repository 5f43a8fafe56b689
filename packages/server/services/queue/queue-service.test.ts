// Requests to the Queue service as plain values: which of two faults is reported, HEAD, the log and
// the metrics. The frame's versions and CORS are tested with tables, signatures in auth/ and by test/scenarios/sas.test.ts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BodyStream } from '#base';
import { openMemoryStore, type Store } from '#store';
import { BODY_BYTES_MAX, Service } from '../../frame/handle-request.js';
import { RequestMetrics } from '../../observe/request-metrics.js';
import { ACCOUNT, headersOf, openService, textOf } from '../../testing/service.js';
import { type Headers, signed, unsigned } from '../../testing/storage-requests.js';
import { SERVICES } from '../registry.js';
import { QUEUE_SERVICE } from './queue-service.js';

/** A request whose body did not come with its head. */
interface Streamed {
  readonly headers?: Headers;
  readonly body?: string;
  readonly bodyTooLarge?: boolean;
  /** Goes out without an Authorization header. */
  readonly anonymous?: boolean;
  readonly stream?: BodyStream;
}

function open(store: Store = openMemoryStore()) {
  const { service, logged, failures } = openService(store);
  const metrics = new RequestMetrics(SERVICES.map(({ protocol }) => protocol));
  const queues = new Service(QUEUE_SERVICE, { ...service, metrics });
  const send = (method: string, target: string, sent: Streamed = {}) => {
    const { headers = {}, body = '', bodyTooLarge = false, anonymous = false, stream } = sent;
    const asked = { method, target, headers, body };
    const request = anonymous ? unsigned(asked) : signed(asked);
    return queues.handle({ ...request, headers: { ...request.headers, ...headers }, bodyTooLarge, stream });
  };
  const codeOf = async (method: string, path: string, sent?: Streamed): Promise<string> => {
    const response = await send(method, path, sent);
    return `${response.status} ${headersOf(response).get('x-ms-error-code') ?? ''}`.trim();
  };
  return { send, codeOf, logged, failures, metrics };
}

const MESSAGE = '<QueueMessage><MessageText>a</MessageText></QueueMessage>';

test('of two faults the first in order is reported', async () => {
  const { codeOf } = open();
  await codeOf('PUT', '/there');
  const wrongKey = { authorization: `SharedKey ${ACCOUNT}:AAAA` };
  // Each request has the fault that is named, and those of all lines below it that it can have.
  assert.equal(await codeOf('PUT', '/%zz', { headers: { 'x-ms-version': 'x' } }), '400 InvalidUri');
  assert.equal(
    await codeOf('PUT', '/UPPER', { headers: { 'x-ms-version': 'x', ...wrongKey } }),
    '400 InvalidHeaderValue',
  );
  assert.equal(
    await codeOf('GET', '/UPPER/a/b/c', { headers: { authorization: 'nonsense' } }),
    '400 InvalidAuthenticationInfo',
  );
  assert.equal(await codeOf('PATCH', '/UPPER', { headers: wrongKey }), '403 AuthenticationFailed');
  assert.equal(await codeOf('PATCH', '/UPPER/a/b/c'), '400 InvalidUri');
  assert.equal(await codeOf('PATCH', '/UPPER'), '405 UnsupportedHttpVerb');
  assert.equal(await codeOf('GET', '/UPPER/messages?numofmessages=0'), '400 InvalidResourceName');
  assert.equal(await codeOf('GET', '/missing/messages?numofmessages=0'), '400 OutOfRangeQueryParameterValue');
  assert.equal(await codeOf('POST', '/missing/messages', { body: 'no XML' }), '400 InvalidXmlDocument');
  assert.equal(await codeOf('PUT', '/missing?comp=acl', { body: 'no XML' }), '404 QueueNotFound');
  assert.equal(await codeOf('POST', '/missing/messages', { bodyTooLarge: true }), '404 QueueNotFound');
  assert.equal(await codeOf('DELETE', '/missing/messages/id?popreceipt=nonsense'), '404 QueueNotFound');
  assert.equal(await codeOf('POST', '/there/messages', { bodyTooLarge: true }), '413 RequestBodyTooLarge');
  assert.equal(await codeOf('POST', '/there/messages', { body: 'no XML' }), '400 InvalidXmlDocument');
  assert.equal(await codeOf('POST', '/there/messages', { body: MESSAGE }), '201');
});

test('the phrase is the first line of the text, and the id is in it', async () => {
  const { send } = open();
  const { status, reason, body, headers } = await send('DELETE', '/missing');
  assert.deepEqual([status, reason], [404, 'The specified queue does not exist.']);
  const id = new Map(headers).get('x-ms-request-id');
  assert.ok(
    body?.toString().includes(`The specified queue does not exist.\nRequestId:${id}\nTime:2020-01-01T`),
  );
});

test('days of retention that are none are told in words', async () => {
  const { send } = open();
  const days = async (count: number) => {
    const retention = `<RetentionPolicy><Enabled>true</Enabled><Days>${count}</Days></RetentionPolicy>`;
    const metrics = `<Version>1.0</Version><Enabled>true</Enabled><IncludeAPIs>true</IncludeAPIs>${retention}`;
    const body = `<StorageServiceProperties><HourMetrics>${metrics}</HourMetrics></StorageServiceProperties>`;
    return textOf(await send('PUT', '/?restype=service&comp=properties', { body }));
  };
  for (const count of [1, 365]) assert.equal(await days(count), '');
  for (const count of [0, 366])
    assert.match(
      await days(count),
      /<Code>InvalidXmlDocument<.*<Reason>Retention days must be greater than 0 and less than or equal to 365 days\.<\/Reason>/s,
    );
});

test('HEAD asks for metadata and policies', async () => {
  const { send, codeOf } = open();
  await codeOf('PUT', '/there', { headers: { 'x-ms-meta-a': '1' } });
  const response = await send('HEAD', '/there?comp=metadata');
  assert.equal(headersOf(response).get('x-ms-meta-a'), '1');
  assert.equal(headersOf(response).get('x-ms-approximate-messages-count'), '0');
  assert.equal(await codeOf('HEAD', '/there?comp=acl'), '200');
  assert.equal(await codeOf('HEAD', '/missing?comp=metadata'), '404 QueueNotFound');
  for (const path of ['/missing?comp=metadata', '/missing?comp=acl', '/there?comp=x', '/there/messages']) {
    const { status, headers } = await send('HEAD', path);
    assert(status >= 400);
    assert.deepEqual(
      headers.map(([name]) => name).filter(name => name.startsWith('Content-')),
      [],
      path,
    );
  }
});

test('metadata values that are not ASCII are refused', async () => {
  const { codeOf } = open();
  const headers = { 'x-ms-meta-a': Buffer.from('č').toString('latin1') };
  assert.equal(await codeOf('PUT', '/new', { headers }), '400 InvalidMetadata');
  await codeOf('PUT', '/there');
  assert.equal(await codeOf('PUT', '/there?comp=metadata', { headers }), '400 InvalidMetadata');
});

test('refusals are logged with their reason, faults as faults, and all are counted', async () => {
  const store = openMemoryStore();
  const { codeOf, logged, failures, metrics } = open(store);
  assert.equal(await codeOf('PUT', '/there'), '201');
  assert.equal(
    await codeOf('PUT', '/there', { headers: { authorization: 'SharedKey other:AAAA' } }),
    '403 AuthenticationFailed',
  );
  assert.equal(logged.at(-1)?.service, 'queue');
  assert.match(logged.at(-1)?.reason ?? '', /^Signed for other, sent to/);
  await store.close();
  assert.match(await codeOf('PUT', '/there'), /^50[03] /);
  assert.equal(failures.length, 1);
  const counted = metrics
    .families()
    .flatMap(({ samples }) => samples.map(({ labels, value }) => `${labels} ${value}`));
  assert.ok(counted.includes('operation="createQueue",status="201" 1'), counted.join('\n'));
  assert.ok(counted.includes('operation="unknownQueueOperation",status="403" 1'));
  assert.ok(counted.includes('code="AuthenticationFailed" 1'));
});

test("a body is asked for once its caller is known, and the time that it takes is not the answer's", async t => {
  let now = 0;
  t.mock.method(performance, 'now', () => now);
  const { codeOf, metrics } = open();
  assert.equal(await codeOf('PUT', '/there'), '201');
  const asked: number[] = [];
  const stream: BodyStream = {
    length: undefined,
    reserve: () => assert.fail(),
    collect: async bytesMax => {
      asked.push(bytesMax);
      now += 1_100;
      return { body: Buffer.from(MESSAGE), bodyTooLarge: false, isBusy: false };
    },
    [Symbol.asyncIterator]: () => assert.fail(),
  };
  assert.equal(
    await codeOf('POST', '/there/messages', { stream, anonymous: true }),
    '401 NoAuthenticationInformation',
  );
  assert.deepEqual(asked, []);
  assert.equal(await codeOf('POST', '/there/messages', { stream }), '201');
  assert.deepEqual(asked, [BODY_BYTES_MAX]);
  const sum = metrics
    .families()
    .find(({ name }) => name === 'shelfmark_request_duration_seconds')
    ?.samples.find(({ suffix, labels }) => suffix === '_sum' && labels.includes('"putMessage"'));
  assert.equal(sum?.value, 0);
});

test('the secondary answers reads', async () => {
  const { codeOf } = open();
  await codeOf('PUT', '/there');
  assert.equal(await codeOf('GET', '-secondary/there?comp=metadata'), '200');
  assert.equal(await codeOf('GET', '-secondary/there/messages?peekonly=true'), '200');
  assert.equal(await codeOf('GET', '-secondary/there/messages'), '403 InsufficientAccountPermissions');
  assert.equal(await codeOf('POST', '-secondary/there/messages'), '403 InsufficientAccountPermissions');
});

test('who says nothing of themselves is refused before all that they ask for', async () => {
  const { codeOf } = open();
  await codeOf('PUT', '/there');
  const by = (version: string) =>
    codeOf('GET', '/there/messages?numofmessages=0', {
      anonymous: true,
      headers: { 'x-ms-version': version },
    });
  assert.equal(await by('2020-10-02'), '404 ResourceNotFound');
  assert.equal(await by('2020-12-06'), '401 NoAuthenticationInformation');
});

test('who uses a verb that the resource has not is told those that it has', async () => {
  const { send } = open();
  const allow = async (method: string, path: string): Promise<string | undefined> => {
    const response = await send(method, path);
    assert.equal(response.status, 405);
    return headersOf(response).get('allow');
  };
  assert.equal(await allow('PATCH', '/there'), 'PUT, DELETE');
  assert.equal(await allow('PUT', '/there/messages'), 'GET, POST, DELETE');
  assert.equal(await allow('POST', '/there/messages/id'), 'PUT, DELETE');
  assert.equal(await allow('DELETE', '/there?comp=metadata'), 'GET, HEAD, PUT');
});
