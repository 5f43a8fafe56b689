// Refusals of the Queue service: the details of each code, and headers of their own; the recordings have whole ones.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ErrorDetail } from '#account';
import { QueueError } from '#queues';
import { wireCode } from '../shared/error-table.js';
import { ERROR_TABLE } from '../table/format-error.js';
import { formatQueueError, QUEUE_ERROR_TABLE } from './format-queue-error.js';

const answerOf = (code: QueueError['code'], detail: ErrorDetail = {}) =>
  formatQueueError(new QueueError(code, detail), 'an-id', 15_573_647_795_885_383n);

const PARAMETER =
  '<QueryParameterName>a</QueryParameterName><QueryParameterValue>&lt;1</QueryParameterValue>';

/** The elements after the text. Malformed XML is reported with its position, an invalid document is not. */
const DETAILS: readonly (readonly [code: QueueError['code'], detail: ErrorDetail, elements: string])[] = [
  ['InvalidQueryParameterValue', { name: 'a', value: '<1' }, PARAMETER],
  [
    'InvalidQueryParameterValue',
    { name: 'a', value: '<1', reason: 'Why.' },
    `${PARAMETER}<Reason>Why.</Reason>`,
  ],
  [
    'OutOfRangeQueryParameterValue',
    { name: 'a', value: '<1', minimum: 1, maximum: 32 },
    `${PARAMETER}<MinimumAllowed>1</MinimumAllowed><MaximumAllowed>32</MaximumAllowed>`,
  ],
  [
    'MissingRequiredQueryParameter',
    { name: 'popreceipt' },
    '<QueryParameterName>popreceipt</QueryParameterName>',
  ],
  ['InvalidHeaderValue', { name: 'a', value: '' }, '<HeaderName>a</HeaderName><HeaderValue />'],
  ['RequestBodyTooLarge', { limit: 65_536 }, '<MaxLimit>65536</MaxLimit>'],
  [
    'AuthenticationFailed:Sas',
    { detail: 'Why.' },
    '<AuthenticationErrorDetail>Why.</AuthenticationErrorDetail>',
  ],
  [
    'InvalidXmlDocument',
    { line: 2, position: 14 },
    '<LineNumber>2</LineNumber><LinePosition>14</LinePosition><Reason>Error parsing Xml content</Reason>',
  ],
  [
    'InvalidXmlDocument',
    { reason: 'Permission is no set of raup.' },
    '<LineNumber>0</LineNumber><LinePosition>0</LinePosition><Reason />',
  ],
];

test('the details of each code', () => {
  for (const [code, detail, elements] of DETAILS)
    assert.equal(/<\/Message>(.*)<\/Error>$/s.exec(answerOf(code, detail).body ?? '')?.[1], elements, code);
});

test('codes of both services have one status', () => {
  for (const [code, { status }] of Object.entries(QUEUE_ERROR_TABLE)) {
    const entry = Object.entries(ERROR_TABLE).find(([other]) => wireCode(other) === code);
    if (entry) assert.equal(entry[1].status, status, code);
  }
});
