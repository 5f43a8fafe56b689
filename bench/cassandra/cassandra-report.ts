// The table of the rates on a cluster: the engine, and the engine behind HTTP, beside the driver alone.
import { median } from '../load/statistics.js';
import { atLeast, CLUSTER_HOT_MIN, CLUSTER_MIN, type Verdict, verdictCells } from '../report/goals.js';
import { formatCount, formatNumber, textTable } from '../text-table.js';
import type { RateFigure, SubjectName } from './cassandra.js';
import type { Work, WorkResult } from './works.js';

const HEADER = [
  'work',
  'subject',
  'rows/s',
  'lowest',
  'highest',
  'p50 ms',
  'p99 ms',
  'own processor us/row',
  'of the driver',
  'goal',
  '',
];

const MICROSECONDS = 1000;

/** The engine has a goal beside the driver; a hot partition has one for clients. */
function verdictOf(work: Work, subject: SubjectName, ratio: number, rate: number): Verdict | undefined {
  if (subject === 'engine') return atLeast(ratio, CLUSTER_MIN);
  return subject === 'http' && work === 'inserts' ? atLeast(rate, CLUSTER_HOT_MIN, ' rows/s') : undefined;
}

const rateOf = ({ rows, milliseconds }: WorkResult): number => (rows * 1000) / milliseconds;

export function cassandraReport(figures: readonly RateFigure[]): string {
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
      formatNumber(
        median(runs.map(({ processorMilliseconds, rows }) => (processorMilliseconds * MICROSECONDS) / rows)),
      ),
      subject === 'driver' ? '' : `${formatNumber(ratio)} x`,
      ...verdictCells(verdictOf(work, subject, ratio, median(rates))),
    ];
  });
  return textTable([HEADER, ...lines], 2);
}
