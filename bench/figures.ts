// What the samples of a contest come to: medians, what Shelfmark is to the others, and whether that reaches the goals.
import type { Contest, MemorySeen } from './contest.js';
import type { Sample, WorkloadName } from './contestant.js';
import { atMost, judgeRatio, MEMORY_BYTES_MAX, READY_MILLISECONDS_MAX, type Verdict } from './goals.js';
import { besideData } from './process-status.js';
import { median } from './statistics.js';

export interface Figures {
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

export interface MemoryFigures extends MemorySeen {
  readonly subject: string;
  readonly verdict?: Verdict;
}

export interface TableFigures {
  readonly rows: number;
  readonly workloads: readonly Figures[];
  readonly memory: readonly MemoryFigures[];
  readonly ready: readonly Ready[];
}

const US = 'shelfmark';
const MEGABYTE = 1_000_000;

function figuresOf(workload: WorkloadName, subject: string, samples: readonly Sample[]): Figures {
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

function compare(figures: Figures, ours: Figures | undefined, rows: number): Figures {
  if (ours === undefined || figures.subject === US) return figures;
  const ratio = ours.perSecond / figures.perSecond;
  const verdict = judgeRatio(figures.workload, figures.subject, rows, ratio);
  return verdict ? { ...figures, ratio, verdict } : { ...figures, ratio };
}

export function workloadFigures({ samples }: Contest, rows: number): readonly Figures[] {
  return [...samples].flatMap(([workload, bySubject]) => {
    const all = [...bySubject].map(([subject, runs]) => figuresOf(workload, subject, runs));
    const ours = all.find(({ subject }) => subject === US);
    return all.map(figures => compare(figures, ours, rows));
  });
}

export const memoryFigures = ({ memory }: Contest): readonly MemoryFigures[] =>
  [...memory].map(([subject, seen]) =>
    subject.startsWith(US)
      ? {
          subject,
          ...seen,
          verdict: atMost(besideData(seen.peak) / MEGABYTE, MEMORY_BYTES_MAX / MEGABYTE, ' MB'),
        }
      : { subject, ...seen },
  );

export function readyFigures(subject: string, times: readonly number[]): Ready {
  const ready = { subject, times, median: median(times) };
  return subject.startsWith(US)
    ? { ...ready, verdict: atMost(ready.median, READY_MILLISECONDS_MAX, ' ms') }
    : ready;
}
