// Refusals of the Blob service: status, headers, and the document with the details of each code.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BlobError } from '#blobs';
import { wireCode } from '../shared/error-table.js';
import { XML_HEAD } from '../shared/xml.js';
import { BLOB_ERROR_TABLE, type BlobErrorContext, formatBlobError } from './format-blob-error.js';

const NOW = BigInt(Date.parse('2019-05-09T01:19:39.588Z')) * 10_000n + 5383n;
const CONTEXT: BlobErrorContext = {
  requestId: 'id',
  now: NOW,
  method: 'PUT',
  kind: 'putBlockBlob',
  isPart: false,
};

type Code = BlobError['code'];
type Detail = BlobError['detail'];

const answerOf = (code: Code, detail: Detail = {}, more: Partial<BlobErrorContext> = {}) =>
  formatBlobError(new BlobError(code, detail), { ...CONTEXT, ...more });

test('every code has a text, and a status of a refusal', () => {
  for (const code of Object.keys(BLOB_ERROR_TABLE) as Code[]) {
    const { status, reason, errorCode, body } = answerOf(code);
    assert.ok(status === 304 || (status >= 400 && status < 600), code);
    assert.ok((reason ?? '') !== '' && !/[\r\n]/.test(reason ?? ''), code);
    assert.equal(errorCode, wireCode(code));
    if (status !== 304) assert.match(String(body), new RegExp(`<Code>${wireCode(code)}</Code>`));
  }
});

test('an answer to HEAD and one that says not modified have no document', () => {
  for (const answer of [
    answerOf('BlobNotFound', {}, { method: 'HEAD' }),
    answerOf('ConditionNotMet:NotModified'),
  ]) {
    assert.equal(answer.body, undefined);
    assert.equal(answer.length, 'none');
  }
  assert.equal(answerOf('ConditionNotMet:NotModified').errorCode, 'ConditionNotMet');
  const pages = answerOf('ConditionNotMet:NotModified', {}, { kind: 'getPageRanges' });
  assert.equal(pages.contentType, 'application/xml');
});

test('a range that is outside tells the length', () => {
  assert.deepEqual(answerOf('InvalidRange', { length: 5 }).content, [['Content-Range', 'bytes */5']]);
  assert.deepEqual(answerOf('InvalidRange').content, []);
});

test('what is told to nobody without credentials', () => {
  const hidden = answerOf('ResourceNotFound', { isAnonymous: 1 });
  assert.equal(hidden.errorCode, undefined);
  assert.equal(answerOf('ResourceNotFound').errorCode, 'ResourceNotFound');
  const challenged = answerOf('NoAuthenticationInformation', { challenge: 'Bearer x' });
  assert.deepEqual(challenged.more, [['WWW-Authenticate', 'Bearer x']]);
});

test('a time of a snapshot that is none is told without code and version', () => {
  const snapshot = answerOf('InvalidQueryParameterValue', { name: 'snapshot', value: 'x' });
  assert.deepEqual([snapshot.errorCode, snapshot.hidesVersion], [undefined, true]);
  assert.ok(String(snapshot.body).startsWith(`${XML_HEAD}\n<Error>`));
  const other = answerOf('InvalidQueryParameterValue', { name: 'prevsnapshot', value: 'x' });
  assert.deepEqual([other.errorCode, other.hidesVersion], ['InvalidQueryParameterValue', false]);
});

test('parts of batches have a line break behind the declaration', () => {
  assert.ok(String(answerOf('BlobNotFound', {}, { isPart: true }).body).startsWith(`${XML_HEAD}\n<Error>`));
});
