// Conditions: each one met and not met, by kind of operation (protocol: conditions).

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NO_CONDITIONS, NO_PAGE_CONDITIONS } from '../testing/account.js';
import {
  type Conditions,
  checkAgainst,
  checkConditions,
  checkSequenceNumber,
  OF_BODY_SOURCE,
} from './conditions.js';
import { keysOf, matchesTags, type TagExpression } from './tags.js';

const SECOND = 10_000_000n;
const FOUND = { etag: 7n, lastModified: 100n * SECOND + 5n, tags: [['k', 'b']] as const };

const compare = (
  key: string,
  operator: '=' | '>' | '>=' | '<' | '<=' | '<>',
  value: string,
): TagExpression => ({
  kind: 'compare',
  key,
  operator,
  value,
});

const CASES: readonly [sent: Partial<Conditions>, read: string, write: string, create: string][] = [
  [{}, '', '', ''],
  [{ ifMatch: [7n] }, '', '', ''],
  [{ ifMatch: 'any' }, '', '', ''],
  [{ ifMatch: [8n, 9n] }, 'ConditionNotMet', 'ConditionNotMet', 'ConditionNotMet'],
  [{ ifMatch: [] }, 'ConditionNotMet', 'ConditionNotMet', 'ConditionNotMet'],
  [{ ifNoneMatch: [8n] }, '', '', ''],
  [{ ifNoneMatch: [8n, 7n] }, 'ConditionNotMet:NotModified', 'ConditionNotMet', 'ConditionNotMet'],
  [{ ifNoneMatch: 'any' }, 'ConditionNotMet:NotModified', 'ConditionNotMet', 'BlobAlreadyExists'],
  [{ ifModifiedSince: 99n * SECOND }, '', '', ''],
  [{ ifModifiedSince: 100n * SECOND }, 'ConditionNotMet:NotModified', 'ConditionNotMet', 'ConditionNotMet'],
  [{ ifUnmodifiedSince: 100n * SECOND }, '', '', ''],
  [{ ifUnmodifiedSince: 99n * SECOND }, 'ConditionNotMet', 'ConditionNotMet', 'ConditionNotMet'],
  [{ ifTags: compare('k', '=', 'b') }, '', '', ''],
  [{ ifTags: compare('k', '=', 'c') }, 'ConditionNotMet', 'ConditionNotMet', 'ConditionNotMet'],
];

const codeOf = (check: () => void): string => {
  try {
    check();
    return '';
  } catch (error) {
    return (error as { readonly code: string }).code;
  }
};

test('on a blob that is there', () => {
  for (const [sent, ...codes] of CASES)
    assert.deepEqual(
      (['read', 'write', 'create'] as const).map(access =>
        codeOf(() => checkConditions({ ...NO_CONDITIONS, ...sent }, FOUND, access, 'c')),
      ),
      codes,
      Object.keys(sent).join(),
    );
});

test('of If-None-Match and If-Modified-Since one that is met is enough, the others are all asked for', () => {
  const code = (sent: Partial<Conditions>) =>
    codeOf(() => checkConditions({ ...NO_CONDITIONS, ...sent }, FOUND, 'read', 'c'));
  const [newer, older] = [100n * SECOND, 99n * SECOND];
  assert.equal(code({ ifNoneMatch: [7n], ifModifiedSince: newer }), 'ConditionNotMet:NotModified');
  assert.equal(code({ ifNoneMatch: [7n], ifModifiedSince: older }), '');
  assert.equal(code({ ifNoneMatch: [8n], ifModifiedSince: newer }), '');
  assert.equal(code({ ifMatch: [7n], ifUnmodifiedSince: older }), 'ConditionNotMet');
  assert.equal(code({ ifNoneMatch: [8n], ifUnmodifiedSince: older }), 'ConditionNotMet');
});

test('on a blob that is not there', () => {
  const code = (sent: Partial<Conditions>) =>
    codeOf(() => checkConditions({ ...NO_CONDITIONS, ...sent }, undefined, 'create', 'c'));
  for (const sent of [{ ifNoneMatch: 'any' }, { ifUnmodifiedSince: 1n }] as const)
    assert.equal(code(sent), '');
  for (const sent of [{ ifMatch: 'any' }, { ifMatch: [7n] }, { ifModifiedSince: 1n }] as const)
    assert.equal(code(sent), 'ConditionNotMet');
});

test('on the source of a body', () => {
  const code = (sent: Partial<Conditions>) =>
    codeOf(() => checkAgainst({ ...NO_CONDITIONS, ...sent }, FOUND, 'c', OF_BODY_SOURCE));
  assert.equal(code({ ifMatch: [8n] }), 'CannotVerifyCopySource');
  assert.equal(code({ ifNoneMatch: [7n] }), 'CannotVerifyCopySource:NotModified');
  assert.equal(code({ ifModifiedSince: 100n * SECOND }), 'CannotVerifyCopySource:NotModified');
  assert.equal(code({ ifUnmodifiedSince: 99n * SECOND }), 'ConditionNotMet');
});

test('sequence numbers', () => {
  const code = (sent: Partial<typeof NO_PAGE_CONDITIONS>, number: bigint) =>
    codeOf(() => checkSequenceNumber({ ...NO_PAGE_CONDITIONS, ...sent }, number));
  const refused = 'SequenceNumberConditionNotMet';
  const at = (sent: Partial<typeof NO_PAGE_CONDITIONS>) => [4n, 5n, 6n].map(number => code(sent, number));
  assert.deepEqual(at({ sequenceNumberAtMost: 5n }), ['', '', refused]);
  assert.deepEqual(at({ sequenceNumberBelow: 5n }), ['', refused, refused]);
  assert.deepEqual(at({ sequenceNumberEqual: 5n }), [refused, '', refused]);
});

test('expressions over tags', () => {
  const matches = (expression: TagExpression) => matchesTags(expression, FOUND.tags, 'box');
  for (const [operator, results] of [
    ['=', [false, true, false]],
    ['<>', [true, false, true]],
    ['<', [false, false, true]],
    ['<=', [false, true, true]],
    ['>', [true, false, false]],
    ['>=', [true, true, false]],
  ] as const)
    assert.deepEqual(
      ['a', 'b', 'c'].map(value => matches(compare('k', operator, value))),
      results,
      operator,
    );
  assert.equal(matches(compare('none', '=', '')), false);
  assert.equal(matches(compare('none', '<>', 'x')), true);
  const both = { left: compare('k', '=', 'b'), right: compare('@container', '=', 'other') } as const;
  assert.equal(matches({ kind: 'and', ...both }), false);
  assert.equal(matches({ kind: 'or', ...both }), true);
  assert.equal(matches(compare('@container', '=', 'box')), true);
  assert.deepEqual(keysOf({ kind: 'and', ...both }), ['k']);
});
