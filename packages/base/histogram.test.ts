// Which bucket a measurement falls into, at each bound and next to it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Histogram, SECONDS_BOUNDS } from './histogram.js';

test('a measurement falls into the first bucket whose bound it does not exceed', () => {
  const histogram = new Histogram([1, 2]);
  for (const value of [0, 0.9, 1, 1.1, 2, 2.1, Number.POSITIVE_INFINITY]) histogram.add(value);
  assert.deepEqual(histogram.counts(), { bounds: [1, 2], counts: [3, 2, 2], sum: Number.POSITIVE_INFINITY });
});

test('the sum is that of the measurements, and counts taken before stay as they were', () => {
  const histogram = new Histogram([10]);
  histogram.add(3);
  const before = histogram.counts();
  histogram.add(4);
  assert.deepEqual(before, { bounds: [10], counts: [1, 0], sum: 3 });
  assert.equal(histogram.counts().sum, 7);
});

test('the bounds of times rise', () => {
  assert.deepEqual(
    SECONDS_BOUNDS,
    [...SECONDS_BOUNDS].sort((a, b) => a - b),
  );
});
