// From samples to metrics: medians, ratios of medians, and verdicts on both sides of a goal.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Sample, WorkloadName } from '../subjects/contestant.js';
import { memoryMetrics, readyMetrics, workloadMetrics } from './metrics.js';

const sample = (perSecond: number): Sample => ({
  perSecond,
  latency: { p50: perSecond / 10, p99: perSecond / 5, p999: perSecond, max: perSecond },
});

function verdicts(workload: WorkloadName, rates: Readonly<Record<string, readonly number[]>>, rows: number) {
  const samples = new Map(Object.entries(rates).map(([name, runs]) => [name, runs.map(sample)]));
  const held = { samples: new Map([[workload, samples]]), memory: new Map() };
  return workloadMetrics(held, rows);
}

test('metrics are medians of the runs', () => {
  const [metrics] = verdicts('merge', { shelfmark: [30, 10, 20, 50, 40] }, 20_000);
  assert.deepEqual(metrics, {
    workload: 'merge',
    subject: 'shelfmark',
    perSecond: 30,
    lowest: 10,
    highest: 50,
    p50: 3,
    p99: 6,
  });
});

test('a ratio is that of the medians, ours over theirs', () => {
  const rates = { shelfmark: [10, 60, 1000], bare: [100, 120, 1], azurite: [6, 6, 6] };
  const [, bare, azurite] = verdicts('point-get', rates, 20_000);
  assert.equal(bare?.ratio, 0.6);
  assert.deepEqual(bare?.verdict, { goal: '>= 0.5', value: 0.6, holds: true });
  assert.deepEqual(azurite?.verdict, { goal: '>= 10', value: 10, holds: true });
});

test('the goal relative to Azurite is higher where it has many rows', () => {
  const verdict = (rows: number, ours: number) =>
    verdicts('point-get', { shelfmark: [ours], azurite: [1] }, rows)[1]?.verdict;
  assert.deepEqual(verdict(299_900, 9.9), { goal: '>= 10', value: 9.9, holds: false });
  assert.deepEqual(verdict(300_000, 34.9), { goal: '>= 35', value: 34.9, holds: false });
  assert.deepEqual(verdict(300_000, 35), { goal: '>= 35', value: 35, holds: true });
});

test('a ratio without a goal is compared and not judged', () => {
  const [, lmdb] = verdicts('point-get', { shelfmark: [1], lmdb: [4] }, 20_000);
  assert.equal(lmdb?.ratio, 0.25);
  assert.equal(lmdb?.verdict, undefined);
});

test('memory counts without the mapped data, at its peak', () => {
  const loaded = { anonymous: 100e6, file: 900e6, data: 850e6 };
  const peak = { anonymous: 160e6, file: 990e6, data: 940e6 };
  const memory = new Map([
    ['shelfmark', { loaded, peak }],
    ['azurite', { loaded: peak, peak }],
  ]);
  const [ours, azurite] = memoryMetrics({ samples: new Map(), memory });
  assert.deepEqual(ours?.verdict, { goal: '<= 200 MB', value: 210, holds: false });
  assert.equal(azurite?.verdict, undefined);
});

test('ready in time', () => {
  assert.deepEqual(readyMetrics('shelfmark', [900, 400, 500]).verdict, {
    goal: '<= 500 ms',
    value: 500,
    holds: true,
  });
  assert.equal(readyMetrics('azurite', [900]).verdict, undefined);
});
