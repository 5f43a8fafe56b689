// The built-in load generator against servers that answer rightly, wrongly, late, in pages, or not at all.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { expectedProperties, soughtRows } from '../load/dataset.js';
import { generate } from '../load/generator.js';
import type { Job, JobResult } from '../load/job.js';
import { type Endpoint, filter, insert, pointGet } from '../load/requests.js';
import { scatter, slot } from '../load/template.js';
import { type Answer, type Asked, answering } from '../load/testing/answering-server.js';

const ROWS = 1000;
const endpointOf = (port: number): Endpoint => ({ port, account: 'a', signature: 'sig=s' });

async function against(
  answer: (asked: Asked, index: number) => Answer | Promise<Answer>,
  jobOf: (endpoint: Endpoint) => Omit<Job, 'port' | 'rows'>,
): Promise<{ readonly result: JobResult; readonly asked: readonly Asked[] }> {
  const server = await answering(answer);
  try {
    const { port } = server;
    const result = await generate({ port, rows: ROWS, ...jobOf(endpointOf(port)) });
    return { result, asked: server.asked };
  } finally {
    await server.close();
  }
}

const rowAsked = ({ url }: Asked): number => Number(/RowKey='(\d+)'/.exec(url)?.[1]);
const entity = (row: number): Answer => ({ status: 200, body: JSON.stringify(expectedProperties(row)) });
const everyBody = (endpoint: Endpoint) => ({ ...pointGet(endpoint, 't'), checkEvery: 1 });

test('sends as many requests as asked for, and every answer is checked', async () => {
  const { result, asked } = await against(
    each => entity(rowAsked(each)),
    endpoint => ({ connections: 4, first: 10, count: 100, requests: [everyBody(endpoint)] }),
  );
  assert.equal(result.complaint, undefined);
  assert.deepEqual([result.completed, result.used, result.absent], [100, 100, 0]);
  const rows = Array.from({ length: 100 }, (_, index) => scatter(10 + index, ROWS));
  assert.deepEqual(new Set(asked.map(rowAsked)), new Set(rows));
  const { p50, p99, max } = result.latency;
  assert.ok(p50 > 0 && p50 <= p99 && p99 <= max);
});

test('a wrong body and a wrong status are reported', async () => {
  const job = (endpoint: Endpoint) => ({
    connections: 2,
    first: 0,
    count: 50,
    requests: [everyBody(endpoint)],
  });
  const another = await against((each, index) => entity(index === 20 ? 999_999 : rowAsked(each)), job);
  assert.match(another.result.complaint ?? '', /^PartitionKey is "p000009"/);
  const busy = await against(
    (each, index) => (index === 20 ? { status: 503, body: 'busy' } : entity(rowAsked(each))),
    job,
  );
  assert.equal(busy.result.complaint, 'status 503: busy');
});

test('a status is checked where no body is', async () => {
  const { result } = await against(
    (_, index) => ({ status: index === 37 ? 409 : 204, body: '' }),
    endpoint => ({ connections: 3, first: 1, count: 100, requests: [insert(endpoint, 't')] }),
  );
  assert.match(result.complaint ?? '', /^status 409/);
});

test('rows that are already gone are counted', async () => {
  const { result } = await against(
    (_, index) => ({ status: index < 4 ? 404 : 204, body: '' }),
    ({ port }) => ({
      connections: 2,
      first: 0,
      count: 10,
      requests: [
        {
          parts: ['DELETE /', slot('unique'), ` HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`],
          check: { kind: 'deleted' },
          checkEvery: 1,
        },
      ],
    }),
  );
  assert.deepEqual([result.completed, result.absent, result.complaint], [10, 4, undefined]);
});

test('a query is followed over its pages and counts once', async () => {
  const rows = [...soughtRows(0, ROWS)].map(expectedProperties);
  const page = ({ url }: Asked): Answer => {
    const isLast = url.includes('&NextPartitionKey=1!8!cA--&NextRowKey=1!1!a');
    const headers = {
      'x-ms-continuation-NextPartitionKey': '1!8!cA--',
      'x-ms-continuation-NextRowKey': '1!1!a',
    };
    return isLast
      ? { status: 200, body: JSON.stringify({ value: rows }) }
      : { status: 200, headers, body: '{"value":[]}' };
  };
  const job = (endpoint: Endpoint) => ({
    connections: 1,
    first: 0,
    count: 3,
    requests: [filter(endpoint, 't')],
  });
  const { result, asked } = await against(page, job);
  assert.deepEqual([result.complaint, result.completed, asked.length], [undefined, 3, 6]);
  const endless = await against(each => page({ ...each, url: '' }), job);
  assert.match(endless.result.complaint ?? '', /^more than \d+ pages/);
  const nothing = await against(() => ({ status: 200, body: '{"value":[]}' }), job);
  assert.match(nothing.result.complaint ?? '', /^0 entities instead of 1/);
});

test('at a fixed rate latency counts from when a request was due', async () => {
  // A server that takes 20 ms for one after the other: of 100 requests a second every one after the first is late, and ever later.
  let last: Promise<unknown> = Promise.resolve();
  const { result } = await against(
    each => {
      last = last.then(() => sleep(20));
      return last.then(() => entity(rowAsked(each)));
    },
    endpoint => ({
      connections: 1,
      first: 0,
      milliseconds: 300,
      perSecond: 100,
      requests: [everyBody(endpoint)],
    }),
  );
  assert.equal(result.completed, 30);
  assert.ok(result.latency.max >= 300, `the last was due after 290 ms: ${result.latency.max}`);
  assert.ok(result.milliseconds >= 600);
});

test('kinds are sent in turn by their sequence number', async () => {
  const { asked } = await against(
    each => (each.method === 'GET' ? entity(rowAsked(each)) : { status: 204, body: '' }),
    endpoint => ({
      connections: 1,
      first: 1,
      count: 4,
      requests: [insert(endpoint, 't'), everyBody(endpoint)],
    }),
  );
  assert.deepEqual(
    asked.map(({ method }) => method),
    ['GET', 'POST', 'GET', 'POST'],
  );
});

test('a server that is not there fails the job', async () => {
  const server = await answering(() => ({ status: 200, body: '' }));
  await server.close();
  const job = {
    port: server.port,
    rows: ROWS,
    connections: 2,
    first: 0,
    count: 5,
    requests: [pointGet(endpointOf(server.port), 't')],
  };
  await assert.rejects(generate(job), { code: 'ECONNREFUSED' });
});
