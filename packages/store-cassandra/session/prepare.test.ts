// Which data center keeps a store.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dataCenterOf } from './prepare.js';

test('the only data center is taken, one of several has to be named', () => {
  assert.equal(dataCenterOf(['one'], undefined), 'one');
  assert.equal(dataCenterOf(['one'], 'one'), 'one');
  assert.equal(dataCenterOf(['one', 'two'], 'two'), 'two');
  const message =
    'The cluster has the data centers one, two: the option dataCenter says which one keeps the store.';
  assert.throws(() => dataCenterOf(['two', 'one'], undefined), { code: 'unsupported', message });
  const none = 'The cluster has no data center One; it has one, two.';
  assert.throws(() => dataCenterOf(['two', 'one'], 'One'), { code: 'unsupported', message: none });
});
