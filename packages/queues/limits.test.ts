// Each limit of the Queue service at one below, itself, and one above.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkMetadata, checkQueueName } from './limits.js';
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
