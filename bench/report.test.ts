// The table and the JSON of a result.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatNumber, jsonOf, median, tableOf } from './report.js';

const of = (...rates: readonly number[]) =>
  rates.map(perSecond => ({ perSecond, latency: { p50: 1, p99: 2 } }));
const LINES = [
  {
    workload: 'insert',
    unit: '/s',
    samples: new Map([
      ['own', of(900, 1000, 3000)],
      ['peer', of(2000)],
    ]),
    goals: { peer: 0.6, absent: 2 },
  },
  { workload: 'memory', unit: 'MB', samples: new Map(), others: [{ name: 'MB', value: 150, most: 200 }] },
];

test('medians, ratios and goals in a table', () => {
  assert.equal(
    tableOf(LINES),
    [
      'workload      own    peer           p50 ms  p99 ms  goals',
      'insert    /s  1,000  2,000 (0.5 x)  1       2       MISSED: of peer 0.5 >= 0.6',
      'memory    MB                                        holds: MB 150 <= 200',
    ].join('\n'),
  );
});

test('the same as JSON', () => {
  const [insert] = JSON.parse(jsonOf(LINES));
  assert.deepEqual([insert.rates, insert.ratios], [{ own: 1000, peer: 2000 }, { peer: 0.5 }]);
});

test('numbers have three significant digits, or all before the point', () => {
  assert.deepEqual([0.1234, 12.34, 1234.5, Number.NaN].map(formatNumber), ['0.123', '12.3', '1,235', 'NaN']);
  assert.deepEqual([median([]), median([3, 1]), median([5, 1, 2])], [Number.NaN, 2, 2]);
});
