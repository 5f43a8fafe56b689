// Medians and percentiles against their definitions.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Latencies, median, percentile } from './statistics.js';

const VALUES = fc.array(fc.double({ min: 0, max: 1e9, noNaN: true }), { minLength: 1, maxLength: 200 });

test('medians', () => {
  assert.equal(median([3, 1, 2]), 2);
  assert.equal(median([4, 1, 2, 3]), 2.5);
  assert.equal(median([7]), 7);
  assert.equal(median([]), Number.NaN);
});

test('half of the values are on either side of a median', () => {
  fc.assert(
    fc.property(VALUES, values => {
      const middle = median(values);
      assert.ok(values.filter(value => value <= middle).length * 2 >= values.length);
      assert.ok(values.filter(value => value >= middle).length * 2 >= values.length);
    }),
  );
});

test('percentiles by nearest rank', () => {
  const sorted = [10, 20, 30, 40];
  const at = (share: number) => percentile(sorted, share);
  assert.deepEqual([0, 0.25, 0.26, 0.5, 0.99, 1].map(at), [10, 10, 20, 20, 40, 40]);
  assert.equal(percentile([], 0.5), Number.NaN);
});

test('a percentile is the smallest value that the share does not exceed', () => {
  fc.assert(
    fc.property(VALUES, fc.double({ min: 0.001, max: 1, noNaN: true }), (values, share) => {
      const sorted = values.toSorted((a, b) => a - b);
      const value = percentile(sorted, share);
      const covers = (bound: number) => sorted.filter(each => each <= bound).length >= sorted.length * share;
      assert.ok(covers(value));
      assert.ok(sorted.every(each => each >= value || !covers(each)));
    }),
  );
});

test('latencies keep every value, however many there are', () => {
  const latencies = new Latencies();
  const count = 10_000;
  for (let value = count; value >= 1; value--) latencies.add(value);
  assert.equal(latencies.count, count);
  assert.deepEqual(latencies.summary(), { p50: 5000, p99: 9900, p999: 9990, max: count });
  assert.deepEqual(new Latencies().summary(), { p50: 0, p99: 0, p999: 0, max: 0 });
});
