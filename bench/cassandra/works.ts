// What is measured on a cluster, and the plain values that the benchmark and its processes exchange about it.
import type { Latency } from '../load/job.js';

/**
 * `inserts`: single rows of 1 KB by many clients into one partition. `transactions`: 100 rows of 1 KB each, by clients with a partition of their own.
 * `hot-transactions`: the same into one partition. `gets`: one row by its keys. `scan-N`: a whole table of so many partitions.
 */
export const WORKS = [
  'inserts',
  'transactions',
  'hot-transactions',
  'gets',
  'scan-1',
  'scan-1000',
  'scan-100000',
] as const;
export type Work = (typeof WORKS)[number];

export const isWork = (text: string): text is Work => WORKS.some(name => name === text);

/** Partitions of a scanned table; undefined of what is no scan. */
export function partitionsOf(work: Work): number | undefined {
  const [kind, count] = work.split('-');
  return kind === 'scan' ? Number(count) : undefined;
}

/** Clients that each wait for one answer before they ask again. */
export const CLIENTS: Readonly<Record<'inserts' | 'transactions' | 'hot-transactions' | 'gets', number>> = {
  inserts: 256,
  transactions: 8,
  'hot-transactions': 8,
  gets: 64,
};

/** A table, and the id of its space. */
export interface Table {
  readonly name: string;
  readonly sid: number;
}

/** What a process is asked to measure. */
export interface WorkJob {
  readonly work: Work;
  readonly table: Table;
  /** Of a row that is written, in base64. */
  readonly value: string;
  /** Of the table. */
  readonly rows: number;
  readonly milliseconds: number;
}

/** Rows for a scan, written as the engine would leave them. */
export interface FillJob {
  readonly fill: true;
  readonly table: Table;
  readonly rows: number;
  readonly partitions: number;
  /** In base64; they are used in turn. */
  readonly values: readonly string[];
}

/** The id of a table's space, and the values of its first rows in base64. */
export interface LookJob {
  readonly look: true;
  readonly table: string;
}

export interface Looked {
  readonly sid: number;
  readonly values: readonly string[];
}

/** Removes the keyspace. */
export interface EndJob {
  readonly end: true;
}

export type Job = WorkJob | FillJob | LookJob | EndJob;

export interface WorkResult {
  /** Rows. */
  readonly rows: number;
  readonly milliseconds: number;
  /** Of the process's processors. */
  readonly processorMilliseconds: number;
  readonly latency: Latency;
}

/** Both subjects in a process of their own: the engine, and the driver alone. */
export interface Subject {
  work(job: WorkJob): Promise<Done>;
  fill(job: FillJob): Promise<void>;
  look(job: LookJob): Promise<Looked>;
  end(): Promise<void>;
  close(): Promise<void>;
}

/** Rows that were done, and how long each request took. */
export interface Done {
  readonly rows: number;
  readonly latency: Latency;
}
