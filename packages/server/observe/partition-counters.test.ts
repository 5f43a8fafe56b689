// Hot partitions: bounded memory, busy keys are always there, old counts go.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KEYS_MAX, PartitionCounters, SLOT_SECONDS, SLOTS } from './partition-counters.js';

const SLOT = BigInt(SLOT_SECONDS) * 10_000_000n;
const START = 1_000_000n * SLOT;
const of = (partition: string, table = 'orders') => ({ account: 'a', table, partition, rows: 2, bytes: 100 });
const sum = (counts: readonly number[] = []): number => counts.reduce((total, count) => total + count, 0);

test('requests, rows and bytes of each slot, for ten minutes', () => {
  const counters = new PartitionCounters();
  for (let count = 0; count < 5; count++) counters.count(of('p'), START);
  counters.count(of('p'), START + SLOT);
  counters.count(of('q', 'others'), START);
  const [heat, ...others] = counters.heatOf('a', 'Orders', START + SLOT);
  assert.deepEqual(others, []);
  assert.deepEqual(heat?.requests.slice(-3), [0, 5, 1]);
  assert.deepEqual([sum(heat?.rows), sum(heat?.bytes)], [12, 600]);
  assert.equal(counters.heatOf('a', 'orders', START + SLOT * BigInt(SLOTS)).length, 1);
  assert.equal(counters.heatOf('a', 'orders', START + SLOT * BigInt(SLOTS + 1)).length, 0);
  const later = START + SLOT * BigInt(4 * SLOTS + 7);
  counters.count(of('p'), later);
  assert.deepEqual(counters.heatOf('a', 'orders', later)[0]?.requests.slice(-2), [0, 1]);
});

test('a busy key stays among any number of others, also of those that were busier before', () => {
  const counters = new PartitionCounters();
  for (let count = 0; count < 10; count++)
    for (let key = 0; key < KEYS_MAX; key++) counters.count(of(`before-${key}`), START);
  const now = START + 20n * SLOT;
  for (let round = 0; round < 40 * KEYS_MAX; round++) {
    counters.count(of(`once-${round}`), now);
    if (round % 20 === 0) counters.count(of('busy'), now);
  }
  const heat = counters.heatOf('a', 'orders', now);
  assert(heat.length >= KEYS_MAX && heat.length <= 2 * KEYS_MAX, `${heat.length} keys`);
  assert.equal(sum(heat.find(({ partition }) => partition === 'busy')?.requests), 2 * KEYS_MAX);
});
