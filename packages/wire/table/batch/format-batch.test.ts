// The envelope of batch answers, byte by byte, from recordings of Azure.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatBatchQuery, formatChangeset } from './format-batch.js';
import { formatPart } from './format-part.js';

const IDS = {
  batch: 'c5bb0b10-d973-4bab-9713-7d8bb0a007f2',
  changeset: 'aef1890e-d4f6-4956-b9e5-5cbe16876d62',
};
const CONTENT_TYPE = `multipart/mixed; boundary=batchresponse_${IDS.batch}`;
const JSON_TYPE = 'application/json;odata=minimalmetadata;streaming=true;charset=utf-8';

const opening =
  `--batchresponse_${IDS.batch}\r\n` +
  `Content-Type: multipart/mixed; boundary=changesetresponse_${IDS.changeset}\r\n\r\n`;
const partOpening =
  `--changesetresponse_${IDS.changeset}\r\n` +
  'Content-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n';
const closing = `--changesetresponse_${IDS.changeset}--\r\n--batchresponse_${IDS.batch}--\r\n`;

test('a recorded failure', () => {
  const body =
    '{"odata.error":{"code":"EntityAlreadyExists","message":{"lang":"en-US","value":"2:The specified entity already exists.\\nRequestId:a05b4e53-9002-0057-1cc8-874646000000\\nTime:2021-08-02T18:01:40.3296350Z"}}}';
  const failure = formatPart(
    {
      status: 409,
      contentType: JSON_TYPE,
      body,
      preferenceApplied: 'return-no-content',
      cacheControl: true,
      noSniff: true,
      dataServiceVersion: '3.0;',
    },
    undefined,
  );
  assert.deepEqual(formatChangeset([failure], IDS), {
    contentType: CONTENT_TYPE,
    body:
      `${opening}${partOpening}HTTP/1.1 409 Conflict\r\nX-Content-Type-Options: nosniff\r\nCache-Control: no-cache\r\n` +
      `Preference-Applied: return-no-content\r\nDataServiceVersion: 3.0;\r\nContent-Type: ${JSON_TYPE}\r\n\r\n${body}\r\n${closing}`,
  });
});

test('a part without a body ends in three line breaks', () => {
  const deleted = formatPart({ status: 204, cacheControl: false, noSniff: true }, '2');
  const part = `${partOpening}HTTP/1.1 204 No Content\r\nContent-ID: 2\r\nX-Content-Type-Options: nosniff\r\n\r\n\r\n`;
  assert.equal(formatChangeset([deleted, deleted], IDS).body, `${opening}${part}${part}${closing}`);
});

test('an empty changeset', () => {
  assert.equal(formatChangeset([], IDS).body, opening + closing);
});

test('a GET has no changeset around it', () => {
  const part = formatPart(
    { status: 200, contentType: JSON_TYPE, body: '{"a":1}', cacheControl: false, noSniff: false },
    undefined,
  );
  const answer = formatBatchQuery(part, IDS);
  assert.deepEqual(answer, {
    contentType: CONTENT_TYPE,
    body:
      `--batchresponse_${IDS.batch}\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n` +
      `HTTP/1.1 200 OK\r\nContent-Type: ${JSON_TYPE}\r\n\r\n{"a":1}\r\n--batchresponse_${IDS.batch}--\r\n`,
  });
});
