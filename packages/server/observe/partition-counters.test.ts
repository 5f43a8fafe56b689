// Hot partitions: bounded memory, busy keys are always there, old counts go.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  EXACT_MAX,
  KEYS_MAX,
  PartitionCounters,
  SAMPLED_OF,
  SLOT_SECONDS,
  SLOTS,
} from './partition-counters.js';

const SLOT = BigInt(SLOT_SECONDS) * 10_000_000n;
const START = 1_000_000n * SLOT;
const of = (partition: string, table = 'orders') => ({ account: 'a', table, partition, rows: 2, bytes: 100 });
const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);

test('the first requests of a slot count one by one, then one of a sample for all', () => {
  const counters = new PartitionCounters();
  const weights = Array.from({ length: EXACT_MAX + 10 * SAMPLED_OF }, () => counters.weigh());
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  assert.deepEqual([...new Set(weights)].sort(), [0, 1, SAMPLED_OF]);
  assert(Math.abs(total - weights.length) <= SAMPLED_OF);
  counters.count(of('p'), 5, START);
  assert.equal(counters.weigh(), 1);
  counters.count(of('p'), 1, START + SLOT);
  counters.count(of('q', 'others'), 1, START);
  const [heat, ...others] = counters.heatOf('a', 'Orders', START + SLOT);
  assert.deepEqual(others, []);
  assert.deepEqual(heat?.requests.slice(-3), [0, 5, 1]);
  assert.deepEqual([sum(heat?.rows ?? []), sum(heat?.bytes ?? [])], [12, 600]);
});

test('counts older than the window are gone', () => {
  const counters = new PartitionCounters();
  counters.count(of('p'), 1, START);
  assert.equal(counters.heatOf('a', 'orders', START + SLOT * BigInt(SLOTS - 1)).length, 1);
  assert.equal(counters.heatOf('a', 'orders', START + SLOT * BigInt(SLOTS)).length, 0);
});

test('a busy key stays among any number of others', () => {
  const counters = new PartitionCounters();
  for (let round = 0; round < 40 * KEYS_MAX; round++) {
    counters.count(of(`once-${round}`), 1, START);
    if (round % 20 === 0) counters.count(of('busy'), 1, START);
  }
  const heat = counters.heatOf('a', 'orders', START);
  assert.equal(heat.length, KEYS_MAX);
  const busy = heat.find(({ partition }) => partition === 'busy');
  assert.equal(sum(busy?.requests ?? []), 2 * KEYS_MAX);
});
