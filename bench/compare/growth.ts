// Growth: two servers of Shelfmark, one with 100 k rows and one with many, in rotation. The cost of a request must not
// depend on rows that it does not ask for.
import { atMost, GROWTH_MAX, type Verdict, verdictCells } from '../report/goals.js';
import { Arena } from '../subjects/arena.js';
import type { WorkloadName } from '../subjects/contestant.js';
import { formatCount, formatNumber, textTable } from '../text-table.js';
import type { ComparisonOptions } from './comparison.js';
import { contest } from './contest.js';
import { type MemoryMetrics, memoryMetrics, type Ready, readyMetrics, workloadMetrics } from './metrics.js';
import { tableReport } from './table-report.js';

export const GROWTH_BASE_ROWS = 100_000;
/** Above this many rows only growth is measured: the peers cannot be loaded in reasonable time. */
export const GROWTH_ROWS_FROM = 1_000_000;
/** A filter's cost depends on the partition that it scans, which is the same in both. */
const GROWING: readonly WorkloadName[] = ['point-get', 'insert', 'merge', 'transaction', 'range'];

interface GrowthMetrics {
  readonly workload: WorkloadName;
  readonly perSecond: readonly [base: number, grown: number];
  /** Cost of a request at many rows over its cost at few. */
  readonly verdict: Verdict;
}

export interface Growth {
  readonly rows: number;
  readonly workloads: readonly GrowthMetrics[];
  readonly memory: readonly MemoryMetrics[];
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
  const metrics = workloadMetrics(held, rows);
  const medianOf = (workload: WorkloadName, size: number): number =>
    metrics.find(each => each.workload === workload && each.subject === nameOf(size))?.perSecond ??
    Number.NaN;
  const ready: Ready[] = [];
  for (const [index, arena] of arenas.entries()) {
    await arena.stop();
    ready.push(readyMetrics(nameOf(sizes[index] ?? 0), await arena.readyTimes('shelfmark', options.runs)));
  }
  return {
    rows,
    workloads: workloads.map(workload => {
      const perSecond = [medianOf(workload, GROWTH_BASE_ROWS), medianOf(workload, rows)] as const;
      return { workload, perSecond, verdict: atMost(perSecond[0] / perSecond[1], GROWTH_MAX) };
    }),
    memory: memoryMetrics(held),
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
      `${formatNumber(verdict.value)} x`,
      ...verdictCells(verdict),
    ]),
  ];
  return `${textTable(lines, 1)}\n\n${tableReport({ rows, workloads: [], memory, ready })}`;
}
