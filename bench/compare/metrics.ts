// Metrics from the samples of a contest: medians, ratios of Shelfmark to the others, and whether they reach the goals.
import { median } from '../load/statistics.js';
import { besideData } from '../machine/process-status.js';
import {
  atMost,
  judgeRatio,
  MEMORY_BYTES_MAX,
  READY_MILLISECONDS_MAX,
  type Verdict,
} from '../report/goals.js';
import type { Sample, WorkloadName } from '../subjects/contestant.js';
import type { Contest, MemorySeen } from './contest.js';

export interface Metrics {
  readonly workload: WorkloadName;
  readonly subject: string;
  /** The median, the lowest and the highest of the runs. */
  readonly perSecond: number;
  readonly lowest: number;
  readonly highest: number;
  /** Medians over the runs, milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Shelfmark's median over this one's. */
  readonly ratio?: number;
  readonly verdict?: Verdict;
}

export interface Ready {
  readonly subject: string;
  /** Milliseconds. */
  readonly times: readonly number[];
  readonly median: number;
  readonly verdict?: Verdict;
}

export interface MemoryMetrics extends MemorySeen {
  readonly subject: string;
  readonly verdict?: Verdict;
}

export interface TableMetrics {
  readonly rows: number;
  readonly workloads: readonly Metrics[];
  readonly memory: readonly MemoryMetrics[];
  readonly ready: readonly Ready[];
}

const US = 'shelfmark';
const MEGABYTE = 1_000_000;

function metricsOf(workload: WorkloadName, subject: string, samples: readonly Sample[]): Metrics {
  const rates = samples.map(({ perSecond }) => perSecond);
  return {
    workload,
    subject,
    perSecond: median(rates),
    lowest: Math.min(...rates),
    highest: Math.max(...rates),
    p50: median(samples.map(({ latency }) => latency.p50)),
    p99: median(samples.map(({ latency }) => latency.p99)),
  };
}

function compare(metrics: Metrics, ours: Metrics | undefined, rows: number): Metrics {
  if (ours === undefined || metrics.subject === US) return metrics;
  const ratio = ours.perSecond / metrics.perSecond;
  const verdict = judgeRatio(metrics.workload, metrics.subject, rows, ratio);
  return verdict ? { ...metrics, ratio, verdict } : { ...metrics, ratio };
}

export function workloadMetrics({ samples }: Contest, rows: number): readonly Metrics[] {
  return [...samples].flatMap(([workload, bySubject]) => {
    const all = [...bySubject].map(([subject, runs]) => metricsOf(workload, subject, runs));
    const ours = all.find(({ subject }) => subject === US);
    return all.map(metrics => compare(metrics, ours, rows));
  });
}

export const memoryMetrics = ({ memory }: Contest): readonly MemoryMetrics[] =>
  [...memory].map(([subject, seen]) =>
    subject.startsWith(US)
      ? {
          subject,
          ...seen,
          verdict: atMost(besideData(seen.peak) / MEGABYTE, MEMORY_BYTES_MAX / MEGABYTE, ' MB'),
        }
      : { subject, ...seen },
  );

export function readyMetrics(subject: string, times: readonly number[]): Ready {
  const ready = { subject, times, median: median(times) };
  return subject.startsWith(US)
    ? { ...ready, verdict: atMost(ready.median, READY_MILLISECONDS_MAX, ' ms') }
    : ready;
}
