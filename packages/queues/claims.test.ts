// Claims: each place has one claimant at a time, of those who share a store.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openMemoryStore } from '#store';
import { Claims } from './claims.js';

test('a place is claimed once until it is released, by store', () => {
  const store = openMemoryStore();
  const [first, second, stranger] = [new Claims(store), new Claims(store), new Claims(openMemoryStore())];
  assert.deepEqual([first.claim('a'), second.claim('a'), first.claim('a')], [true, false, false]);
  assert.deepEqual([second.claim('b'), stranger.claim('a')], [true, true]);
  first.release();
  assert.deepEqual([second.claim('a'), first.claim('b')], [true, false]);
  first.release();
  assert.equal(new Claims(store).claim('a'), false);
});
