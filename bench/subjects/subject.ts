// What the benchmark compares: subjects that can do some of the workloads, and the goals: Shelfmark's rate over another's, at least. Ratios are
// of medians that were measured in one invocation, interleaved; no goal is an absolute throughput, because machines differ and are noisy.
import type { Latency } from '../load/autocannon.js';
import type { ServerProcess } from './server-process.js';

export const SUBJECTS = ['shelfmark', 'azurite', 'bare', 'lmdb'] as const;
export type SubjectName = (typeof SUBJECTS)[number];

interface Workload {
  /** In addition to Shelfmark and Azurite. */
  readonly peers: readonly ('bare' | 'lmdb')[];
  readonly goals: Readonly<Partial<Record<SubjectName, number>>>;
}

/** Reads of rows come before writes, which stay: every subject reads the same table. */
const TABLE = {
  'point-get': { peers: ['bare', 'lmdb'], goals: { bare: 0.5, azurite: 10 } },
  range: { peers: ['bare', 'lmdb'], goals: { bare: 0.4, azurite: 20 } },
  filter: { peers: ['lmdb'], goals: { lmdb: 1 } },
  insert: { peers: ['lmdb'], goals: { lmdb: 0.6, azurite: 6 } },
  merge: { peers: ['lmdb'], goals: { lmdb: 0.5, azurite: 6 } },
  transaction: { peers: ['lmdb'], goals: { lmdb: 0.5, azurite: 7 } },
  'blob-get': { peers: ['bare'], goals: {} },
  'blob-put': { peers: [], goals: {} },
  download: { peers: ['bare'], goals: { bare: 0.7 } },
  upload: { peers: ['bare'], goals: { bare: 0.7 } },
  'upload-blocks': { peers: ['bare'], goals: { bare: 0.7 } },
  'queue-put': { peers: [], goals: {} },
  'queue-take': { peers: [], goals: {} },
} as const satisfies Readonly<Record<string, Workload>>;

export type WorkloadName = keyof typeof TABLE;
export const WORKLOADS = Object.keys(TABLE) as readonly WorkloadName[];

export const goalsOf = (workload: WorkloadName): Workload['goals'] => TABLE[workload].goals;

export const takesPart = (subject: SubjectName, workload: WorkloadName): boolean =>
  subject === 'shelfmark' ||
  subject === 'azurite' ||
  (TABLE[workload].peers as Workload['peers']).includes(subject);

export interface Sample {
  /** Requests, or megabytes of transfers. */
  readonly perSecond: number;
  /** Absent for transfers, and without a load generator. */
  readonly latency?: Latency;
}

export interface Subject {
  readonly name: SubjectName;
  /** Paused while others are measured; absent for one in this process. */
  readonly process?: ServerProcess;
  /** Fails if the subject answers wrongly. */
  run(workload: WorkloadName, seconds: number): Promise<Sample>;
  close(): Promise<void>;
}
