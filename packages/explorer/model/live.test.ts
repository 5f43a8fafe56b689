// Live figures: rates and times between two readings.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Figures, pointBetween, readingOf } from './live.js';

const figures = (queries: number, errors: number, fast: number, all: number): Figures => [
  {
    name: 'shelfmark_requests_total',
    samples: [
      { suffix: '', labels: 'operation="queryEntities",status="200"', value: queries },
      { suffix: '', labels: 'operation="getMessages",status="500"', value: errors },
      { suffix: '', labels: 'operation="putBlob",status="404"', value: 1 },
    ],
  },
  {
    name: 'shelfmark_request_duration_seconds',
    samples: [
      { suffix: '_bucket', labels: 'operation="queryEntities",le="0.001"', value: fast },
      { suffix: '_bucket', labels: 'operation="queryEntities",le="0.01"', value: all },
      { suffix: '_bucket', labels: 'operation="queryEntities",le="+Inf"', value: all },
      { suffix: '_sum', labels: 'operation="queryEntities"', value: 7 },
    ],
  },
];

test('rates and quantiles are those between two readings', () => {
  const point = pointBetween(
    readingOf(figures(100, 0, 50, 100), 1000),
    readingOf(figures(300, 4, 230, 300), 3000),
  );
  assert(point);
  const { table, queue, blob, errors, refusals } = point.perSecond;
  assert.deepEqual([table, queue, blob, errors, refusals], [100, 2, 0, 2, 0]);
  // 180 of 200 took up to 1 ms: the hundredth is at 100/180 of it, the 198th at 18/20 of what is between 1 and 10 ms.
  assert(Math.abs((point.p50 ?? 0) - 100 / 180) < 1e-9);
  assert(Math.abs((point.p99 ?? 0) - (1 + (9 * 18) / 20)) < 1e-9);
});

test('without requests there are no times, and counters that begin anew give no point', () => {
  const [early, late] = [readingOf(figures(5, 0, 5, 5), 0), readingOf(figures(5, 0, 5, 5), 1000)];
  assert.equal(pointBetween(early, late)?.p50, undefined);
  assert.equal(pointBetween(early, readingOf(figures(1, 0, 1, 1), 1000)), undefined);
});
