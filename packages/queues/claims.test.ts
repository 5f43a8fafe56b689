// Claims: each visibility key has one claimant at a time in a store and a queue; and where a scan begins.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openMemoryStore, type Space } from '#store';
import { Claims } from './claims.js';

const SPACE: Space = {
  account: 'a',
  service: 'queue',
  name: 'q',
  id: 1,
  created: 1n,
  metadata: Buffer.alloc(0),
};
const openClaims = (store = openMemoryStore()) => ({
  of: (id = 1, partition = 'p') => new Claims(store, { ...SPACE, id }, partition),
});

test('a key is claimed once until it is released, per store, queue and generation', () => {
  const { of } = openClaims();
  const [first, second] = [of(), of()];
  assert.deepEqual([first.claim('a'), second.claim('a'), first.claim('a')], [true, false, false]);
  for (const stranger of [of(2), of(1, 'q'), openClaims().of()]) assert.equal(stranger.claim('a'), true);
  assert.equal(second.claim('b'), true);
  first.release();
  const third = of();
  assert.deepEqual([third.claim('a'), third.claim('b')], [true, false]);
  second.release();
  assert.equal(third.claim('b'), true);
});

test('a scan begins behind the last claimed key; the first and every sixteenth begin at the head', () => {
  const { of } = openClaims();
  const holder = of();
  assert.equal(holder.begin(), undefined);
  holder.claim('a');
  const begun = Array.from({ length: 33 }, () => {
    const claims = of();
    const from = claims.begin();
    claims.release();
    return from;
  });
  const heads = begun.flatMap((from, index) => (from === undefined ? [index] : []));
  assert.deepEqual(heads, [15, 31]);
  assert.ok(begun.every(from => from === undefined || from === 'a'));
  holder.release();
  assert.equal(of().begin(), undefined);
});
