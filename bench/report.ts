// The tables that the benchmark prints. What the figures are is decided in figures.ts and goals.ts.
import type { Figures, MemoryFigures, Ready, TableFigures } from './figures.js';
import { GOAL_ROWS, type Verdict } from './goals.js';
import { besideData } from './process-status.js';
import { formatCount, formatFigure, formatMegabytes, textTable } from './text-table.js';

const UNITS: Readonly<Record<Figures['workload'], string>> = {
  'point-get': 'requests',
  insert: 'requests',
  merge: 'requests',
  transaction: 'entities',
  range: 'entities',
  filter: 'rows examined',
};

export const verdictCells = (verdict: Verdict | undefined): string[] =>
  verdict === undefined ? ['', ''] : [verdict.goal, verdict.holds ? 'holds' : 'MISSED'];

function workloadLines(figures: readonly Figures[]): string[][] {
  const header = ['workload', 'of', 'subject', 'per second', 'lowest', 'highest', 'p50 ms', 'p99 ms'];
  const lines = [[...header, 'shelfmark is', 'goal', '']];
  let previous: string | undefined;
  for (const each of figures) {
    const isFirst = each.workload !== previous;
    previous = each.workload;
    lines.push([
      isFirst ? each.workload : '',
      isFirst ? UNITS[each.workload] : '',
      each.subject,
      formatCount(each.perSecond),
      formatCount(each.lowest),
      formatCount(each.highest),
      formatFigure(each.p50),
      formatFigure(each.p99),
      each.ratio === undefined ? '' : `${formatFigure(each.ratio)} x`,
      ...verdictCells(each.verdict),
    ]);
  }
  return lines;
}

function memoryLines(figures: readonly MemoryFigures[]): string[][] {
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
    ...figures.map(({ subject, loaded, peak, verdict }) => [
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
export function tableReport({ rows, workloads, memory, ready }: TableFigures): string {
  const isForGoals = workloads.length === 0 || GOAL_ROWS.includes(rows);
  const note = isForGoals ? '' : ' (the goals are stated for tables of 20,000 and 300,000 rows)';
  const sections = [`${formatCount(rows)} rows${note}`];
  if (workloads.length > 0) sections.push(textTable(workloadLines(workloads), 3));
  if (memory.length > 0) sections.push(textTable(memoryLines(memory), 1));
  if (ready.length > 0) sections.push(textTable(readyLines(ready), 1));
  return sections.join('\n\n');
}
