// The tables that the benchmark prints. metrics.ts and report/goals.ts define what the numbers mean.
import { besideData } from '../machine/process-status.js';
import { GOAL_ROWS, verdictCells } from '../report/goals.js';
import { formatCount, formatMegabytes, formatNumber, textTable } from '../text-table.js';
import type { MemoryMetrics, Metrics, Ready, TableMetrics } from './metrics.js';

const UNITS: Readonly<Record<Metrics['workload'], string>> = {
  'point-get': 'requests',
  insert: 'requests',
  merge: 'requests',
  transaction: 'entities',
  range: 'entities',
  filter: 'rows examined',
};

function workloadLines(metrics: readonly Metrics[]): string[][] {
  const header = ['workload', 'of', 'subject', 'per second', 'lowest', 'highest', 'p50 ms', 'p99 ms'];
  const lines = [[...header, 'shelfmark is', 'goal', '']];
  let previous: string | undefined;
  for (const each of metrics) {
    const isFirst = each.workload !== previous;
    previous = each.workload;
    lines.push([
      isFirst ? each.workload : '',
      isFirst ? UNITS[each.workload] : '',
      each.subject,
      formatCount(each.perSecond),
      formatCount(each.lowest),
      formatCount(each.highest),
      formatNumber(each.p50),
      formatNumber(each.p99),
      each.ratio === undefined ? '' : `${formatNumber(each.ratio)} x`,
      ...verdictCells(each.verdict),
    ]);
  }
  return lines;
}

function memoryLines(metrics: readonly MemoryMetrics[]): string[][] {
  const header = [
    'memory',
    'RssAnon',
    'RssFile',
    'of it data',
    'beside data',
    'at most under load',
    'goal',
    '',
  ];
  return [
    header,
    ...metrics.map(({ subject, loaded, peak, verdict }) => [
      subject,
      ...[loaded.anonymous, loaded.file, loaded.data, besideData(loaded), besideData(peak)].map(
        formatMegabytes,
      ),
      ...verdictCells(verdict),
    ]),
  ];
}

const readyLines = (ready: readonly Ready[]): string[][] => [
  ['ready with the rows', 'median ms', 'lowest', 'highest', 'goal', ''],
  ...ready.map(({ subject, median, times, verdict }) => [
    subject,
    formatCount(median),
    formatCount(Math.min(...times)),
    formatCount(Math.max(...times)),
    ...verdictCells(verdict),
  ]),
];

/** All that was measured on a table of some rows. */
export function tableReport({ rows, workloads, memory, ready }: TableMetrics): string {
  const isForGoals = workloads.length === 0 || GOAL_ROWS.includes(rows);
  const note = isForGoals ? '' : ' (the goals are stated for tables of 20,000 and 300,000 rows)';
  const sections = [`${formatCount(rows)} rows${note}`];
  if (workloads.length > 0) sections.push(textTable(workloadLines(workloads), 3));
  if (memory.length > 0) sections.push(textTable(memoryLines(memory), 1));
  if (ready.length > 0) sections.push(textTable(readyLines(ready), 1));
  return sections.join('\n\n');
}
