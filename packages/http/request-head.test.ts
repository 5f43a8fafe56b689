// Heads: how they are read, why they are refused, and that a head cut anywhere is awaited. differential.test.ts compares
// repeated headers and expectations with Node's parser; connection.test.ts has the bounds.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newReading, readLongHead } from './long-head.js';
import { CHUNKED, type FieldLine, parseRequestHead, type RequestHead } from './request-head.js';

const HOST = 'Host: h\r\n';
const reading = (recalled: FieldLine[] = []) => ({
  ...newReading('x-kept-', () => '192.0.2.1:80'),
  recalled,
});
const parse = (text: string) => parseRequestHead(text, reading());

function taken(text: string, recalled: FieldLine[] = []): RequestHead {
  const head = parseRequestHead(text, reading(recalled));
  assert.ok(typeof head === 'object', `${JSON.stringify(text)}: ${head}`);
  return head;
}

const headersOf = (lines: string) => ({ ...taken(`GET / HTTP/1.1\r\n${HOST}${lines}\r\n`).headers });

test('the parts of a head', () => {
  const text = `MERGE /a?b=c HTTP/1.1\r\n${HOST}X-A:  b \t\r\nContent-Length: 12\r\n\r\nbody`;
  const { headers, ...rest } = taken(text);
  assert.deepEqual({ ...headers }, { host: 'h', 'x-a': 'b', 'content-length': '12' });
  assert.deepEqual(rest, {
    method: 'MERGE',
    target: '/a?b=c',
    bodyLength: 12,
    isKept: true,
    awaitsContinue: false,
    isOld: false,
    end: text.length - 4,
  });
});

test('a head cut anywhere is awaited', () => {
  const text = `POST /a HTTP/1.0\r\n${HOST}a:  b\r\nTransfer-Codings: x\r\nContent-Length: 1\r\n\r\n`;
  const whole = taken(text);
  assert.equal(whole.end, text.length);
  for (let at = 0; at < text.length; at++) {
    const known = reading();
    assert.equal(parseRequestHead(text.slice(0, at), known), undefined, text.slice(0, at));
    assert.deepEqual(readLongHead(Buffer.from(text), known), whole, `cut at ${at}`);
  }
});

test('a head that comes line by line is read once, however long it is', () => {
  const text = `GET /${'t'.repeat(20_000)} HTTP/1.1\r\n${HOST}B: ${'x'.repeat(20_000)}\r\n${'a: b\r\n'.repeat(1_000)}\r\n`;
  const known = reading();
  let charactersRead = 0;
  for (let until = text.indexOf('\n') + 1; until > 0; until = text.indexOf('\n', until) + 1) {
    const bytes = Buffer.from(text.slice(0, until));
    const toText = bytes.toString.bind(bytes);
    bytes.toString = (...range) => {
      const piece = toText(...range);
      charactersRead += piece.length;
      return piece;
    };
    const head = readLongHead(bytes, known);
    assert.equal(typeof head === 'object' ? head.end : head, until < text.length ? undefined : text.length);
  }
  assert.equal(charactersRead, text.length);
});

test("names with the listener's prefix keep their spelling next to the lower-case name", () => {
  const lines = 'X-Kept-Val1: a\r\nx-kept-b: b\r\nX-Date: c\r\n';
  const expected = {
    host: 'h',
    'x-kept-val1': 'a',
    ':x-kept-val1': 'X-Kept-Val1',
    'x-kept-b': 'b',
    'x-date': 'c',
  };
  assert.deepEqual(headersOf(lines), expected);
  assert.equal(parse(`GET / HTTP/1.1\r\n${HOST}:x-kept-a: b\r\n\r\n`), 400);
});

test('names that mean something in the language mean nothing', () => {
  const { headers } = taken(`GET / HTTP/1.1\r\n${HOST}constructor: a\r\n__proto__: b\r\n\r\n`);
  assert.deepEqual(Object.entries(headers), [
    ['host', 'h'],
    ['constructor', 'a'],
    ['__proto__', 'b'],
  ]);
  const bare = taken(`GET / HTTP/1.1\r\n${HOST}\r\n`).headers;
  for (const name of ['constructor', '__proto__', 'toString', 'hasOwnProperty'])
    assert.equal(bare[name], undefined);
});

test('lines of the previous head are recalled, and only where they are the same', () => {
  const recalled: FieldLine[] = [];
  const read = (lines: string) => {
    const head = parseRequestHead(`GET / HTTP/1.1\r\n${HOST}${lines}\r\n`, reading(recalled));
    return typeof head === 'object' ? { ...head.headers } : head;
  };
  for (let round = 0; round < 2; round++) {
    assert.deepEqual(read('A: 1\r\nB: 2\r\n'), { host: 'h', a: '1', b: '2' });
    assert.deepEqual(read('A: 1\r\nA: 1\r\nB: 2\r\n'), { host: 'h', a: '1, 1', b: '2' });
    assert.deepEqual(read('A: 12\r\nB: 2\r\n'), { host: 'h', a: '12', b: '2' });
    assert.deepEqual(read('A: 1\r\n B: 2\r\n'), 400);
    assert.deepEqual(read('A: 1\r\nContent-Length: 0\r\n'), { host: 'h', a: '1', 'content-length': '0' });
    assert.deepEqual(read('Content-Length: 0\r\nContent-Length: 0\r\n'), 400);
    assert.deepEqual(read(''), { host: 'h' });
  }
});

