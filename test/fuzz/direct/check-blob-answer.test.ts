// The judge of blobs' answers accepts the service's answers and refuses those with one mistake each.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SeenAnswer } from './check-answer.js';
import { checkBlobAnswer } from './check-blob-answer.js';

const XML =
  '<?xml version="1.0" encoding="utf-8"?><Error><Code>BlobNotFound</Code><Message>x</Message></Error>';

const answer = (status: number, body = '', more: SeenAnswer['headers'] = []): SeenAnswer => ({
  status,
  headers: [['Content-Length', String(body.length)], ...more],
  body: Buffer.from(body),
  isHead: false,
});
const code = (name: string): SeenAnswer['headers'] => [['x-ms-error-code', name]];

test('answers as they should be are accepted', () => {
  checkBlobAnswer(answer(200, 'bytes'));
  checkBlobAnswer(answer(206, 'bytes'));
  checkBlobAnswer(answer(404, XML, code('BlobNotFound')));
  checkBlobAnswer(answer(404, XML));
  checkBlobAnswer(answer(304, '', code('ConditionNotMet')));
  checkBlobAnswer({ ...answer(404, '', code('BlobNotFound')), isHead: true });
});

for (const [name, wrong, finding] of [
  ['another status', answer(409, XML, code('BlobNotFound')), /409 BlobNotFound is in no table/],
  ['a code of nobody', answer(404, XML.replace('Blob', 'Blub'), code('BlubNotFound')), /in no table/],
  ['two codes', answer(404, XML, code('ContainerNotFound')), /another code/],
  ['a fault', answer(500, XML, code('InternalError')), /InternalError/],
  ['an end of the server', answer(503, XML, code('ServerBusy')), /ServerBusy/],
  ['a success of nobody', answer(207, 'x'), /status is 207/],
  ['another length', { ...answer(200, 'bytes'), body: Buffer.from('byte') }, /length is another/],
  ['a header twice', answer(200, '', [['content-length', '0']]), /said twice/],
  ['a header that cannot be written', answer(200, '', [['x', 'a\nb']]), /"x"/],
  ['no XML', answer(404, '<Error><Code>BlobNotFound</Code>', code('BlobNotFound')), /unclosed/],
] as const)
  test(`${name} is found`, () => {
    assert.throws(() => checkBlobAnswer(wrong), finding);
  });
