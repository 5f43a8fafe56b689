// The tables of the mixed load, and the machine's behaviour during it. mixed.ts computes metrics and verdicts.
import type { Latency } from '../load/job.js';
import { isWatched, type Machine } from '../machine/machine-watch.js';
import type { Watched } from '../machine/sentinel.js';
import { verdictCells } from '../report/goals.js';
import { formatCount, formatMegabytes, formatNumber, formatPercent, textTable } from '../text-table.js';
import { PAGES_A_SYNC } from './machine-alone.js';
import type { Mixed, Phase } from './mixed.js';

const cells = ({ p50, p99, p999, max }: Latency): string[] => [p50, p99, p999, max].map(formatNumber);

const NO_LATENCY: Latency = { p50: Number.NaN, p99: Number.NaN, p999: Number.NaN, max: Number.NaN };

function undisturbedLines({ undisturbed }: Phase): readonly string[][] {
  if (undisturbed === undefined) return [];
  const { share, latency = NO_LATENCY, latencyOf, verdict } = undisturbed;
  return [
    [`  undisturbed: ${formatPercent(share)}`, '', ...cells(latency), ...verdictCells(verdict)],
    ...Object.entries(latencyOf).map(([asked, of]) => [`    ${asked}`, '', ...cells(of)]),
  ];
}

function phaseLines(phase: Phase): readonly string[][] {
  const { name, perSecond, latency, latencyOf, verdict, memory } = phase;
  return [
    [
      name,
      formatCount(perSecond),
      ...cells(latency),
      ...verdictCells(verdict),
      ...memory.map(formatMegabytes),
    ],
    ...Object.entries(latencyOf).map(([asked, of]) => [`  ${asked}`, '', ...cells(of)]),
    ...undisturbedLines(phase),
  ];
}

const PRIORITIES: Readonly<Record<Watched['priority'], string>> = {
  'real-time': 'real-time',
  high: 'at high priority',
  normal: 'at normal priority',
};

const describe = ({ priority, isPinned, lost }: Watched): string =>
  `${PRIORITIES[priority]} and ${isPinned ? 'pinned' : 'not pinned'}${lost === undefined ? '' : `, lost (${lost})`}`;

/** As `2 sentinels, real-time and pinned`; differing ones separately. */
function sentinelsText(sentinels: readonly Watched[]): string {
  const counts = new Map<string, number>();
  for (const each of sentinels) counts.set(describe(each), (counts.get(describe(each)) ?? 0) + 1);
  const texts = [...counts].map(([text, count]) => `${count} sentinel${count === 1 ? '' : 's'}, ${text}`);
  if (sentinels.some(({ priority }) => priority !== 'real-time'))
    texts.push('without real-time priority the load itself can be what delays them');
  const costs = sentinels.flatMap(({ cost }) => cost ?? []);
  if (costs.length > 0) texts.push(`at most ${formatPercent(Math.max(...costs))} of a processor each`);
  return texts.join('; ');
}

/** A line. */
export function machineText(machine: Machine): string {
  const { sentinels, pauses, longest, share, stolen, thieving } = machine;
  const count = `${formatCount(pauses)} pause${pauses === 1 ? '' : 's'}`;
  const metrics = `${count}, the longest ${formatNumber(longest)} ms, ${formatPercent(share)} of the time`;
  const stealTime =
    stolen === undefined
      ? 'steal time unknown'
      : `${formatPercent(stolen)} steal time, in ${formatPercent(thieving)} of the time`;
  const doubt = isWatched(machine) ? '' : 'nobody watched to the end: ';
  return `${doubt}${metrics}; ${stealTime} (${sentinelsText(sentinels)})`;
}

export function mixedReport({ rows, alone, phases }: Mixed): string {
  const header = ['mixed load', 'per second', 'p50 ms', 'p99 ms', 'p99.9 ms', 'max ms', 'goal of p99.9', ''];
  const memory = ['memory at first', 'highest', 'at last'];
  const before = [
    [`the disk alone, ${PAGES_A_SYNC} pages a sync`, '', ...cells(alone.sync)],
    ['a timer meanwhile', '', ...cells(alone.timer)],
  ];
  const table = textTable([[...header, ...memory], ...phases.flatMap(phaseLines), ...before], 1);
  const machine = phases.map(phase => `the machine, ${phase.name}: ${machineText(phase.machine)}`);
  return `${formatCount(rows)} rows\n\n${table}\n\n${machine.join('\n')}`;
}