test('the Authorization header is not recalled', () => {
  const recalled: FieldLine[] = [];
  const send = (lines: string) => ({
    ...taken(`GET / HTTP/1.1\r\n${HOST}${lines}\r\n`, recalled).headers,
  });
  for (const name of ['Authorization', 'AUTHORIZATION', 'authorization']) {
    for (let round = 0; round < 2; round++)
      assert.deepEqual(send(`A: 1\r\n${name}: secret\r\nB: 2\r\n`), {
        host: 'h',
        a: '1',
        authorization: 'secret',
        b: '2',
      });
    assert.deepEqual(
      recalled.filter(Boolean).map(line => line.name),
      ['host', 'a', 'b'],
    );
    assert.deepEqual(send(`A: 1\r\n${name}: secre\r\n`), { host: 'h', a: '1', authorization: 'secre' });
    assert.deepEqual(send('A: 1\r\nC: 3\r\nB: 2\r\n'), { host: 'h', a: '1', c: '3', b: '2' });
    recalled.length = 0;
  }
});

test('how long the body is, and whether the connection is kept', () => {
  const length = (lines: string) => taken(`POST / HTTP/1.1\r\n${HOST}${lines}\r\n`).bodyLength;
  assert.deepEqual(['', 'Content-Length: 007\r\n', 'Transfer-Encoding: Chunked\r\n'].map(length), [
    0,
    7,
    CHUNKED,
  ]);
  const isKept = (version: string, lines: string) =>
    taken(`GET / HTTP/${version}\r\n${HOST}${lines}\r\n`).isKept;
  const cases: readonly (readonly [version: string, connection: string, kept: boolean])[] = [
    ['1.1', '', true],
    ['1.1', 'Connection: x\r\n', true],
    ['1.1', 'Connection: closer, un-close\r\n', true],
    ['1.1', 'Connection: x ,\tCLOSE\r\n', false],
    ['1.1', 'Connection: keep-alive\r\nConnection: close\r\n', false],
    ['1.0', '', false],
    ['1.0', 'Connection: Keep-Alive\r\n', true],
    ['1.0', 'Connection: keep-alive, close\r\n', false],
  ];
  for (const [version, lines, kept] of cases)
    assert.equal(isKept(version, lines), kept, `${version} ${lines}`);
});

test('malformed heads', () => {
  const lines = (text: string) => `POST / HTTP/1.1\r\n${HOST}${text}\r\n`;
  const malformed = [
    'hello\r\n\r\n',
    '\u0016\u0003\u0001',
    ' GET / HTTP/1.1',
    `${'A'.repeat(40)}`,
    `get / HTTP/1.1\r\n${HOST}\r\n`,
    `CONNECT h:1 HTTP/1.1\r\n${HOST}\r\n`,
    ...['', 'a', '/a b', '/\t', '/\u00e9', '/\u007f', '*a', 'http://', 'http://a@b/', '?a'].map(
      target => `GET ${target} HTTP/1.1\r\n${HOST}\r\n`,
    ),
    ...['HTTP/1.2', 'HTTP/2.0', 'http/1.1', 'HTTP/1.1 ', ' HTTP/1.1', 'HTTP/1.1\n'].map(
      version => `GET / ${version}\r\n${HOST}\r\n`,
    ),
    `GET / HTTP/1.1\nHost: h\n\n`,
    'GET / HTTP/1.1\r\n\r\n',
    ...[
      'a\r\n',
      ': b\r\n',
      'a : b\r\n',
      ' a: b\r\n',
      'a: b\r\n c\r\n',
      'a: b\n',
      'a: b\rc\r\n',
      'a\u00e9: b\r\n',
    ].map(lines),
    ...['\0', '\u0001', '\b', '\u000b', '\f', '\u001f', '\u007f'].map(control =>
      lines(`a: x${control}y\r\n`),
    ),
    ...['x', '-1', '+1', '1, 1', '1 1', '', '0x1', '1.0', '1'.repeat(16)].map(length =>
      lines(`Content-Length: ${length}\r\n`),
    ),
    lines('Content-Length: 1\r\ncontent-length: 1\r\n'),
    lines('Content-Length: 1\r\nTransfer-Encoding: chunked\r\n'),
    ...['', 'gzip', 'gzip, chunked', 'chunked, chunked', 'xchunked', 'identity', 'chunked\u000b'].map(
      coding => lines(`Transfer-Encoding: ${coding}\r\n`),
    ),
    lines('Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n'),
    `POST / HTTP/1.0\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n`,
  ];
  for (const text of malformed) assert.equal(parse(text), 400, JSON.stringify(text));
});

test('what can no longer become a head is refused before it ends', () => {
  const begun = [
    '\u0016\u0003\u0001\u0002',
    'hello',
    'GET /a\tb',
    'GET / HTTP/9',
    `GET / HTTP/1.1\r\n${HOST}no colon`,
    `GET / HTTP/1.1\r\n${HOST}a: \u0001`,
  ];
  for (const text of begun) assert.equal(parse(text), 400, JSON.stringify(text));
});

test('blanks around a value are not part of it, inside they are, and a long run of them is no value', () => {
  const value = `b${' \t'.repeat(3)}c`;
  assert.deepEqual(headersOf(`a:\t ${value} \t\r\nb:\r\nc: \t\r\nd: \u00a0\r\n`), {
    host: 'h',
    a: value,
    b: '',
    c: '',
    d: '\u00a0',
  });
  const blanks = ' '.repeat(32_000);
  for (const line of [
    `a:${blanks}\u0001\r\n`,
    `a: b${blanks}\u0001\r\n`,
    `a: ${'b '.repeat(16_000)}\u0001\r\n`,
  ])
    assert.equal(parse(`GET / HTTP/1.1\r\n${HOST}${line}\r\n`), 400);
});
