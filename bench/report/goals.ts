// The goals, and whether measurements reach them. Ratios are of medians that were measured in one invocation,
// interleaved; no goal is an absolute throughput, because machines differ and are noisy.
import type { SubjectName, WorkloadName } from '../subjects/contestant.js';

interface RatioGoal {
  readonly workload: WorkloadName;
  readonly against: SubjectName;
  /** Shelfmark's throughput over the other's. */
  readonly atLeast: number;
  /** Holds for tables of this many rows, half-open. */
  readonly rows?: { readonly from: number; readonly until: number };
}

/** From here on Azurite is so slow that the goal is higher. */
const LARGE_ROWS = 300_000;
const SMALL = { from: 0, until: LARGE_ROWS };
const LARGE = { from: LARGE_ROWS, until: Number.POSITIVE_INFINITY };

export const RATIO_GOALS: readonly RatioGoal[] = [
  { workload: 'point-get', against: 'bare', atLeast: 0.5 },
  { workload: 'point-get', against: 'azurite', atLeast: 10, rows: SMALL },
  { workload: 'point-get', against: 'azurite', atLeast: 35, rows: LARGE },
  { workload: 'insert', against: 'lmdb', atLeast: 0.6 },
  { workload: 'insert', against: 'azurite', atLeast: 6 },
  { workload: 'merge', against: 'lmdb', atLeast: 0.5 },
  { workload: 'merge', against: 'azurite', atLeast: 6 },
  { workload: 'transaction', against: 'lmdb', atLeast: 0.5 },
  { workload: 'transaction', against: 'azurite', atLeast: 7 },
  { workload: 'range', against: 'bare', atLeast: 0.4 },
  { workload: 'range', against: 'azurite', atLeast: 20 },
  { workload: 'filter', against: 'lmdb', atLeast: 1 },
];

/** Tables that the goals for ratios are stated for. */
export const GOAL_ROWS: readonly number[] = [20_000, 300_000];
/** Without the mapped file. */
export const MEMORY_BYTES_MAX = 200_000_000;
export const READY_MILLISECONDS_MAX = 500;
/** Cost of a request at many rows over its cost at 100 k. */
export const GROWTH_MAX = 1.2;
/** For a mixed load at a third of the peak. */
export const MIXED_P999_MILLISECONDS_MAX = 20;

/** Relative to the table service's rate of inserts. */
export const QUEUE_PUT_MIN = 0.7;
export const QUEUE_TAKE_MIN = 0.35;
/** Cost of an operation at any length of the queue over its cost at the shortest. */
export const QUEUE_DEPTH_MAX = 1.3;

/** Relative to the entity's insert, and to its point get. */
export const SMALL_BLOB_MIN = 0.7;
/** Relative to the rate of inserts. */
export const APPEND_MIN = 0.7;
/** Relative to bare node:http that sends a file. */
export const DOWNLOAD_MIN = 0.7;
/** Relative to writing and syncing the same bytes by node:fs. */
export const UPLOAD_MIN = 0.6;
/** Relative to Azurite's rate. */
export const LIST_MIN = 10;
/** For a server with sixteen concurrent transfers, above its memory before. */
export const TRANSFER_MEGABYTES_MAX = 100;
/** The 99th percentile of point gets while 100 MB a second are uploaded, over that of a quiet server. */
export const TAIL_GROWTH_MAX = 2;
/** By a prefix of an hour among a million blobs. */
export const PREFIX_LIST_MILLISECONDS_MAX = 10;

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

/** Undefined where there is no goal. */
export function judgeRatio(
  workload: WorkloadName,
  against: string,
  rows: number,
  ratio: number,
): Verdict | undefined {
  const goal = RATIO_GOALS.find(
    each =>
      each.workload === workload &&
      each.against === against &&
      rows >= (each.rows?.from ?? 0) &&
      rows < (each.rows?.until ?? Number.POSITIVE_INFINITY),
  );
  return goal && atLeast(ratio, goal.atLeast);
}

/** Two cells of a table: the goal, and whether it is reached. */
export const verdictCells = (verdict: Verdict | undefined): string[] =>
  verdict === undefined ? ['', ''] : [verdict.goal, verdict.holds ? 'holds' : 'MISSED'];
