// The check of answers accepts right ones, and finds each possible mistake.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkAnswer, type SeenAnswer } from './check-answer.js';

const SENTENCE = 'x\\nRequestId:00000000-0000-0000-0000-000000000001\\nTime:2020-01-01T01:02:00.0000000Z';
const error = (code: string, sentence = SENTENCE): string =>
  `{"odata.error":{"code":"${code}","message":{"lang":"en-US","value":"${sentence}"}}}`;
const xmlError = (code: string): string =>
  `<m:error xmlns:m="x"><m:code>${code}</m:code><m:message>${SENTENCE.replaceAll('\\n', '\n')}</m:message></m:error>`;
const part = (text: string): string =>
  `--b\r\nContent-Type: application/http\r\n\r\nHTTP/1.1 ${text}\r\n--b--\r\n`;

function answer(
  status: number,
  type: string | undefined,
  text: string,
  more: SeenAnswer['headers'] = [],
): SeenAnswer {
  const body = Buffer.from(text, 'latin1');
  const headers: [string, string][] = [['Content-Length', String(body.length)]];
  if (type !== undefined) headers.push(['Content-Type', type]);
  return { status, headers: [...headers, ...more], body, isHead: false };
}

const JSON_TYPE = 'application/json;odata=nometadata';
const BATCH = 'multipart/mixed; boundary=b';

test('answers that are right', () => {
  const right: readonly SeenAnswer[] = [
    answer(200, JSON_TYPE, '{"value":[]}'),
    answer(204, undefined, ''),
    answer(400, JSON_TYPE, error('InvalidInput')),
    answer(404, 'application/xml', xmlError('ResourceNotFound')),
    answer(202, BATCH, part('204 No Content\r\nETag: x\r\n\r\n')),
    answer(202, BATCH, part(`404 Not Found\r\nContent-Type: ${JSON_TYPE}\r\n\r\n${error('TableNotFound')}`)),
    { ...answer(200, JSON_TYPE, ''), headers: [['Content-Length', '5']], isHead: true },
  ];
  for (const each of right) checkAnswer('table', each);
});

test('answers that are wrong', () => {
  const wrong: readonly (readonly [SeenAnswer, RegExp])[] = [
    [answer(500, JSON_TYPE, error('InternalError')), /status is 500/],
    [answer(503, JSON_TYPE, error('ServerBusy')), /status is 503/],
    [answer(302, undefined, ''), /status is 302/],
    [answer(404, JSON_TYPE, error('InvalidInput')), /404 InvalidInput is in no table/],
    [answer(400, JSON_TYPE, error('Unknown')), /400 Unknown is in no table/],
    [answer(400, JSON_TYPE, error('InvalidInput', 'x')), /did not match the regular expression/],
    [answer(400, JSON_TYPE, '{"odata.error":{"code":"InvalidInput"}}'), /no odata\.error/],
    [answer(400, undefined, ''), /400 has no body/],
    [answer(200, JSON_TYPE, '{"value":[}'), /JSON/],
    [answer(200, JSON_TYPE, '[]'), /JSON is no object/],
    [answer(200, JSON_TYPE, '{"a":"\xff"}'), /not UTF-8/],
    [answer(200, JSON_TYPE, error('InvalidInput')), /error in it/],
    [answer(200, 'text/plain', 'x'), /type of the body is "text/],
    [answer(200, 'application/xml', '<a>'), /unclosed tag: a/],
    [answer(404, 'application/xml', xmlError('InvalidInput')), /404 InvalidInput is in no table/],
    [answer(202, BATCH, part('500 Internal Server Error\r\n\r\n')), /status is 500/],
    [answer(202, BATCH, part('404 Not Found\r\n\r\n')), /'404' !== '204'/],
    [answer(202, BATCH, part('204 No Content\r\nETag: x\r\n\r\n').slice(0, -6)), /does not end/],
    [answer(202, BATCH, `x${part('204 No Content\r\n\r\n')}`), /before the first part/],
    [answer(204, undefined, '', [['X', 'a\r\nY: b']]), /"X"/],
    [answer(204, undefined, '', [['X', 'a\u0100']]), /"X"/],
    [answer(204, undefined, '', [['content-length', '0']]), /said twice/],
    [{ ...answer(204, undefined, ''), headers: [] }, /length is missing/],
    [
      {
        ...answer(200, JSON_TYPE, '{}'),
        headers: [
          ['Content-Length', '3'],
          ['Content-Type', JSON_TYPE],
        ],
      },
      /length is another/,
    ],
    [answer(202, BATCH, part(`200 OK\r\nContent-Type: ${JSON_TYPE}\r\n\r\n[]`)), /JSON is no object/],
    [answer(202, BATCH, '--b\r\nHTTP/1.1 204 No Content\r\n--b--\r\n'), /A part has no head/],
    [answer(200, JSON_TYPE, 'null'), /JSON is no object/],
    [answer(200, JSON_TYPE, '5'), /JSON is no object/],
    [{ ...answer(500, undefined, ''), isHead: true }, /status is 500/],
  ];
  for (const [each, reason] of wrong)
    assert.throws(() => checkAnswer('table', each), reason, JSON.stringify(each));
});

const XML =
  '<?xml version="1.0" encoding="utf-8"?><Error><Code>BlobNotFound</Code><Message>x</Message></Error>';
const code = (name: string): SeenAnswer['headers'] => [['x-ms-error-code', name]];

test('answers of blobs and queues that are right', () => {
  const right: readonly SeenAnswer[] = [
    answer(200, undefined, 'bytes'),
    answer(206, undefined, 'bytes'),
    answer(404, undefined, XML, code('BlobNotFound')),
    answer(404, undefined, XML),
    answer(304, undefined, '', code('ConditionNotMet')),
    { ...answer(404, undefined, '', code('BlobNotFound')), isHead: true },
  ];
  for (const each of right) checkAnswer('blob', each);
  const queue = XML.replace('BlobNotFound', 'QueueNotFound');
  checkAnswer('queue', answer(404, undefined, queue, code('QueueNotFound')));
});

test('answers of blobs and queues that are wrong', () => {
  const wrong: readonly (readonly [SeenAnswer, RegExp])[] = [
    [answer(409, undefined, XML, code('BlobNotFound')), /409 BlobNotFound is in no table/],
    [answer(404, undefined, XML.replace('Blob', 'Blub'), code('BlubNotFound')), /in no table/],
    [answer(404, undefined, XML, code('ContainerNotFound')), /another code/],
    [answer(500, undefined, XML, code('InternalError')), /500 InternalError/],
    [answer(503, undefined, XML, code('ServerBusy')), /503 ServerBusy/],
    [answer(207, undefined, 'x'), /status is 207/],
    [{ ...answer(200, undefined, 'bytes'), body: Buffer.from('byte') }, /length is another/],
    [answer(200, undefined, '', [['content-length', '0']]), /said twice/],
    [answer(200, undefined, '', [['x', 'a\nb']]), /"x"/],
    [answer(404, undefined, '<Error><Code>BlobNotFound</Code>', code('BlobNotFound')), /unclosed/],
  ];
  for (const [each, reason] of wrong)
    assert.throws(() => checkAnswer('blob', each), reason, JSON.stringify(each));
  assert.throws(() => checkAnswer('queue', answer(404, undefined, XML, code('BlobNotFound'))), /in no table/);
});
