// The tables for a cluster: the rates of the engine, and of the engine behind HTTP, compared with the driver alone; and
// the cost of a message at each depth of a queue.
import { median } from '../load/statistics.js';
import {
  atLeast,
  atMost,
  CLUSTER_HOT_MIN,
  CLUSTER_MIN,
  CLUSTER_TOMBSTONES_MAX,
  type Verdict,
  verdictCells,
} from '../report/goals.js';
import { formatCount, formatNumber, textTable } from '../text-table.js';
import type { ClusterFigures, RateFigure, SubjectName } from './cassandra.js';
import type { QueueDepth } from './queue-depth.js';
import type { RateWork, WorkResult } from './works.js';

const HEADER = [
  'work',
  'subject',
  'rows/s',
  'lowest',
  'highest',
  'p50 ms',
  'p99 ms',
  'of the driver',
  'goal',
  '',
];

const QUEUE_HEADER = [
  'queue',
  'messages',
  'deleted',
  'cycles/s',
  'put p50 ms',
  'get p50 ms',
  'get p99 ms',
  'delete p50 ms',
  'busy',
  'get beside short',
  'tombstones of a read',
  'goal',
  '',
];

/** The engine has a goal relative to the driver; a hot partition has one for clients. */
function verdictOf(work: RateWork, subject: SubjectName, ratio: number, rate: number): Verdict | undefined {
  if (subject === 'engine') return atLeast(ratio, CLUSTER_MIN);
  return subject === 'http' && work === 'inserts' ? atLeast(rate, CLUSTER_HOT_MIN, ' rows/s') : undefined;
}

const rateOf = ({ rows, milliseconds }: WorkResult): number => (rows * 1000) / milliseconds;

function ratesTable(figures: readonly RateFigure[]): string {
  const lines = figures.map(({ work, subject, runs }) => {
    const rates = runs.map(rateOf);
    const driver = figures.find(each => each.work === work && each.subject === 'driver');
    const ratio = median(rates) / median(driver?.runs.map(rateOf) ?? []);
    return [
      work,
      subject,
      formatCount(median(rates)),
      formatCount(Math.min(...rates)),
      formatCount(Math.max(...rates)),
      formatNumber(median(runs.map(({ latency }) => latency.p50))),
      formatNumber(median(runs.map(({ latency }) => latency.p99))),
      subject === 'driver' ? '' : `${formatNumber(ratio)} x`,
      ...verdictCells(verdictOf(work, subject, ratio, median(rates))),
    ];
  });
  return textTable([HEADER, ...lines], 2);
}

const queueTable = (depths: readonly QueueDepth[]): string =>
  textTable(
    [
      QUEUE_HEADER,
      ...depths.map(({ state, depth, deleted, cyclesPerSecond, p50, p99, busy, tombstones }) => [
        state,
        formatCount(depth),
        formatCount(deleted),
        formatCount(cyclesPerSecond),
        ...[p50.put, p50.get, p99.get, p50.delete].map(formatNumber),
        formatCount(busy),
        state === 'short' ? '' : `${formatNumber(p50.get / (depths[0]?.p50.get ?? Number.NaN))} x`,
        formatCount(tombstones),
        ...verdictCells(atMost(tombstones, CLUSTER_TOMBSTONES_MAX)),
      ]),
    ],
    1,
  );

export const cassandraReport = ({ rates, queue }: ClusterFigures): string =>
  [
    ...(rates.length === 0 ? [] : [ratesTable(rates)]),
    ...(queue.length === 0 ? [] : [queueTable(queue)]),
  ].join('\n\n');
