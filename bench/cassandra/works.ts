// The works that are measured on a cluster.

/**
 * `inserts`: single rows of 1 KB by many clients into one partition. `transactions`: 100 rows of 1 KB each, by clients
 * with a partition of their own. `hot-transactions`: the same into one partition. `gets`: one row by its keys, all of
 * one partition. `spread-gets`: the same of a thousand partitions. `scan-N`: a whole table of so many partitions.
 * `queue`: messages of a short queue, of a long one, and of that after most were deleted.
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

/** Rows of tables that are read by their keys. */
export const READ_ROWS = 20_000;

export type Shape =
  /** Clients that each wait for one commit before the next, of so many rows into one of the partitions. */
  | { readonly kind: 'write'; readonly clients: number; readonly size: number; readonly partitions: number }
  | { readonly kind: 'read'; readonly clients: number; readonly partitionRows: number }
  | { readonly kind: 'scan'; readonly partitionRows: number };

const SHAPES: Readonly<Record<string, Shape>> = {
  inserts: { kind: 'write', clients: 256, size: 1, partitions: 1 },
  transactions: { kind: 'write', clients: 8, size: 100, partitions: 8 },
  'hot-transactions': { kind: 'write', clients: 8, size: 100, partitions: 1 },
  gets: { kind: 'read', clients: 64, partitionRows: READ_ROWS },
  'spread-gets': { kind: 'read', clients: 64, partitionRows: READ_ROWS / 1000 },
};

/** What a work does; `rows` are those of a scanned table. */
export const shapeOf = (work: RateWork, rows: number): Shape =>
  SHAPES[work] ?? { kind: 'scan', partitionRows: Math.max(1, rows / Number(work.slice('scan-'.length))) };
