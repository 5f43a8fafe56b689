// What the benchmark compares: subjects that can do some of the workloads, each in a process of its own.
import type { Latency } from '../load/job.js';
import type { ServerProcess } from './server-process.js';

export const SUBJECTS = ['shelfmark', 'azurite', 'bare', 'lmdb'] as const;
export type SubjectName = (typeof SUBJECTS)[number];

/** Reads of rows come before writes, which stay: every subject reads the same table. */
export const WORKLOADS = [
  'point-get',
  'range',
  'filter',
  'insert',
  'merge',
  'transaction',
  'blob-get',
  'blob-put',
  'download',
  'upload',
  'upload-blocks',
  'queue-put',
  'queue-take',
] as const;
export type WorkloadName = (typeof WORKLOADS)[number];

export const isSubject = (text: string): text is SubjectName => SUBJECTS.some(name => name === text);
export const isWorkload = (text: string): text is WorkloadName => WORKLOADS.some(name => name === text);

/** In the units of the result: requests, or megabytes for transfers. */
export const unitOf = (workload: WorkloadName): string =>
  workload === 'download' || workload.startsWith('upload') ? 'MB/s' : '/s';

export interface Sample {
  readonly perSecond: number;
  /** Absent for transfers. */
  readonly latency?: Latency;
}

export interface Subject {
  readonly name: SubjectName;
  /** Paused while others are measured. */
  readonly process: ServerProcess;
  can(workload: WorkloadName): boolean;
  /** Fails with `WrongAnswer` if the subject answers wrongly. */
  run(workload: WorkloadName, milliseconds: number): Promise<Sample>;
}
