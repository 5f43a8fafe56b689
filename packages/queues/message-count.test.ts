// The message count, and the current time that its row implies.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openMemoryStore } from '#store';
import { COUNT_KEY, changeCount, decodeCount, readStanding } from './message-count.js';

test('the current time is the later of clock and row', async () => {
  const time = { now: 100n };
  const store = openMemoryStore({ clock: () => time.now });
  const space = await store.createSpace({ account: 'a', service: 'queue', name: 'q' }, Buffer.alloc(0));
  assert.ok(space);
  const at = (now: bigint) => readStanding(store, space, 'p', () => now);
  assert.deepEqual(await at(7n), { count: 0, now: 7n });
  time.now = 200n;
  await store.commit(space, 'p', { keys: [COUNT_KEY] }, ({ keys: [row] }) => ({
    result: true,
    puts: [changeCount(row, 3)],
  }));
  assert.deepEqual(await at(199n), { count: 3, now: 200n });
  assert.deepEqual(await at(201n), { count: 3, now: 201n });
});

test('a count goes up and down, and an unreadable one is corrupt', () => {
  const row = (value: Buffer) => ({ partition: '', key: COUNT_KEY, version: 1n, value });
  assert.equal(decodeCount(undefined), 0);
  const three = row(changeCount(undefined, 3).value);
  assert.equal(decodeCount(three), 3);
  assert.equal(decodeCount(row(changeCount(three, -2).value)), 1);
  assert.throws(() => decodeCount(row(Buffer.alloc(7))), { name: 'StoreError', code: 'corrupt' });
});
