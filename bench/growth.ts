// Growth: two servers of Shelfmark, one with 100 k rows and one with many, by turns. What a request costs must not depend
// on the rows that are not asked for.
import { Arena } from './arena.js';
import type { ComparisonOptions } from './comparison.js';
import { contest } from './contest.js';
import type { WorkloadName } from './contestant.js';
import { type MemoryFigures, memoryFigures, type Ready, readyFigures, workloadFigures } from './figures.js';
import { atMost, GROWTH_MAX, type Verdict } from './goals.js';
import { tableReport, verdictCells } from './report.js';
import { formatCount, formatFigure, textTable } from './text-table.js';

export const GROWTH_BASE_ROWS = 100_000;
/** Above so many rows nothing but growth is measured: the peers cannot be loaded in reasonable time. */
export const GROWTH_ROWS_FROM = 1_000_000;
/** A filter's cost is that of the partition it goes over, which is the same in both. */
const GROWING: readonly WorkloadName[] = ['point-get', 'insert', 'merge', 'transaction', 'range'];

interface GrowthFigures {
  readonly workload: WorkloadName;
  readonly perSecond: readonly [base: number, grown: number];
  /** Cost of a request at many rows over its cost at few. */
  readonly verdict: Verdict;
}

export interface Growth {
  readonly rows: number;
  readonly workloads: readonly GrowthFigures[];
  readonly memory: readonly MemoryFigures[];
  readonly ready: readonly Ready[];
  readonly samples: object;
}

const nameOf = (rows: number): string => `shelfmark, ${formatCount(rows)} rows`;

export async function measureGrowth(rows: number, options: ComparisonOptions): Promise<Growth> {
  const sizes = [GROWTH_BASE_ROWS, rows];
  const arenas = sizes.map(size => new Arena(size, options));
  for (const [index, arena] of arenas.entries()) await arena.addShelfmark(nameOf(sizes[index] ?? 0));
  const contestants = arenas.flatMap(arena => arena.contestants);
  const workloads = options.workloads.filter(workload => GROWING.includes(workload));
  const held = await contest(contestants, { ...options, workloads });
  const figures = workloadFigures(held, rows);
  const medianOf = (workload: WorkloadName, size: number): number =>
    figures.find(each => each.workload === workload && each.subject === nameOf(size))?.perSecond ??
    Number.NaN;
  const ready: Ready[] = [];
  for (const [index, arena] of arenas.entries()) {
    await arena.stop();
    ready.push(readyFigures(nameOf(sizes[index] ?? 0), await arena.readyTimes('shelfmark', options.runs)));
  }
  return {
    rows,
    workloads: workloads.map(workload => {
      const perSecond = [medianOf(workload, GROWTH_BASE_ROWS), medianOf(workload, rows)] as const;
      return { workload, perSecond, verdict: atMost(perSecond[0] / perSecond[1], GROWTH_MAX) };
    }),
    memory: memoryFigures(held),
    ready,
    samples: Object.fromEntries(
      [...held.samples].map(([workload, bySubject]) => [workload, Object.fromEntries(bySubject)]),
    ),
  };
}

export function growthReport({ rows, workloads, memory, ready }: Growth): string {
  const lines = [
    ['growth', 'per second at 100,000', `at ${formatCount(rows)}`, 'cost', 'goal', ''],
    ...workloads.map(({ workload, perSecond, verdict }) => [
      workload,
      ...perSecond.map(formatCount),
      `${formatFigure(verdict.value)} x`,
      ...verdictCells(verdict),
    ]),
  ];
  return `${textTable(lines, 1)}\n\n${tableReport({ rows, workloads: [], memory, ready })}`;
}
