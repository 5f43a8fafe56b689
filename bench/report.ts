// The result of a run: one table of rates, and of the first subject's rate over that of each other, with the goals; or the same as JSON.
import type { Sample } from './subjects/subject.js';

/** A value that must be at least a bound, or at most. */
export interface Goal {
  readonly name: string;
  readonly value: number;
  readonly least?: number;
  readonly most?: number;
}

export interface Line {
  readonly workload: string;
  readonly unit: string;
  /** By subject, the first is what is measured; of each run. */
  readonly samples: ReadonlyMap<string, readonly Sample[]>;
  /** The least ratio to others. */
  readonly goals?: Readonly<Record<string, number>>;
  /** Other goals, and figures without one. */
  readonly others?: readonly Goal[];
}

/** The middle one, or the mean of the two in the middle; NaN of none. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? Number.NaN) + (sorted[Math.floor(middle)] ?? Number.NaN)) / 2;
}

/** Three significant digits, or all before the point: `0.123`, `12.3`, `1,235`. */
export const formatNumber = (value: number): string =>
  value < 1000
    ? value.toLocaleString('en-US', { maximumSignificantDigits: 3 })
    : Math.round(value).toLocaleString('en-US');

const rateOf = (samples: readonly Sample[] = []): number => median(samples.map(({ perSecond }) => perSecond));

/** Medians and ratios of a line. */
function summaryOf({ workload, unit, samples, goals = {}, others = [] }: Line) {
  const [[, own = []] = []] = samples;
  const rates = Object.fromEntries([...samples].map(([name, runs]) => [name, rateOf(runs)]));
  const [, ...peers] = samples.keys();
  const ratios = Object.fromEntries(peers.map(name => [name, rateOf(own) / (rates[name] ?? Number.NaN)]));
  const latencies = own.flatMap(({ latency }) => latency ?? []);
  const latency = latencies.length > 0 && {
    p50: median(latencies.map(({ p50 }) => p50)),
    p99: median(latencies.map(({ p99 }) => p99)),
  };
  const relative = Object.entries(goals).flatMap(([name, least]) => {
    const value = ratios[name];
    return value === undefined ? [] : [{ name: `of ${name}`, value, least }];
  });
  return { workload, unit, rates, ratios, ...(latency && { latency }), goals: [...relative, ...others] };
}

function formatGoal({ name, value, least, most }: Goal): string {
  const bounds = [
    ...(least === undefined ? [] : [`>= ${least}`]),
    ...(most === undefined ? [] : [`<= ${most}`]),
  ];
  const holds = value >= (least ?? Number.NEGATIVE_INFINITY) && value <= (most ?? Number.POSITIVE_INFINITY);
  const verdict = bounds.length === 0 ? '' : holds ? 'holds: ' : 'MISSED: ';
  return `${verdict}${[name, formatNumber(value), ...bounds].join(' ').trim()}`;
}

export const jsonOf = (lines: readonly Line[]): string => JSON.stringify(lines.map(summaryOf), undefined, 2);

export function tableOf(lines: readonly Line[]): string {
  const summaries = lines.map(summaryOf);
  const subjects = [...new Set(summaries.flatMap(({ rates }) => Object.keys(rates)))];
  const header = ['workload', '', ...subjects, 'p50 ms', 'p99 ms', 'goals'];
  const number = (value: number | undefined): string => (value === undefined ? '' : formatNumber(value));
  const rows = summaries.map(({ workload, unit, rates, ratios, latency, goals }) => [
    workload,
    unit,
    ...subjects.map(name => {
      const ratio = ratios[name] === undefined ? '' : ` (${formatNumber(ratios[name])} x)`;
      return `${number(rates[name])}${ratio}`;
    }),
    number(latency?.p50),
    number(latency?.p99),
    goals.map(formatGoal).join(', '),
  ]);
  const all = [header, ...rows];
  const widths = header.map((_, column) => Math.max(...all.map(cells => (cells[column] ?? '').length)));
  return all
    .map(cells =>
      cells
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
