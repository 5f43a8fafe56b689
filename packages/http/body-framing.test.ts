// Chunked bodies: cut anywhere they are the same, what follows them is left alone, and malformed ones are refused.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BodyFraming } from './body-framing.js';
import { CHUNKED } from './request-head.js';

interface Decoded {
  readonly body: string;
  /** What follows the body; undefined where it is not complete; 'malformed'. */
  readonly rest: string | undefined;
}

function decode(pieces: readonly string[]): Decoded {
  let body = '';
  const decoder = new BodyFraming(CHUNKED, (bytes, from, until) => {
    body += bytes.toString('latin1', from, until);
  });
  for (const [i, piece] of pieces.entries()) {
    const end = decoder.decode(Buffer.from(piece, 'latin1'));
    if (end < 0) return { body, rest: 'malformed' };
    if (decoder.isComplete) return { body, rest: piece.slice(end) + pieces.slice(i + 1).join('') };
    assert.equal(end, piece.length);
  }
  return { body, rest: undefined };
}

const BODY = 'hello \r\nw\r\norld\r\n!';
const TEXT = `5\r\nhello\r\n0D;a;b=c;d="e \t\u00e9"\r\n${BODY.slice(5)}\r\n000\r\nTrailer: x\r\ny:\r\n\r\nGET /`;

test('a body cut at any two places is the same, and what follows is left alone', () => {
  for (let first = 0; first <= TEXT.length; first++)
    for (let second = first; second <= TEXT.length; second++) {
      const pieces = [TEXT.slice(0, first), TEXT.slice(first, second), TEXT.slice(second)];
      assert.deepEqual(decode(pieces), { body: BODY, rest: 'GET /' }, JSON.stringify(pieces));
    }
  assert.deepEqual(decode([...TEXT]), { body: BODY, rest: 'GET /' });
});

test('malformed bodies in chunks', () => {
  const malformed = [
    ...[
      'zz\r\n',
      '\r\n',
      '-1\r\n',
      '+1\r\n',
      '0x1\r\n',
      ' 1\r\n',
      '1 \r\n',
      '1\n',
      '1\r\r\n',
      `${'0'.repeat(14)}\r\n`,
    ],
    ...['1;\r\n', '1 ;a\r\n', '1;a=\r\n', '1;a b\r\n', '1;a="b\r\n', '1;a=\u0001\r\n'],
    ...[
      '1\r\nab\r\n',
      '1\r\na\n\n',
      '1\r\na\n0\r\n\r\n',
      '1\r\nax\n0\r\n\r\n',
      '1\r\na\rbc',
      '1\r\na0\r\n\r\n',
    ],
    ...['0\r\na\r\n\r\n', '0\r\n a: b\r\n\r\n', '0\r\na: \0\r\n\r\n', '0\r\na: b\n\r\n'],
    ...['Content-Length: 1', 'Transfer-Encoding: chunked', 'connection: close'].map(
      line => `0\r\n${line}\r\n\r\n`,
    ),
  ];
  for (const text of malformed) {
    assert.equal(decode([text]).rest, 'malformed', JSON.stringify(text));
    assert.equal(decode([...text]).rest, 'malformed', JSON.stringify(text));
  }
});

test('neither extensions nor trailers are unbounded', () => {
  const extended = (bytes: number) => `1;${'x'.repeat(bytes)}\r\na\r\n`;
  assert.equal(decode([extended(16_383), '0\r\n\r\n']).rest, '');
  assert.equal(decode([extended(16_384)]).rest, 'malformed');
  assert.equal(decode([extended(9_000), extended(9_000)]).rest, 'malformed');
  const trailed = (bytes: number) => ['0\r\n', `a: ${'x'.repeat(bytes - 'a: \r\n'.length)}\r\n`, '\r\n'];
  assert.equal(decode(trailed(16_382)).rest, '');
  assert.equal(decode(trailed(16_383)).rest, 'malformed');
  assert.equal(decode(['0\r\n', ...Array.from({ length: 4_000 }, () => 'a: b\r\n')]).rest, 'malformed');
});
