// The parser of answers under stress: cut at every place, in any pieces, and malformed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { MalformedResponse, type Response, ResponseParser } from './response-parser.js';

interface Answer {
  readonly status: number;
  readonly body: string;
}

const ANSWERS: readonly (readonly [text: string, answer: Answer])[] = [
  ['HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello', { status: 200, body: 'hello' }],
  ['HTTP/1.1 200 OK\r\nX-Length: 9\r\ncontent-length:0\r\n\r\n', { status: 200, body: '' }],
  ['HTTP/1.1 204 No Content\r\nETag: "a"\r\n\r\n', { status: 204, body: '' }],
  ['HTTP/1.1 304 Not Modified\r\nContent-Length: 7\r\n\r\n', { status: 304, body: '' }],
  [
    'HTTP/1.1 202 Accepted\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nB;x=y\r\n, wide\r\nwrl\r\n0\r\n\r\n',
    { status: 202, body: 'hello, wide\r\nwrl' },
  ],
  ['HTTP/1.0 500 \r\nContent-Length: 4\r\n\r\n\r\n\r\n', { status: 500, body: '\r\n\r\n' }],
  ['HTTP/1.1 404 Not Found\r\ntransfer-encoding: Chunked\r\n\r\n0\r\n\r\n', { status: 404, body: '' }],
];

const told = ({ status, body }: Response): Answer => ({ status, body: body.toString() });

function parsed(pieces: readonly Buffer[]): Answer[] {
  const parser = new ResponseParser();
  const answers: Answer[] = [];
  for (const piece of pieces) {
    parser.push(piece);
    for (let response = parser.next(); response !== undefined; response = parser.next()) {
      answers.push(told(response));
    }
  }
  return answers;
}

for (const [text, answer] of ANSWERS) {
  test(`an answer cut at every place: ${JSON.stringify(text.slice(9, 40))}`, () => {
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; at++) {
      assert.deepEqual(parsed([bytes.subarray(0, at)]), []);
      assert.deepEqual(parsed([bytes.subarray(0, at), bytes.subarray(at)]), [answer]);
    }
    assert.deepEqual(parsed([...bytes].map(byte => Buffer.from([byte]))), [answer]);
  });
}

test('answers in a row, in any pieces', () => {
  const pieces = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...ANSWERS)), pieces, (answers, lengths) => {
      const bytes = Buffer.from(answers.map(([text]) => text).join(''));
      const cut: Buffer[] = [];
      for (let at = 0, piece = 0; at < bytes.length; piece++) {
        const length = lengths[piece % lengths.length] ?? 1;
        cut.push(bytes.subarray(at, at + length));
        at += length;
      }
      assert.deepEqual(
        parsed(cut),
        answers.map(([, answer]) => answer),
      );
    }),
  );
});

test('the head is kept for what is looked up in it', () => {
  const parser = new ResponseParser();
  parser.push(Buffer.from('HTTP/1.1 200 OK\r\nx-ms-a: b\r\nContent-Length: 1\r\n\r\nxHTTP'));
  assert.equal(parser.next()?.head, 'HTTP/1.1 200 OK\r\nx-ms-a: b\r\nContent-Length: 1\r\n\r\n');
});

const MALFORMED: readonly string[] = [
  'HTTP/1.1 200 OK\r\n\r\nabc',
  'FTP 200\r\n\r\n',
  'HTTP/1.1 20 OK\r\nContent-Length: 0\r\n\r\n',
  'HTTP/2 200 OK\r\nContent-Length: 0\r\n\r\n',
  'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n',
  'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-5\r\nhello\r\n',
  'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabcde\r\n0\r\n\r\n',
];

for (const text of MALFORMED) {
  test(`malformed: ${JSON.stringify(text)}`, () => {
    const parser = new ResponseParser();
    parser.push(Buffer.from(text));
    assert.throws(() => parser.next(), MalformedResponse);
  });
}
