// The works that are measured on a cluster, and the plain values that the benchmark and its processes exchange.
import type { Latency } from '../load/job.js';

/**
 * `inserts`: single rows of 1 KB by many clients into one partition. `transactions`: 100 rows of 1 KB each, by clients with a partition of their own.
 * `hot-transactions`: the same into one partition. `gets`: one row by its keys, all of one partition. `spread-gets`: the same of a
 * thousand partitions. `scan-N`: a whole table of so many partitions. `queue`: messages of a short queue, of a long one, and of that after most were deleted.
 */
export const WORKS = [
  'inserts',
  'transactions',
  'hot-transactions',
  'gets',
  'spread-gets',
  'scan-1',
  'scan-1000',
  'scan-100000',
  'queue',
] as const;
export type Work = (typeof WORKS)[number];
export type RateWork = Exclude<Work, 'queue'>;

export const isWork = (text: string): text is Work => WORKS.some(name => name === text);

export const isRateWork = (work: Work): work is RateWork => work !== 'queue';

/** Partitions of a scanned table; undefined for other works. */
export function partitionsOf(work: RateWork): number | undefined {
  const [kind, count] = work.split('-');
  return kind === 'scan' ? Number(count) : undefined;
}

/** Clients that each wait for one answer before they ask again. */
export const CLIENTS: Readonly<
  Record<'inserts' | 'transactions' | 'hot-transactions' | 'gets' | 'spread-gets', number>
> = {
  inserts: 256,
  transactions: 8,
  'hot-transactions': 8,
  gets: 64,
  'spread-gets': 64,
};

/** For `spread-gets`: those of a row, as fill jobs name them. */
export const SPREAD_PARTITIONS = 1000;
const SPREAD_ROWS = 20;
export const spreadPartition = (row: number): string =>
  `p${String(Math.floor(row / SPREAD_ROWS)).padStart(6, '0')}`;

/** A table, and the id of its space. */
export interface Table {
  readonly name: string;
  readonly sid: number;
}

/** What a process is asked to measure. */
export interface WorkJob {
  readonly work: RateWork;
  readonly table: Table;
  /** The value of a written row, in base64. */
  readonly value: string;
  /** Number of rows in the table. */
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

/** Makes a table of that name. */
export interface CreateJob {
  readonly create: string;
}

/** The id of the table's space. */
export interface Created {
  readonly sid: number;
}

/** The values of a table's first rows in base64. */
export interface LookJob {
  readonly look: true;
  readonly table: string;
}

export interface Looked {
  readonly values: readonly string[];
}

/** The first messages of a queue that has none, as the engine would leave them. */
export interface QueueFillJob {
  readonly fillQueue: Queue;
  readonly messages: number;
}

/**
 * Deletes the messages with these numbers, half-open, as many deletes would; between them it looks for the first, as a
 * get does.
 */
export interface QueueDrainJob {
  readonly drain: string;
  readonly from: number;
  readonly until: number;
}

/** Where its messages are. */
export interface QueueLookJob {
  readonly lookAtQueue: string;
}

export interface Queue {
  readonly sid: number;
  readonly partition: string;
}

/** Asks the nodes for the most tombstones that a read walked in the last minutes. */
interface WalkedJob {
  readonly walked: true;
}

export interface Walked {
  readonly tombstones: number;
}

/** Removes the keyspace. */
interface EndJob {
  readonly end: true;
}

/** The steps of `queue`. */
export type QueueStepJob = QueueFillJob | QueueDrainJob | QueueLookJob | WalkedJob;

export type Job = WorkJob | FillJob | CreateJob | LookJob | EndJob | { readonly queue: QueueStepJob };

export interface WorkResult {
  /** Rows. */
  readonly rows: number;
  readonly milliseconds: number;
  readonly latency: Latency;
}

/** Both subjects in a process of their own: the engine, and the driver alone. */
export interface Subject {
  work(job: WorkJob): Promise<Done>;
  fill(job: FillJob): Promise<void>;
  queue(job: QueueStepJob): Promise<object>;
  create(job: CreateJob): Promise<Created>;
  look(job: LookJob): Promise<Looked>;
  end(): Promise<void>;
  close(): Promise<void>;
}

/** Rows that were done, and how long each request took. */
export interface Done {
  readonly rows: number;
  readonly latency: Latency;
}
