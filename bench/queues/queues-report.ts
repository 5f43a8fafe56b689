// The tables of the Queue service's measurements, against the goals.
import {
  atLeast,
  atMost,
  QUEUE_DEPTH_MAX,
  QUEUE_PUT_MIN,
  QUEUE_TAKE_MIN,
  type Verdict,
  verdictCells,
} from '../report/goals.js';
import { formatCount, formatNumber, textTable } from '../text-table.js';
import type { DepthCost, Queues, Rate, RateWork, Reclaiming } from './queues.js';

const NAMES: Readonly<Record<RateWork, string>> = {
  insert: 'insert of a row',
  put: 'put',
  take: 'get + delete',
};

const GOALS: Readonly<Partial<Record<RateWork, number>>> = { put: QUEUE_PUT_MIN, take: QUEUE_TAKE_MIN };
const STEPS = ['put', 'get', 'delete'] as const;

function rateLines(rates: readonly Rate[]): string[][] {
  const ours = (work: RateWork): number =>
    rates.find(rate => rate.subject === 'shelfmark' && rate.work === work)?.perSecond ?? Number.NaN;
  return rates.map(({ subject, work, perSecond, p50, p99 }) => {
    const goal = subject === 'shelfmark' ? GOALS[work] : undefined;
    const ofInsert = perSecond / ours('insert');
    return [
      NAMES[work],
      subject,
      formatCount(perSecond),
      formatNumber(p50),
      formatNumber(p99),
      subject === 'shelfmark' ? '' : `${formatNumber(ours(work) / perSecond)} x`,
      `${formatNumber(ofInsert)} x`,
      ...verdictCells(goal === undefined ? undefined : atLeast(ofInsert, goal)),
    ];
  });
}

/** The cost of a cycle at this depth over the cost at the first. */
function depthVerdict(cost: DepthCost, all: readonly DepthCost[]): Verdict | undefined {
  const first = all.find(({ subject }) => subject === cost.subject);
  if (first === undefined || first === cost) return undefined;
  const cycles = first.cyclesPerSecond / cost.cyclesPerSecond;
  const steps = STEPS.map(step => cost.p50[step] / first.p50[step]);
  return atMost(Math.max(cycles, ...steps), QUEUE_DEPTH_MAX);
}

const depthLines = (depths: readonly DepthCost[]): string[][] =>
  depths.map(cost => {
    const verdict = depthVerdict(cost, depths);
    return [
      formatCount(cost.depth),
      cost.subject,
      formatCount(cost.cyclesPerSecond),
      ...STEPS.map(step => formatNumber(cost.p50[step])),
      verdict === undefined ? '' : `${formatNumber(verdict.value)} x`,
      ...verdictCells(cost.subject === 'shelfmark' ? verdict : undefined),
    ];
  });

const reclaimingLines = ({ before, meanwhile }: Reclaiming): string[][] =>
  STEPS.map(step => [
    step,
    ...[before[step]?.p999, before[step]?.max, meanwhile[step]?.p999, meanwhile[step]?.max].map(value =>
      formatNumber(value ?? Number.NaN),
    ),
  ]);

export function queuesReport({ rates, depths, reclaiming }: Queues): string {
  const rateHeader = ['queues', 'subject', 'per second', 'p50 ms', 'p99 ms', 'shelfmark is', 'of our insert'];
  const depthHeader = ['messages', 'subject', 'cycles/s', 'put p50 ms', 'get', 'delete', 'cost at most'];
  const reclaimHeader = ['cycles on another queue', 'p99.9 ms', 'max ms', 'meanwhile p99.9', 'max'];
  const seconds = formatNumber(reclaiming.seconds);
  return [
    textTable([[...rateHeader, 'goal', ''], ...rateLines(rates)], 2),
    textTable([[...depthHeader, 'goal', ''], ...depthLines(depths)], 2),
    `${formatCount(reclaiming.messages)} messages expired and were reclaimed within ${seconds} s`,
    textTable([reclaimHeader, ...reclaimingLines(reclaiming)], 1),
  ].join('\n\n');
}
