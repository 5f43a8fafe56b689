// The size of batches as it is counted, and answers as services write them. test/patterns/repo/write/batches.test.ts sends bodies, up to the size that a service takes.
import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { describe, test } from 'node:test';
import { batchText, boundariesOf, EMPTY_BYTES, parseBatchAnswer, partBytes, partText } from './batch-body.js';

const answer = (...parts: readonly string[]): string =>
  [
    '--batchresponse_a',
    'Content-Type: multipart/mixed; boundary=changesetresponse_b',
    '',
    ...parts.map(
      part =>
        `--changesetresponse_b\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n${part}`,
    ),
    '--changesetresponse_b--',
    '--batchresponse_a--',
    '',
  ].join('\r\n');

const refused = (status: string, code: string, value: string): string =>
  `HTTP/1.1 ${status}\r\nX-Content-Type-Options: nosniff\r\nDataServiceVersion: 3.0;\r\nContent-Type: application/json\r\n\r\n` +
  JSON.stringify({ 'odata.error': { code, message: { lang: 'en-US', value } } });

test('the body of a batch has the bytes that were counted', () => {
  const request = { method: 'PUT', path: 'T', headers: { 'If-Match': '*' } } as const;
  const parts = ['{}', 'ü🙂', undefined].map(body => partText({ ...request, body }, 'http://h/T'));
  const text = batchText(parts, boundariesOf('6b29fc40-ca47-1067-b31d-00dd010662da'));
  const counted = parts.reduce((sum, part) => sum + partBytes(part), EMPTY_BYTES);
  assert.equal(Buffer.byteLength(text), counted);
});

describe('the answer to a batch', () => {
  test('has ETags by position', () => {
    const etag = `W/"datetime'2021-08-02T18%3A01%3A40.3296350Z'"`;
    const text = answer(
      `HTTP/1.1 204 No Content\r\nCache-Control: no-cache\r\nETag: ${etag}\r\n\r\n`,
      'HTTP/1.1 204 No Content\r\nDataServiceVersion: 1.0;\r\n\r\n',
    );
    const done = { kind: 'done', etags: [etag, undefined] };
    assert.deepEqual(parseBatchAnswer(text, 2), done);
    assert.deepEqual(parseBatchAnswer(text.replaceAll('\r\n', '\n'), 2), done);
  });

  test('has the index of what failed, if the service says it', () => {
    const message = 'The specified entity already exists.';
    for (const [value, index] of [
      [`2:${message}\nRequestId:a\nTime:b`, 2],
      [`99:${message}`, 99],
      [message, undefined],
    ] as const) {
      const parsed = parseBatchAnswer(answer(refused('409 Conflict', 'EntityAlreadyExists', value)), 3);
      assert.deepEqual(parsed, {
        kind: 'failed',
        refusal: { status: 409, code: 'EntityAlreadyExists', text: message, index, retryAfter: undefined },
      });
    }
  });

  test('without a status, or without a part for each operation, is no answer', () => {
    const done = 'HTTP/1.1 204 No Content\r\n\r\n';
    for (const text of [answer('nothing'), answer(done), '<html>Sign in to this network</html>', ''])
      assert.throws(() => parseBatchAnswer(text, 2), SyntaxError);
  });
});
