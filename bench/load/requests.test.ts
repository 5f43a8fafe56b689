// The checks of answers: they accept those to the requests' own rows, and refuse others.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { filler, scatter } from './gaps.js';
import { takeSteps } from './queues.js';
import { type Kind, requestFiller } from './request.js';
import * as requests from './requests.js';
import { GROUP_ROWS, groupRows, loadedEntity, soughtRows } from './rows.js';

const AT = { port: 10_002, account: 'bench', signature: 'sig=x' };
const ROWS = 20_000;
const SEQUENCE = 7;
const ROW = scatter(SEQUENCE, ROWS);

const entityOf = (row: number): string => filler(loadedEntity('sequence'), ROWS)(row);
const pageOf = (rows: readonly number[]): string => `{"value":[${rows.map(entityOf).join(',')}]}`;
const batchOf = (count: number): string => 'HTTP/1.1 204 No Content\r\n'.repeat(count);
const CONTENT = requests.putBlob(AT, 'c').request.body;

/** A kind of requests, and the answers that are right and wrong. */
const CASES: readonly (readonly [name: string, kind: Kind, status: number, right: string, wrong: string])[] =
  [
    ['a row', requests.pointGet(AT, 't'), 200, entityOf(ROW), entityOf(ROW + 1)],
    ['a range', requests.range(AT, 't'), 200, pageOf(groupRows(ROW)), pageOf(groupRows(ROW).slice(1))],
    ['a filter', requests.filter(AT, 't', ROWS), 200, pageOf(soughtRows(0, ROWS)), pageOf([50])],
    ['a transaction', requests.transaction(AT, 't'), 202, batchOf(GROUP_ROWS), batchOf(GROUP_ROWS - 1)],
    ['a blob', requests.getBlob(AT, 'c'), 200, CONTENT, `${CONTENT}x`],
  ];

for (const [name, { check }, status, right, wrong] of CASES)
  test(`${name}: its answer is accepted, another refused`, () => {
    const answer = (given: number, body: string) => ({ status: given, headers: {}, body: Buffer.from(body) });
    check(answer(status, right), SEQUENCE, ROW);
    assert.throws(() => check(answer(status, wrong), SEQUENCE, ROW), assert.AssertionError);
    assert.throws(() => check(answer(503, right), SEQUENCE, ROW), assert.AssertionError);
  });

test('a message that was got is deleted; one with another text is refused', () => {
  const [get, remove] = takeSteps(AT, 'q');
  const text = '000000000007send the list of prices to this customer and ask for the orders of next month; ';
  const xml = (texts: string): string =>
    `<QueueMessage><MessageId>i</MessageId><PopReceipt>a+b=</PopReceipt><MessageText>${texts}</MessageText></QueueMessage>`;
  const context: { message?: string } = {};
  assert.equal(remove?.request(context), undefined);
  get?.check?.(200, xml(text.padEnd(1024, text.slice(12))), context);
  assert.match(remove?.request(context)?.path ?? '', /^\/bench\/q\/messages\/i\?popreceipt=a%2Bb%3D&sig=x$/);
  assert.throws(() => get?.check?.(200, xml(text), {}), assert.AssertionError);
  assert.throws(() => get?.check?.(200, '<QueueMessagesList/>', {}), /no MessageText/);
});

test('a request announces the length of its body', () => {
  const { headers, body } = requestFiller(requests.insert(AT, 't').request, ROWS)(SEQUENCE);
  assert.equal(headers['Content-Length'], String(Buffer.byteLength(body)));
  assert.equal(JSON.parse(body).RowKey, `${String(ROW).padStart(10, '0')}.0000000007`);
});
