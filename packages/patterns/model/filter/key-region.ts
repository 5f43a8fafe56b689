// Sets of rows by their keys: an interval of partition keys and one of row keys, which classify.ts derives from a condition. Of other properties it
// records only that some are compared.
import type { KeyRange } from '../keys/key-range.js';
import type { Comparison } from './condition.js';

/** Half-open: from the first text that is in it to the first that is not. Without `until` there is no end. Never empty. */
export interface Interval {
  readonly from: string;
  readonly until: string | undefined;
}

export interface Region {
  readonly partition: Interval;
  readonly row: Interval;
  /** Rows of the region may still not match. */
  readonly isFiltered: boolean;
}

export const ALL: Interval = { from: '', until: undefined };
export const WHOLE_TABLE: Region = { partition: ALL, row: ALL, isFiltered: false };
export const FILTERED: Region = { ...WHOLE_TABLE, isFiltered: true };

const LEAST_UNIT = '\u0000';

/** The least text that is greater: nothing lies between the two. */
const after = (text: string): string => text + LEAST_UNIT;

/** The texts that compare so with `value`; undefined if there is none. `ne` bounds nothing. */
export function intervalOf(operator: Comparison, value: string): Interval | undefined {
  switch (operator) {
    case 'eq':
      return { from: value, until: after(value) };
    case 'ge':
      return { from: value, until: undefined };
    case 'gt':
      return { from: after(value), until: undefined };
    case 'lt':
      return value === '' ? undefined : { from: '', until: value };
    case 'le':
      return { from: '', until: after(value) };
    case 'ne':
      return ALL;
  }
}

/** The text, if the interval holds no other. */
export const onlyOf = ({ from, until }: Interval): string | undefined =>
  until === after(from) ? from : undefined;

export const isAll = ({ from, until }: Interval): boolean => from === '' && until === undefined;

function intersection(a: Interval, b: Interval): Interval | undefined {
  const from = a.from > b.from ? a.from : b.from;
  const until =
    a.until === undefined ? b.until : b.until === undefined || a.until < b.until ? a.until : b.until;
  return until === undefined || from < until ? { from, until } : undefined;
}

const holds = (outer: Interval, inner: Interval): boolean =>
  outer.from <= inner.from &&
  (outer.until === undefined || (inner.until !== undefined && inner.until <= outer.until));

const isWithin = (inner: Region, outer: Region): boolean =>
  holds(outer.partition, inner.partition) && holds(outer.row, inner.row);

/** The rows in both; undefined if there are none. */
export function bothOf(a: Region, b: Region): Region | undefined {
  const partition = intersection(a.partition, b.partition);
  const row = intersection(a.row, b.row);
  return partition && row && { partition, row, isFiltered: a.isFiltered || b.isFiltered };
}

/** Two intervals as one, if nothing lies between them. */
function joined(a: Interval, b: Interval): Interval | undefined {
  const [first, second] = a.from <= b.from ? [a, b] : [b, a];
  if (first.until !== undefined && first.until < second.from) return undefined;
  const until =
    first.until === undefined || second.until === undefined
      ? undefined
      : first.until > second.until
        ? first.until
        : second.until;
  return { from: first.from, until };
}

const isSame = (a: Interval, b: Interval): boolean => a.from === b.from && a.until === b.until;

/** Two regions merged into one that holds only their rows; undefined if that is impossible. */
function union(a: Region, b: Region): Region | undefined {
  const isFiltered = a.isFiltered || b.isFiltered;
  if (isWithin(a, b)) return b;
  if (isWithin(b, a)) return a;
  if (!isSame(a.partition, b.partition)) return undefined;
  const row = joined(a.row, b.row);
  return row && { partition: a.partition, row, isFiltered };
}

const ordinal = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** No end comes after every end. */
const byEnd = (a: Interval, b: Interval): number =>
  a.until === undefined || b.until === undefined
    ? Number(a.until === undefined) - Number(b.until === undefined)
    : ordinal(a.until, b.until);

const byKeys = (a: Region, b: Region): number =>
  ordinal(a.partition.from, b.partition.from) ||
  byEnd(a.partition, b.partition) ||
  ordinal(a.row.from, b.row.from);

/** The same rows in fewer regions, in the order of their keys: nested and adjacent regions are merged. */
export function simplified(regions: readonly Region[]): readonly Region[] {
  const kept: Region[] = [];
  for (const region of [...regions].sort(byKeys)) {
    const last = kept.at(-1);
    const one = last && union(last, region);
    if (one) kept[kept.length - 1] = one;
    else kept.push(region);
  }
  return kept;
}

/** The least region that holds all of them. */
export function hullOf(regions: readonly [Region, ...Region[]]): Region {
  return regions.reduce((a, b) => ({
    partition: hull(a.partition, b.partition),
    row: hull(a.row, b.row),
    isFiltered: true,
  }));
}

function hull(a: Interval, b: Interval): Interval {
  const from = a.from < b.from ? a.from : b.from;
  if (a.until === undefined || b.until === undefined) return { from, until: undefined };
  return { from, until: a.until > b.until ? a.until : b.until };
}

const withoutUnit = (text: string): string | undefined =>
  text.endsWith(LEAST_UNIT) ? text.slice(0, -1) : undefined;

/** As comparisons. */
export function keyRangeOf(interval: Interval): KeyRange {
  const { from, until } = interval;
  const only = onlyOf(interval);
  if (only !== undefined) return { eq: only };
  const gt = withoutUnit(from);
  const lower = gt !== undefined ? { gt } : from === '' ? {} : { ge: from };
  if (until === undefined) return lower;
  const le = withoutUnit(until);
  return { ...lower, ...(le === undefined ? { lt: until } : { le }) };
}
