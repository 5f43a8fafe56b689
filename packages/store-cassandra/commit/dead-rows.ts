// Runs of dead rows in a page of a partition. partition-commits.ts decides what happens to them.
import type { Row } from '#store';
import { DEAD } from '../layout/schema.js';

/** As it is stored: a row, or a dead one in its place. */
export type StoredRow = Pick<Row, 'key' | 'version'>;

export const isLive = ({ version }: Pick<Row, 'version'>): boolean => version !== DEAD;

/** The first key after a key. */
export const after = (key: string): string => `${key}\u0000`;

/** Those before the first row. */
export function deadAtStart(rows: readonly StoredRow[]): readonly StoredRow[] {
  const end = rows.findIndex(isLive);
  return end === -1 ? rows : rows.slice(0, end);
}

/** Where the first run of at least `least` begins: behind the row before it, or at the start of the page. */
export function deadFrom(rows: readonly StoredRow[], start: string, least: number): string | undefined {
  let from = start;
  let count = 0;
  for (const row of rows) {
    count = isLive(row) ? 0 : count + 1;
    if (count === least) return from;
    if (count === 0) from = after(row.key);
  }
  return undefined;
}
