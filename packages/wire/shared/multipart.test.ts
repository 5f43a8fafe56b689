// The MIME grammar; parse-batch.test.ts tests whole envelopes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '#account';
import {
  boundaryOf,
  findHeadEnd,
  mediaTypeOf,
  parseHeaders,
  readLines,
  type Span,
  splitMultipart,
  trimLineBreaks,
} from './multipart.js';

const whole = (bytes: Buffer): Span => ({ from: 0, until: bytes.length });
function split(text: string, boundary = 'b', limit = 10): readonly string[] {
  const bytes = Buffer.from(text);
  return splitMultipart(bytes, whole(bytes), boundary, limit).map(({ from, until }) =>
    bytes.toString('utf8', from, until),
  );
}

test('media types and boundaries', () => {
  assert.equal(mediaTypeOf(undefined), '');
  assert.equal(mediaTypeOf(' Application/HTTP ; msgtype=request'), 'application/http');
  assert.equal(boundaryOf(undefined), undefined);
  assert.equal(boundaryOf('multipart/mixed; xboundary=a; boundaryx=b'), undefined);
  assert.equal(boundaryOf('multipart/mixed;charset="utf-8";boundary=a=b'), 'a=b');
  assert.equal(boundaryOf('multipart/mixed; Boundary = "a;b c" ; boundary=d'), 'a;b c');
});

test('parts are between delimiters, without the line break before the next', () => {
  assert.deepEqual(split('--b--'), []);
  assert.deepEqual(split('--b\n--b\r\n--b--'), ['', '']);
  assert.deepEqual(split('--b\nx\n--b\r\n\r\ny\r\n\r\n--b--\n'), ['x', '\r\ny\r\n']);
  assert.deepEqual(split('--b\n1\n--b\n2\n--b\n3\n--b--', 'b', 2), ['1', '2']);
  assert.deepEqual(split('--b-\nx\n--b---', 'b-'), ['x']);
  for (const text of ['', '--b', '--b\nx', '--b\nx\n--b', '--b\nx --b--', 'x\n--b--', '--b--\nx']) {
    assert.throws(() => split(text), ServiceError, text);
  }
});

test('bytes outside of the given span are ignored', () => {
  const text = 'x\n--b\n1\n--b--\n--b\n2\n--b--';
  const span = { from: 2, until: text.indexOf('--b--') + 6 };
  const bytes = Buffer.from(text);
  assert.deepEqual(splitMultipart(bytes, span, 'b', 10), [{ from: 6, until: 7 }]);
  for (const until of [span.until - 3, span.until + 4])
    assert.throws(() => splitMultipart(bytes, { from: 2, until }, 'b', 10), ServiceError);
});

test('a head ends at a blank line or with the bytes', () => {
  const head = (text: string) => {
    const bytes = Buffer.from(text);
    const { from, until } = findHeadEnd(bytes, whole(bytes));
    return [...readLines(bytes.toString('utf8', 0, from)), bytes.toString('utf8', until)];
  };
  assert.deepEqual(head(''), ['']);
  assert.deepEqual(head('a: 1'), ['a: 1', '']);
  assert.deepEqual(head('a: 1\r\nb: ô\n \t\r\nrest\n\nmore'), ['a: 1', 'b: ô', 'rest\n\nmore']);
  assert.deepEqual(head('\n\nx'), ['\nx']);
  assert.equal(head('a: 1\n'.repeat(100)).length, 101);
  for (const text of ['a: 1\n'.repeat(101), 'a: \u007f', 'a: 1\rb: 2'])
    assert.throws(() => head(text), ServiceError);
});

test('headers by name', () => {
  assert.deepEqual(parseHeaders(['A: 1', 'a:2', 'B-c :', 'Date: x:y']), {
    a: '1, 2',
    'b-c': '',
    date: 'x:y',
  });
  for (const line of ['', 'a', ':', 'a b: 1', ' a: 1'])
    assert.throws(() => parseHeaders([line]), ServiceError);
});

test('only line breaks are trimmed, from both ends', () => {
  for (const [text, trimmed] of [
    ['', ''],
    ['\r\n\n', ''],
    ['\r\n a \n b \r\n\r\n', ' a \n b '],
  ] as const) {
    const bytes = Buffer.from(text);
    const { from, until } = trimLineBreaks(bytes, whole(bytes));
    assert.equal(bytes.toString('utf8', from, until), trimmed);
  }
});
