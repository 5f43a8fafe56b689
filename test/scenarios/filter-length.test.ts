// The longest filter, in a URL and in a part of a batch (protocol: requests#bounds): decoded characters count, not those on the wire.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { PART_HEAD } from '../support/raw-batch.js';
import { inAccount, type RawRequest, type RawResponse, rawRequest } from '../support/raw-client.js';
import { describeTargets } from '../support/targets.js';

const LENGTH_MAX = 32_768;
const TOO_LONG =
  /"code":"InvalidUri","message":\{"lang":"en-US","value":"(?:0:)?The request URL is too long\.\\nRequestId:/;

/** A filter of this length that matches entities with n = 1. */
const filterOf = (length: number): string => `n eq 1 or t eq '${'x'.repeat(length - 17)}'`;
const escaped = (text: string): string => encodeURIComponent(text).replaceAll('%20', '+');

describeTargets('the longest filter', subject => {
  let table = '';
  const send = (request: RawRequest): Promise<RawResponse> =>
    rawRequest(subject.server, { ...request, target: inAccount(subject.server, request.target) });

  before(async () => {
    table = subject.newTableName();
    await send({ method: 'POST', target: '/Tables', body: JSON.stringify({ TableName: table }) });
    const body = JSON.stringify({ PartitionKey: 'p', RowKey: 'r', n: 1 });
    await send({ method: 'POST', target: `/${table}`, body });
  });

  const query = (filter: string): Promise<RawResponse> =>
    send({ method: 'GET', target: `/${table}()?$filter=${escaped(filter)}` });

  const sendInBatch = (target: string): Promise<RawResponse> =>
    send({
      method: 'POST',
      target: '/$batch',
      headers: { 'Content-Type': 'multipart/mixed; boundary=batch_1' },
      body: [
        '--batch_1',
        ...PART_HEAD,
        '',
        `GET ${target} HTTP/1.1`,
        'Accept: application/json',
        '',
        '',
        '--batch_1--',
        '',
      ].join('\r\n'),
    });

  const queryInBatch = (filter: string): Promise<RawResponse> =>
    sendInBatch(inAccount(subject.server, `/${table}()?$filter=${escaped(filter)}`));

  test('in a URL: up to 32,768 characters are evaluated, one more is 414', async () => {
    for (const length of [LENGTH_MAX - 1, LENGTH_MAX]) {
      const { status, body } = await query(filterOf(length));
      assert.equal(status, 200, body.slice(0, 500));
      assert.match(body, /"RowKey":"r"/);
    }
    const { status, headers, body } = await query(filterOf(LENGTH_MAX + 1));
    assert.equal(status, 414, body.slice(0, 500));
    assert.match(body, TOO_LONG);
    assert.equal(headers['cache-control'], undefined);
  });

  test('in a batch the same, where no URL bounds it', async () => {
    for (const length of [LENGTH_MAX - 1, LENGTH_MAX]) {
      const { status, body } = await queryInBatch(filterOf(length));
      assert.equal(status, 202);
      assert.match(body, /HTTP\/1\.1 200 OK\r\n/);
      assert.match(body, /"RowKey":"r"/);
    }
    for (const length of [LENGTH_MAX + 1, 2_000_000]) {
      const { status, body } = await queryInBatch(filterOf(length));
      assert.equal(status, 202);
      assert.match(body, /HTTP\/1\.1 414 URI Too Long\r\n/);
      assert.match(body, TOO_LONG);
    }
  });

  test('what is escaped counts once', async () => {
    const euros = `n eq 1 or t eq '${'€'.repeat(6000)}'`;
    assert.equal((await query(euros)).status, 200);
    assert.match((await queryInBatch(euros)).body, /HTTP\/1\.1 200 OK\r\n/);
  });

  test("a part's target is bounded as a request's head is: 65,536 characters as they are sent", async () => {
    const start = inAccount(subject.server, `/${table}()?$filter=n+eq+1&x=`);
    for (const [length, status] of [
      [65_535, '200 OK'],
      [65_536, '200 OK'],
      [65_537, '414 URI Too Long'],
    ] as const) {
      const { body } = await sendInBatch(start + 'y'.repeat(length - start.length));
      assert(body.includes(`HTTP/1.1 ${status}\r\n`), `${length}: ${body.slice(0, 500)}`);
    }
  });

  test('a list of tables has the same bound', async () => {
    const name = (length: number) =>
      send({
        method: 'GET',
        target: `/Tables?$filter=${escaped(`TableName eq '${'x'.repeat(length - 15)}'`)}`,
      });
    assert.equal((await name(LENGTH_MAX)).status, 200);
    assert.equal((await name(LENGTH_MAX + 1)).status, 414);
  });
});
