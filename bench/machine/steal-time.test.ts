// When there was steal time, by readings of its sum.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stealTimeBetween, watchStealTime } from './steal-time.js';

const looks = (...stolen: readonly (number | undefined)[]) =>
  stolen.map((each, index) => ({ at: 100 + index * 50, stolen: each }));

test('steal time lasts from the reading before it to the one that shows it', () => {
  assert.deepEqual(stealTimeBetween(looks(7, 7, 8, 8, 9, 12, 12)), [
    { from: 150, until: 200 },
    { from: 250, until: 350 },
  ]);
});

test('no steal time, none reported, and a single reading', () => {
  assert.deepEqual(stealTimeBetween(looks(7, 7, 7)), []);
  assert.deepEqual(stealTimeBetween(looks(undefined, undefined)), []);
  assert.deepEqual(stealTimeBetween(looks(undefined, 5, undefined, 6)), []);
  assert.deepEqual(stealTimeBetween(looks(3)), []);
});

test('looking ends', async () => {
  const stop = watchStealTime();
  await new Promise(resolve => setTimeout(resolve, 120));
  for (const { from, until } of stop()) assert.ok(until > from);
});
