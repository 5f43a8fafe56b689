// Each limit of the Queue service at one below, itself, and one above.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  checkMessageCount,
  checkMetadata,
  checkQueueName,
  checkText,
  checkTimeToLive,
  checkVisibility,
} from './limits.js';
import type { QueueErrorCode } from './queue-error.js';

const fails = (code: QueueErrorCode, check: () => void, detail: object = {}): void =>
  assert.throws(check, { name: 'QueueError', code, detail });

test('names have 3 to 63 letters, digits and single dashes', () => {
  for (const name of ['abc', 'a-b', '1-2-3', 'q'.repeat(62), 'q'.repeat(63)]) checkQueueName(name);
  for (const name of ['', 'ab', 'q'.repeat(64)])
    fails('OutOfRangeInput:ResourceName', () => checkQueueName(name));
  for (const name of ['-ab', 'ab-', 'a--b', 'aBc', 'a_b', 'été', 'a.b', 'abc\n'])
    fails('InvalidResourceName', () => checkQueueName(name));
});

test('metadata has the limits of all services', () => {
  checkMetadata([{ name: 'ab', value: 'v'.repeat(8190) }]);
  fails('InvalidMetadata', () => checkMetadata([{ name: 'a-b', value: '' }]));
});

test('65,536 bytes of text', () => {
  for (const text of ['x'.repeat(65_535), 'x'.repeat(65_536), 'ö'.repeat(32_768)]) checkText(text);
  const detail = { limit: 65_536 };
  fails('RequestBodyTooLarge', () => checkText('x'.repeat(65_537)), detail);
  fails('RequestBodyTooLarge', () => checkText(`${'ö'.repeat(32_768)}x`), detail);
});

test('1 to 32 messages', () => {
  for (const count of [1, 2, 31, 32]) checkMessageCount(count);
  for (const value of [-1, 0, 33]) {
    const detail = { name: 'numofmessages', value, minimum: 1, maximum: 32 };
    fails('OutOfRangeQueryParameterValue', () => checkMessageCount(value), detail);
  }
});

test('a message is invisible for at most 7 days, and after a get for at least a second', () => {
  for (const minimum of [0, 1] as const) {
    for (const seconds of [minimum, minimum + 1, 604_799, 604_800]) checkVisibility(seconds, minimum);
    for (const value of [minimum - 1, 604_801]) {
      const detail = { name: 'visibilitytimeout', value, minimum, maximum: 604_800 };
      fails('OutOfRangeQueryParameterValue', () => checkVisibility(value, minimum), detail);
    }
  }
});

test('the time to live is at least a second, and longer than the visibility timeout', () => {
  for (const [timeToLive, visibility] of [
    [1, 0],
    [31, 30],
    [1_073_741_824, 604_800],
    [-1, 604_800],
  ] as const)
    checkTimeToLive(timeToLive, visibility);
  for (const timeToLive of [0, -2])
    assert.throws(() => checkTimeToLive(timeToLive, 0), { code: 'InvalidQueryParameterValue' });
  const reason = 'messagettl must be greater than visibilitytimeout';
  for (const value of [30, 31]) {
    const detail = { name: 'visibilitytimeout', value, reason };
    fails('InvalidQueryParameterValue', () => checkTimeToLive(30, value), detail);
  }
});
