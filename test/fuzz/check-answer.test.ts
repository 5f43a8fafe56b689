// The check of answers takes what is right, and finds each thing that may be wrong with one.
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
  for (const each of right) checkAnswer(each);
});

test('answers that are wrong', () => {
  const wrong: readonly SeenAnswer[] = [
    answer(500, JSON_TYPE, error('InternalError')),
    answer(503, JSON_TYPE, error('ServerBusy')),
    answer(302, undefined, ''),
    answer(404, JSON_TYPE, error('InvalidInput')),
    answer(400, JSON_TYPE, error('Unknown')),
    answer(400, JSON_TYPE, error('InvalidInput', 'x')),
    answer(400, JSON_TYPE, '{"odata.error":{"code":"InvalidInput"}}'),
    answer(400, undefined, ''),
    answer(200, JSON_TYPE, '{"value":[}'),
    answer(200, JSON_TYPE, '[]'),
    answer(200, JSON_TYPE, '{"a":"\xff"}'),
    answer(200, JSON_TYPE, error('InvalidInput')),
    answer(200, 'text/plain', 'x'),
    answer(200, 'application/xml', '<a>'),
    answer(404, 'application/xml', xmlError('InvalidInput')),
    answer(202, BATCH, part('500 Internal Server Error\r\n\r\n')),
    answer(202, BATCH, part('404 Not Found\r\n\r\n')),
    answer(202, BATCH, part('204 No Content\r\nETag: x\r\n\r\n').slice(0, -6)),
    answer(202, BATCH, `x${part('204 No Content\r\n\r\n')}`),
    answer(204, undefined, '', [['X', 'a\r\nY: b']]),
    answer(204, undefined, '', [['X', 'a\u0100']]),
    answer(204, undefined, '', [['content-length', '0']]),
    { ...answer(204, undefined, ''), headers: [] },
    {
      ...answer(200, JSON_TYPE, '{}'),
      headers: [
        ['Content-Length', '3'],
        ['Content-Type', JSON_TYPE],
      ],
    },
  ];
  for (const each of wrong) assert.throws(() => checkAnswer(each), /./, JSON.stringify(each));
});
