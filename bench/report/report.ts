// The result of a run: one table of rates, and of Shelfmark's rate over that of each peer.
import { median } from '../load/statistics.js';
import { type Sample, SUBJECTS, type SubjectName, unitOf, type WorkloadName } from '../subjects/subject.js';
import { formatNumber, textTable } from '../text-table.js';
import { atMost, GOALS, MEMORY_BYTES_MAX, READY_MILLISECONDS_MAX } from './goals.js';

export interface Measured {
  readonly workload: WorkloadName;
  readonly samples: ReadonlyMap<SubjectName, readonly Sample[]>;
}

export interface Results {
  readonly measured: readonly Measured[];
  /** Of Shelfmark, bytes without the mapped data; undefined where the system does not report it. */
  readonly memory: number | undefined;
  /** Milliseconds from a start on the loaded data to the ready line. */
  readonly ready: number;
}

const PEERS = SUBJECTS.filter(name => name !== 'shelfmark');
const HEADER = ['workload', 'shelfmark', '', 'p50 ms', 'p99 ms', ...PEERS.map(name => `of ${name}`), 'goal'];

const rateOf = ({ samples }: Measured, name: SubjectName): number | undefined => {
  const found = samples.get(name);
  return found && median(found.map(({ perSecond }) => perSecond));
};

function latencyOf({ samples }: Measured, share: 'p50' | 'p99'): number | undefined {
  const found = (samples.get('shelfmark') ?? []).flatMap(({ latency }) => latency?.[share] ?? []);
  return found.length === 0 ? undefined : median(found);
}

/** Medians and ratios, as `--json` prints them. */
export const summaryOf = ({ measured, memory, ready }: Results): object => ({
  workloads: measured.map(each => {
    const own = rateOf(each, 'shelfmark') ?? Number.NaN;
    const rates = Object.fromEntries([...each.samples.keys()].map(name => [name, rateOf(each, name)]));
    const ratios = Object.fromEntries(
      PEERS.flatMap(name => {
        const rate = rateOf(each, name);
        return rate === undefined ? [] : [[name, own / rate]];
      }),
    );
    const latency = { p50: latencyOf(each, 'p50'), p99: latencyOf(each, 'p99') };
    return { workload: each.workload, unit: unitOf(each.workload), rates, ratios, latency };
  }),
  memoryBytes: memory,
  readyMilliseconds: ready,
});

function lineOf(each: Measured): string[] {
  const own = rateOf(each, 'shelfmark') ?? Number.NaN;
  const number = (value: number | undefined): string => (value === undefined ? '' : formatNumber(value));
  const ratios = PEERS.map(name => {
    const rate = rateOf(each, name);
    return rate === undefined ? undefined : own / rate;
  });
  const goals = PEERS.flatMap((name, at) => {
    const [least, ratio] = [GOALS[each.workload]?.[name], ratios[at]];
    if (least === undefined || ratio === undefined) return [];
    return `${ratio >= least ? 'holds' : 'MISSED'}: ${least} of ${name}`;
  });
  const latencies = [number(latencyOf(each, 'p50')), number(latencyOf(each, 'p99'))];
  return [
    each.workload,
    number(own),
    unitOf(each.workload),
    ...latencies,
    ...ratios.map(number),
    goals.join(', '),
  ];
}

export function reportOf({ measured, memory, ready }: Results): string {
  const own = [
    ...(memory === undefined
      ? []
      : [['memory', atMost(memory / 1e6, MEMORY_BYTES_MAX / 1e6), 'MB'] as const]),
    ['ready', atMost(ready, READY_MILLISECONDS_MAX), 'ms'] as const,
  ];
  const lines = own.map(([name, { goal, value, holds }, unit]) => [
    name,
    formatNumber(value),
    unit,
    ...HEADER.slice(3, -1).map(() => ''),
    `${holds ? 'holds' : 'MISSED'}: ${goal}`,
  ]);
  return textTable([HEADER, ...measured.map(lineOf), ...lines], 1);
}
