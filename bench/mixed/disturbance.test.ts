// Which requests count as disturbed, compared with the definition in slow code.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { overlaps, type Span, union } from '../machine/span.js';
import { disturbedTime, undisturbedOf } from './disturbance.js';

const span = (from: number, until: number): Span => ({ from, until });

/** Whole numbers in a small range: ends meet often. */
const SPANS = fc.array(
  fc
    .tuple(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 1, max: 12 }))
    .map(([from, length]) => span(from, from + length)),
  { maxLength: 12 },
);
const REQUESTS = fc.array(fc.tuple(fc.integer({ min: 0, max: 90 }), fc.integer({ min: 1, max: 30 })), {
  maxLength: 40,
});

const momentsOf = (requests: readonly (readonly [due: number, latency: number])[]) => ({
  due: Float64Array.from(requests, ([due]) => due),
  latency: Float64Array.from(requests, ([, latency]) => latency),
});

/** As if of two kinds. */
const apart = (requests: readonly (readonly [due: number, latency: number])[]) =>
  [0, 1].map(kind => momentsOf(requests.filter((_, index) => index % 2 === kind)));

test('spans that overlap or touch are one', () => {
  assert.deepEqual(union([]), []);
  assert.deepEqual(union([span(5, 7), span(0, 2)]), [span(0, 2), span(5, 7)]);
  assert.deepEqual(union([span(0, 2), span(2, 3)]), [span(0, 3)]);
  assert.deepEqual(union([span(4, 6), span(0, 10), span(9, 12)]), [span(0, 12)]);
});

test('a union covers what its spans cover, in order and apart', () => {
  fc.assert(
    fc.property(SPANS, spans => {
      const joined = union(spans);
      const covers = (all: readonly Span[], at: number) =>
        all.some(({ from, until }) => from <= at && at < until);
      for (let at = 0; at < 80; at += 0.5) assert.equal(covers(joined, at), covers(spans, at));
      for (const [index, { from }] of joined.entries())
        assert.ok(index === 0 || from > (joined[index - 1]?.until ?? 0));
    }),
  );
});

test('each pause disturbs for twice its length, separately', () => {
  assert.deepEqual(disturbedTime([span(10, 13)]), [span(10, 16)]);
  assert.deepEqual(disturbedTime([span(10, 13), span(12, 14)]), [span(10, 16)]);
  assert.deepEqual(disturbedTime([span(10, 13), span(20, 25)]), [span(10, 16), span(20, 30)]);
});

test('ends that touch do not overlap', () => {
  const spans = [span(10, 20), span(30, 40)];
  const cases: readonly [from: number, until: number, expected: boolean][] = [
    [0, 10, false],
    [0, 10.5, true],
    [20, 30, false],
    [19.5, 20, true],
    [20, 30.5, true],
    [40, 50, false],
    [0, 50, true],
    [12, 13, true],
    [15, 15, true],
    [10, 10, false],
    [20, 20, false],
  ];
  for (const [from, until, expected] of cases) {
    assert.equal(overlaps(spans, from, until), expected, `${from} to ${until}`);
  }
  assert.equal(overlaps([], 0, 100), false);
});

test('a request is disturbed if any pause, extended, overlaps it', () => {
  fc.assert(
    fc.property(SPANS, REQUESTS, (pauses, requests) => {
      const isFree = (due: number, answered: number): boolean =>
        pauses.every(({ from, until }) => answered <= from || due >= until + (until - from));
      const free = requests.filter(([due, latency]) => isFree(due, due + latency));
      const { share, latency } = undisturbedOf(apart(requests), pauses);
      assert.equal(share, free.length === 0 ? 0 : free.length / requests.length);
      assert.equal(latency?.max, free.length === 0 ? undefined : Math.max(...free.map(([, took]) => took)));
    }),
  );
});

test('without pauses all are undisturbed; with no requests, no latency is reported', () => {
  const moments = [momentsOf([[0, 5]]), momentsOf([[10, 7]])];
  assert.deepEqual(undisturbedOf(moments, []), { share: 1, latency: { p50: 5, p99: 7, p999: 7, max: 7 } });
  assert.deepEqual(undisturbedOf(moments, [span(0, 20)]), { share: 0, latency: undefined });
  assert.deepEqual(undisturbedOf([momentsOf([])], []), { share: 0, latency: undefined });
});
