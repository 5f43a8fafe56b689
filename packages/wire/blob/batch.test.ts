// The envelope of a blob batch: parts in, answers out, limits, and bodies that are none.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '#account';
import { codesOf } from '#account/testing';
import { parseBlobBatch } from './batch.js';

const TYPE = 'multipart/mixed; boundary=b';

const part = (request: string, id = '0'): string =>
  `--b\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\nContent-ID: ${id}\r\n\r\n${request}\r\n`;
const DELETE = 'DELETE /acc/c/b HTTP/1.1\r\nx-ms-date: now\r\ncontent-length: 0\r\n\r\n';

const parse = (body: string, type: string | undefined = TYPE) => parseBlobBatch(type, Buffer.from(body));

const codeOf = codesOf(ServiceError);
const refusal = (body: string, type?: string): string => codeOf(() => parse(body, type));

test('each part is a request with its own id', () => {
  const parts = parse(
    `${part(DELETE)}${part('PUT /acc/c/b?comp=tier HTTP/1.1\r\nX-Ms-Access-Tier: Cool\r\n\r\n', 'x')}--b--`,
  );
  assert.deepEqual(
    parts.map(({ method, target, partId }) => [method, target, partId]),
    [
      ['DELETE', '/acc/c/b', '0'],
      ['PUT', '/acc/c/b?comp=tier', 'x'],
    ],
  );
  assert.equal(parts[0]?.headers['x-ms-date'], 'now');
  assert.equal(parts[1]?.headers['x-ms-access-tier'], 'Cool');
});

test('1 to 256 of them', () => {
  const many = (count: number) => `${part(DELETE).repeat(count)}--b--`;
  for (const count of [1, 255, 256]) assert.equal(parse(many(count)).length, count);
  for (const count of [0, 257, 1000]) assert.equal(refusal(many(count)), 'InvalidInput', String(count));
});

test('bodies that are no batch', () => {
  for (const type of ['', 'x', 'application/json', 'multipart/form-data; boundary=b'])
    assert.equal(refusal(`${part(DELETE)}--b--`, type), 'InvalidHeaderValue', type);
  for (const type of [
    'multipart/mixed',
    'multipart/mixed;',
    'multipart/mixed; boundary=',
    'Multipart/Mixed; x=y',
  ])
    assert.equal(refusal(`${part(DELETE)}--b--`, type), 'InvalidHeaderValue', type);
  for (const body of ['', '--b', '--b--', part(DELETE), '\0'.repeat(1000), '--b'.repeat(1000), '--c--'])
    assert.equal(refusal(body), 'InvalidInput', body.slice(0, 20));
  for (const request of [
    '',
    'DELETE',
    'DELETE /x',
    '\0',
    'DELETE  HTTP/1.1\r\n\r\n',
    'DELETE /x HTTP/1.1\r\nx\r\n\r\n',
  ])
    assert.equal(refusal(`${part(request)}--b--`), 'InvalidInput', request);
});

test('nothing stands before the first delimiter, and a blank behind each colon', () => {
  const whole = `${part(DELETE)}--b--`;
  for (const before of ['\r\n', '\n', '\r', ' ', '\t', '\r\n\r\n', ' \r\n', '\0', '\ufeff', 'x\r\n'])
    assert.equal(refusal(`${before}${whole}`), 'InvalidInput', JSON.stringify(before));
  for (const name of [
    'Content-Type',
    'Content-Transfer-Encoding',
    'Content-ID',
    'x-ms-date',
    'content-length',
  ])
    for (const colon of [':', ':\t'])
      assert.equal(refusal(whole.replace(`${name}: `, `${name}${colon}`)), 'InvalidInput', name);
  const withHead = (line: string) => `${part(DELETE.replace('\r\n', `\r\n${line}\r\n`))}--b--`;
  for (const line of ['Host:', 'x:y', 'x:y: z', 'If-Match:*'])
    assert.equal(refusal(withHead(line)), 'InvalidInput', line);
  for (const line of ['Host: ', 'Host: a:1', 'x:  y', 'x: :y'])
    assert.equal(parse(withHead(line)).length, 1, line);
  assert.equal(
    refusal(`${part(DELETE)}${part(DELETE).replace('x-ms-date: ', 'x-ms-date:')}--b--`),
    'InvalidInput',
  );
  assert.equal(parse(`${whole}\r\n`).length, 1);
});
