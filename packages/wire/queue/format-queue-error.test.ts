// Refusals of the Queue service, byte for byte as recorded, and the details of each.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ErrorDetail } from '#account';
import { QueueError } from '#queues';
import { wireCode } from '../shared/error-table.js';
import { XML_HEAD } from '../shared/xml.js';
import { ERROR_TABLE } from '../table/error-table.js';
import { formatQueueError, QUEUE_ERROR_TABLE } from './format-queue-error.js';

const ID = '55614012-c003-0055-0d05-06245c000000';
const NOW = BigInt(Date.parse('2019-05-09T01:19:39.588Z')) * 10_000n + 5383n;

const answerOf = (code: QueueError['code'], detail: ErrorDetail = {}) =>
  formatQueueError(new QueueError(code, detail), ID, NOW);

/** The elements after the text. */
const elementsOf = (code: QueueError['code'], detail: ErrorDetail): string =>
  /<\/Message>(.*)<\/Error>$/s.exec(answerOf(code, detail).body ?? '')?.[1] ?? assert.fail();

test('document, status, phrase and code', () => {
  const { status, reason, errorCode, body, more } = answerOf('QueueAlreadyExists');
  assert.deepEqual(
    [status, reason, errorCode],
    [409, 'The specified queue already exists.', 'QueueAlreadyExists'],
  );
  assert.equal(
    body,
    `${XML_HEAD}<Error><Code>QueueAlreadyExists</Code><Message>The specified queue already exists.\nRequestId:${ID}\nTime:2019-05-09T01:19:39.5885383Z</Message></Error>`,
  );
  assert.equal(Buffer.byteLength(body), 222);
  assert.deepEqual(more, []);
});

test('the details of each code', () => {
  const parameter =
    '<QueryParameterName>a</QueryParameterName><QueryParameterValue>&lt;1</QueryParameterValue>';
  assert.equal(elementsOf('InvalidQueryParameterValue', { name: 'a', value: '<1' }), parameter);
  assert.equal(
    elementsOf('InvalidQueryParameterValue', { name: 'a', value: '<1', reason: 'Why.' }),
    `${parameter}<Reason>Why.</Reason>`,
  );
  assert.equal(
    elementsOf('OutOfRangeQueryParameterValue', { name: 'a', value: '<1', minimum: 1, maximum: 32 }),
    `${parameter}<MinimumAllowed>1</MinimumAllowed><MaximumAllowed>32</MaximumAllowed>`,
  );
  assert.equal(
    elementsOf('MissingRequiredQueryParameter', { name: 'popreceipt' }),
    '<QueryParameterName>popreceipt</QueryParameterName>',
  );
  assert.equal(
    elementsOf('InvalidHeaderValue', { name: 'x-ms-version', value: '' }),
    '<HeaderName>x-ms-version</HeaderName><HeaderValue />',
  );
  assert.equal(elementsOf('RequestBodyTooLarge', { limit: 65_536 }), '<MaxLimit>65536</MaxLimit>');
  assert.equal(
    elementsOf('AuthenticationFailed:Sas', { detail: 'Why.' }),
    '<AuthenticationErrorDetail>Why.</AuthenticationErrorDetail>',
  );
});

test('malformed XML is reported with its position, an invalid document is not', () => {
  assert.equal(
    elementsOf('InvalidXmlDocument', { line: 2, position: 14 }),
    '<LineNumber>2</LineNumber><LinePosition>14</LinePosition><Reason>Error parsing Xml content</Reason>',
  );
  assert.equal(
    elementsOf('InvalidXmlDocument', { reason: 'Permission is no set of raup.' }),
    '<LineNumber>0</LineNumber><LinePosition>0</LinePosition><Reason />',
  );
});

test('a challenge has its header, and a busy server its Retry-After', () => {
  assert.deepEqual(answerOf('NoAuthenticationInformation', { challenge: 'Bearer x' }).more, [
    ['WWW-Authenticate', 'Bearer x'],
  ]);
  assert.deepEqual(answerOf('ServerBusy').more, [['Retry-After', '1']]);
  assert.equal(answerOf('InvalidAuthenticationInfo').hidesVersion, true);
});

test('values are inserted into the text', () => {
  assert.match(
    answerOf('AuthorizationSourceIPMismatch', { address: '10.0.0.1' }).body ?? '',
    /using this source IP 10\.0\.0\.1\.\n/,
  );
});

test('codes of both services have one status', () => {
  for (const [code, { status }] of Object.entries(QUEUE_ERROR_TABLE)) {
    const entry = Object.entries(ERROR_TABLE).find(([other]) => wireCode(other) === code);
    if (entry) assert.equal(entry[1].status, status, code);
  }
});
