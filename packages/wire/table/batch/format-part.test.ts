// Headers of the parts of a batch, in Azure's order (protocol: batches#parts).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WriteOutcome } from '#tables';
import { asked, BASE, ETAG, LOCATION, refused, row } from '../../testing/answer.js';
import type { Answer, ResponseFormat } from '../answer.js';
import { formatOutcome, formatWrite } from '../format-outcome.js';
import { formatPart } from './format-part.js';

const TYPE = 'application/json;odata=minimalmetadata;streaming=true;charset=utf-8';

const SNIFF = 'X-Content-Type-Options: nosniff';
const CACHE = 'Cache-Control: no-cache';
/** Opening, status line and headers, and the content. */
function sections(answer: Answer, contentId?: string) {
  const [opening, head = '', ...content] = formatPart(answer, contentId).split('\r\n\r\n');
  assert.equal(opening, 'Content-Type: application/http\r\nContent-Transfer-Encoding: binary');
  const [status, ...headers] = head.split('\r\n');
  return { status, headers, content: content.join('\r\n\r\n') };
}
const partOf = (answer: Answer, contentId?: string): readonly string[] => sections(answer, contentId).headers;
const write = (outcome: WriteOutcome, prefer?: ResponseFormat['prefer']) =>
  formatWrite(outcome, BASE, asked(prefer));

test('the headers of a part, in their order', () => {
  const inserted: WriteOutcome = { kind: 'inserted', row };
  assert.deepEqual(partOf(write(inserted, 'return-no-content'), '1'), [
    'Content-ID: 1',
    SNIFF,
    CACHE,
    'Preference-Applied: return-no-content',
    'DataServiceVersion: 3.0;',
    `Location: ${LOCATION}`,
    `DataServiceId: ${LOCATION}`,
    `ETag: ${ETAG}`,
  ]);
  const content = ['DataServiceVersion: 3.0;', `Content-Type: ${TYPE}`, 'Content-ID: 1', SNIFF, CACHE];
  const base = [`Location: ${LOCATION}`, `ETag: ${ETAG}`];
  assert.deepEqual(partOf(write(inserted, 'return-content'), '1'), [
    ...content,
    'Preference-Applied: return-content',
    ...base,
  ]);
  assert.deepEqual(partOf(write(inserted), '1'), [...content, ...base]);
  const updated = write({ kind: 'updated', version: row.version }, 'return-no-content');
  assert.deepEqual(partOf(updated, '1'), [
    'Content-ID: 1',
    SNIFF,
    CACHE,
    'DataServiceVersion: 1.0;',
    `ETag: ${ETAG}`,
  ]);
  assert.deepEqual(partOf(write({ kind: 'deleted' })), [SNIFF, CACHE, 'DataServiceVersion: 1.0;']);
  const found = formatOutcome({ kind: 'entity', row }, BASE, asked());
  assert.deepEqual(partOf(found), [
    'DataServiceVersion: 3.0;',
    `Content-Type: ${TYPE}`,
    SNIFF,
    CACHE,
    `ETag: ${ETAG}`,
  ]);
});

test('the headers of a part that failed, in their order', () => {
  const type = ['DataServiceVersion: 3.0;', `Content-Type: ${TYPE}`];
  const context = { format: asked('return-no-content') };
  assert.deepEqual(partOf(refused('EntityAlreadyExists', context), '1'), [
    'Content-ID: 1',
    SNIFF,
    CACHE,
    'Preference-Applied: return-no-content',
    ...type,
  ]);
  assert.deepEqual(partOf(refused('ResourceNotFound')), [SNIFF, CACHE, ...type]);
  assert.deepEqual(partOf(refused('TableNotFound', context), '1'), ['Content-ID: 1', SNIFF, ...type]);
});

test('the body of a part is text with a line break behind it; a part without ends in three', () => {
  assert.equal(sections(write({ kind: 'deleted' })).content, '\r\n');
  const { content } = sections(write({ kind: 'inserted', row }));
  assert.match(content, /^\{"odata\.metadata":.*\}\r\n$/);
  const bytes = { ...write({ kind: 'deleted' }), status: 200, body: Buffer.from('é') };
  assert.equal(sections(bytes).content, 'é\r\n');
  assert.match(sections(refused('TableNotFound')).content, /^\{"odata\.error":.*\}\r\n$/);
});

test('the phrases of status lines', () => {
  const phrases = [
    [200, 'OK'],
    [201, 'Created'],
    [204, 'No Content'],
    [400, 'Bad Request'],
    [404, 'Not Found'],
    [409, 'Conflict'],
    [412, 'Precondition Failed'],
  ] as const;
  for (const [status, phrase] of phrases) {
    const answer = { status, cacheControl: false, noSniff: false };
    assert.equal(sections(answer).status, `HTTP/1.1 ${status} ${phrase}`);
  }
});
