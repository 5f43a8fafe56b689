// wrk with the generated script: it sends what the built-in generator sends, and reports wrong answers. Only where wrk
// is installed.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { expectedProperties, groupRows } from '../load/dataset.js';
import type { Job, JobResult, RequestKind } from '../load/job.js';
import { type Endpoint, insert, pointGet, range, transaction } from '../load/requests.js';
import { renderText, scatter } from '../load/template.js';
import { type Answer, type Asked, answering } from '../load/testing/answering-server.js';
import { isForWrk, runWrk, wrkVersion } from '../load/wrk.js';

const skip = wrkVersion() === undefined ? 'wrk is not on the path' : false;
const ROWS = 300_000;
/** Longer than a machine's pauses. */
const RUN_SECONDS = 5;

const rowAsked = ({ url }: Asked): number => Number(/RowKey='(\d+)'/.exec(url)?.[1]);
const entity = (row: number): Answer => ({ status: 200, body: JSON.stringify(expectedProperties(row)) });

async function against(
  answer: (asked: Asked, index: number) => Answer,
  kindOf: (endpoint: Endpoint) => RequestKind,
): Promise<{ readonly result: JobResult; readonly asked: readonly Asked[]; readonly kind: RequestKind }> {
  const server = await answering(answer);
  try {
    const { port } = server;
    const kind = kindOf({ port, account: 'a', signature: 'sig=s%3D' });
    const milliseconds = RUN_SECONDS * 1_000;
    const job: Job = { port, connections: 4, rows: ROWS, requests: [kind], first: 5, milliseconds };
    assert.ok(isForWrk(job));
    return { result: await runWrk(job), asked: server.asked, kind };
  } finally {
    await server.close();
  }
}

/** The first requests are those of the sequence numbers from 5 on, byte by byte. */
function assertSent(asked: readonly Asked[], { parts }: RequestKind): void {
  const sent = new Set(asked.map(({ method, url, body }) => `${method} ${url} ${body}`));
  for (let sequence = 5; sequence < 5 + Math.min(20, asked.length - 4); sequence++) {
    const text = renderText(parts, sequence, ROWS);
    const [, line, body] = /^(\w+ \S+) HTTP\/1\.1\r\n[\s\S]*?\r\n\r\n([\s\S]*)$/.exec(text) ?? [];
    assert.ok(sent.has(`${line} ${body}`), `not sent: ${text}`);
  }
}

const json = (value: object): Answer => ({ status: 200, body: JSON.stringify(value) });
const notes = (Notes: string): Answer => json({ ...expectedProperties(3), Notes });
const name = (Name: string): Answer => json({ ...expectedProperties(3), Name });
const page = (from: number): Answer => json({ value: groupRows(0).slice(0, -from).map(expectedProperties) });
const members = (count: number): Answer => ({
  status: 202,
  body: 'HTTP/1.1 204 No Content\r\n'.repeat(count),
});
const statusOk = (kind: RequestKind): RequestKind => ({ ...kind, check: { kind: 'empty', status: 200 } });

const options = { skip, concurrency: true };
// Each takes all of its time.
describe('wrk', options, () => {
  test('rows are asked for as by the built-in generator, and each answer passes', async () => {
    const { result, asked, kind } = await against(
      each => entity(rowAsked(each)),
      endpoint => ({ ...pointGet(endpoint, 't'), checkEvery: 1 }),
    );
    assert.equal(result.complaint, undefined);
    assert.ok(result.completed > 0 && result.completed <= asked.length);
    assert.ok(result.used >= result.completed && result.used <= result.completed + 4);
    const rows = new Set(asked.map(rowAsked));
    assert.ok(rows.has(scatter(5, ROWS)) && !rows.has(scatter(4, ROWS)));
    assertSent(asked, kind);
    const { p50, p99, max } = result.latency;
    assert.ok(p50 > 0 && p50 <= p99 && p99 <= max);
  });

  test('new rows and transactions are sent as by the built-in generator', async () => {
    const inserts = await against(
      () => ({ status: 204, body: '' }),
      endpoint => insert(endpoint, 't'),
    );
    assert.equal(inserts.result.complaint, undefined);
    assertSent(inserts.asked, inserts.kind);
    const batches = await against(
      () => ({ status: 202, body: 'HTTP/1.1 204 No Content\r\n'.repeat(100) }),
      endpoint => transaction(endpoint, 't'),
    );
    assert.equal(batches.result.complaint, undefined);
    assertSent(batches.asked, batches.kind);
  });

  test('wrong answers are reported', async () => {
    const wrong: readonly (readonly [RegExp, Answer, (endpoint: Endpoint) => RequestKind])[] = [
      [/^status 503: busy/, { status: 503, body: 'busy' }, endpoint => pointGet(endpoint, 't')],
      [/lacks +Notes : +Prefers/, notes('other'), endpoint => pointGet(endpoint, 't')],
      [/another's/, name('somebody'), endpoint => pointGet(endpoint, 't')],
      [/^99 rows/, page(1), endpoint => range(endpoint, 't')],
      [/^99 members done/, members(99), endpoint => transaction(endpoint, 't')],
      [/^a body/, { status: 200, body: 'x' }, endpoint => statusOk(insert(endpoint, 't'))],
    ];
    const found = await Promise.all(
      wrong.map(async ([pattern, answer, kindOf]) => {
        const { result } = await against(() => answer, kindOf);
        return pattern.test(result.complaint ?? '') ? undefined : `${pattern}: ${result.complaint}`;
      }),
    );
    assert.deepEqual(
      found.filter(each => each !== undefined),
      [],
    );
  });

  test('a whole range passes', async () => {
    const { result } = await against(
      () => json({ value: groupRows(250_000).map(expectedProperties) }),
      endpoint => ({ ...range(endpoint, 't'), checkEvery: 1 }),
    );
    assert.equal(result.complaint, undefined);
    assert.ok(result.completed > 0);
  });
});

test('wrk does not support fractions of a second, fixed rates and mixed requests', () => {
  const kind: RequestKind = { parts: [], check: { kind: 'entity' }, checkEvery: 1 };
  const job: Job = { port: 1, connections: 1, rows: 100, requests: [kind], first: 0, milliseconds: 2000 };
  assert.equal(isForWrk(job), true);
  assert.equal(isForWrk({ ...job, milliseconds: 2500 }), false);
  assert.equal(isForWrk({ ...job, perSecond: 10 }), false);
  assert.equal(isForWrk({ ...job, count: 10 }), false);
  assert.equal(isForWrk({ ...job, requests: [kind, kind] }), false);
  assert.equal(isForWrk({ ...job, requests: [{ ...kind, check: { kind: 'filter' } }] }), false);
});
