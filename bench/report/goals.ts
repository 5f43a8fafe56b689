// The goals, and whether measurements reach them. Ratios are of medians that were measured in one invocation,
// interleaved; no goal is an absolute throughput, because machines differ and are noisy.
import type { SubjectName, WorkloadName } from '../subjects/subject.js';

/** Shelfmark's rate over another's, at least. */
export const GOALS: Readonly<Partial<Record<WorkloadName, Readonly<Partial<Record<SubjectName, number>>>>>> =
  {
    'point-get': { bare: 0.5, azurite: 10 },
    range: { bare: 0.4, azurite: 20 },
    filter: { lmdb: 1 },
    insert: { lmdb: 0.6, azurite: 6 },
    merge: { lmdb: 0.5, azurite: 6 },
    transaction: { lmdb: 0.5, azurite: 7 },
    download: { bare: 0.7 },
    upload: { bare: 0.7 },
    'upload-blocks': { bare: 0.7 },
  };
/** Without the mapped file. */
export const MEMORY_BYTES_MAX = 200_000_000;
export const READY_MILLISECONDS_MAX = 500;

/** Relative to the driver alone executing the engine's statements. */
export const CLUSTER_MIN = 0.8;
/** Azure's target for a partition, entities a second. */
export const CLUSTER_HOT_MIN = 2000;
/** The most that a read on a cluster may walk. */
export const CLUSTER_TOMBSTONES_MAX = 1000;

export interface Verdict {
  readonly goal: string;
  readonly value: number;
  readonly holds: boolean;
}

export const atLeast = (value: number, least: number, unit = ''): Verdict => ({
  goal: `>= ${least}${unit}`,
  value,
  holds: value >= least,
});

export const atMost = (value: number, most: number, unit = ''): Verdict => ({
  goal: `<= ${most}${unit}`,
  value,
  holds: value <= most,
});

/** Two cells of a table: the goal, and whether it is reached. */
export const verdictCells = (verdict: Verdict | undefined): string[] =>
  verdict === undefined ? ['', ''] : [verdict.goal, verdict.holds ? 'holds' : 'MISSED'];
