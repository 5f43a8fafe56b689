// What the benchmark compares: subjects that can do some of the workloads, each in a process of its own.
import type { JobResult, Latency } from '../load/job.js';
import { GROUP_ROWS, MEMBERS, PARTITION_ROWS } from '../load/template.js';
import type { ServerProcess } from './server-process.js';

export const SUBJECTS = ['shelfmark', 'azurite', 'bare', 'lmdb'] as const;
export type SubjectName = (typeof SUBJECTS)[number];

export const WORKLOADS = ['point-get', 'insert', 'merge', 'transaction', 'range', 'filter'] as const;
export type WorkloadName = (typeof WORKLOADS)[number];

export const isSubject = (text: string): text is SubjectName => SUBJECTS.some(name => name === text);
export const isWorkload = (text: string): text is WorkloadName => WORKLOADS.some(name => name === text);

export interface Sample {
  /** In the workload's unit: requests, entities or rows examined. */
  readonly perSecond: number;
  readonly latency: Latency;
}

export interface Contestant {
  /** A subject's name, or one that distinguishes two of a kind. */
  readonly name: string;
  /** Paused while others are measured; the first one's memory is the subject's. */
  readonly processes: readonly ServerProcess[];
  /** Where the subject maps files into memory; read before each run (warm.ts). */
  readonly data?: string | undefined;
  /** Leaves the subject with the rows that it had. Fails with `WrongAnswer` if the subject answers wrongly. */
  run(workload: WorkloadName, milliseconds: number): Promise<Sample>;
  can(workload: WorkloadName): boolean;
  stop(): Promise<void>;
}

/** The units of one request: for a filter the rows that it has to examine. */
export function unitsOf(workload: WorkloadName, rows: number): number {
  switch (workload) {
    case 'point-get':
    case 'insert':
    case 'merge':
      return 1;
    case 'transaction':
      return MEMBERS;
    case 'range':
      return GROUP_ROWS;
    case 'filter':
      return Math.min(rows, PARTITION_ROWS);
  }
}

export const sampleOf = (
  { completed, milliseconds, latency }: Pick<JobResult, 'completed' | 'milliseconds' | 'latency'>,
  workload: WorkloadName,
  rows: number,
): Sample => ({ perSecond: (completed * unitsOf(workload, rows) * 1000) / milliseconds, latency });
