// The class of a query: point, points, range, partition scan or table scan, decided from the condition's comparisons of PartitionKey and RowKey. Works
// alike for typed conditions and for any $filter text. Sends nothing.
import type { KeyRange, Point } from '../keys/compiled-key.js';
import {
  COMPARISONS,
  type Comparison,
  type Condition,
  type Leaf,
  leavesOf,
  namesIn,
  ordered,
} from './condition.js';
import { quoted } from './format-filter.js';

/** Texts from the first that is in it to the first that is not. Without `until` there is no end. */
interface Interval {
  readonly from: string;
  readonly until: string | undefined;
}

/** Rows by their keys. Of other properties it says only that some are compared. */
interface Region {
  readonly partition: Interval;
  readonly row: Interval;
  /** Rows of the region may still not match. */
  readonly isFiltered: boolean;
}

const ALL: Interval = { from: '', until: undefined };
const WHOLE_TABLE: Region = { partition: ALL, row: ALL, isFiltered: false };
const FILTERED: Region = { partition: ALL, row: ALL, isFiltered: true };

const LEAST_UNIT = '\u0000';

/** The least text that is greater: nothing lies between the two. */
const after = (text: string): string => text + LEAST_UNIT;

/** The texts that compare so with a value. `ne` bounds nothing. */
const INTERVALS: Readonly<Record<Comparison, (value: string) => Interval>> = {
  eq: value => ({ from: value, until: after(value) }),
  ne: () => ALL,
  gt: value => ({ from: after(value), until: undefined }),
  ge: value => ({ from: value, until: undefined }),
  lt: value => ({ from: '', until: value }),
  le: value => ({ from: '', until: after(value) }),
};

/** The text, if the interval holds no other. */
const onlyOf = ({ from, until }: Interval): string | undefined => (until === after(from) ? from : undefined);

/** Of ends: no end comes after every end. */
const isBefore = (a: string | undefined, b: string | undefined): boolean =>
  a !== undefined && (b === undefined || a < b);

/** Undefined if no text is in both. */
function intersection(a: Interval, b: Interval): Interval | undefined {
  const from = a.from > b.from ? a.from : b.from;
  const until = isBefore(a.until, b.until) ? a.until : b.until;
  return until === undefined || from < until ? { from, until } : undefined;
}

/** The least interval that holds both. */
const hull = (a: Interval, b: Interval): Interval => ({
  from: a.from < b.from ? a.from : b.from,
  until: isBefore(a.until, b.until) ? b.until : a.until,
});

const holds = (outer: Interval, inner: Interval): boolean =>
  outer.from <= inner.from && !isBefore(outer.until, inner.until);

/** The rows in both; undefined if there are none. */
function bothOf(a: Region, b: Region): Region | undefined {
  const partition = intersection(a.partition, b.partition);
  const row = intersection(a.row, b.row);
  return partition && row && { partition, row, isFiltered: a.isFiltered || b.isFiltered };
}

/** The least region that holds both. */
const around = (a: Region, b: Region, isFiltered: boolean): Region => ({
  partition: hull(a.partition, b.partition),
  row: hull(a.row, b.row),
  isFiltered,
});

/** Two regions merged into one that holds only their rows; undefined if that is impossible. */
function union(a: Region, b: Region): Region | undefined {
  const isIn = holds(b.partition, a.partition);
  const hasOther = holds(a.partition, b.partition);
  if (isIn && holds(b.row, a.row)) return b;
  if (hasOther && holds(a.row, b.row)) return a;
  const hasGap = isBefore(a.row.until, b.row.from) || isBefore(b.row.until, a.row.from);
  return isIn && hasOther && !hasGap ? around(a, b, a.isFiltered || b.isFiltered) : undefined;
}

const byKeys = (a: Region, b: Region): number =>
  ordered(a.partition.from, b.partition.from) ||
  Number(isBefore(b.partition.until, a.partition.until)) -
    Number(isBefore(a.partition.until, b.partition.until)) ||
  ordered(a.row.from, b.row.from);

/** The same rows in fewer regions, in the order of their keys: nested and adjacent regions are merged. */
function simplified(regions: readonly Region[]): readonly Region[] {
  const kept: Region[] = [];
  for (const region of [...regions].sort(byKeys)) {
    const last = kept.at(-1);
    const one = last && union(last, region);
    if (one) kept[kept.length - 1] = one;
    else kept.push(region);
  }
  return kept;
}

const withoutUnit = (text: string): string | undefined =>
  text.endsWith(LEAST_UNIT) ? text.slice(0, -1) : undefined;

/** As comparisons. */
function keyRangeOf(interval: Interval): KeyRange {
  const { from, until } = interval;
  const only = onlyOf(interval);
  if (only !== undefined) return { eq: only };
  const gt = withoutUnit(from);
  const lower = gt !== undefined ? { gt } : from === '' ? {} : { ge: from };
  if (until === undefined) return lower;
  const le = withoutUnit(until);
  return { ...lower, ...(le === undefined ? { lt: until } : { le }) };
}

/**
 * What the service has to do, cheapest first: `none`, for nothing can match; look one row up, or several; read a range of row keys in a partition, all of whose
 * rows match; read a partition, or a range of it, for those of its rows that a filter lets by; read many partitions. These are the design guide's point query, range
 * query, partition scan and table scan.
 */
export type QueryClass = 'none' | 'point' | 'points' | 'range' | 'partition-scan' | 'table-scan';

export const QUERY_CLASSES: readonly QueryClass[] = [
  'none',
  'point',
  'points',
  'range',
  'partition-scan',
  'table-scan',
];

/** Rows that a query makes the service look at. */
export interface KeyBounds {
  readonly partition: KeyRange;
  readonly row: KeyRange;
}

/** The class of a query, and why it is that. */
export interface Classification {
  readonly class: QueryClass;
  /** Every row that matches is in one of them. */
  readonly bounds: readonly KeyBounds[];
  /** The rows to look up, of `point` and `points`. */
  readonly points: readonly Point[];
  /** Whether rows within the bounds may not match. */
  readonly isFiltered: boolean;
  readonly warnings: readonly string[];
}

/** The service's documentation has it; it was not seen to refuse more. */
export const COMPARISONS_MAX = 15;
/** Alternatives that are made by joining others by `and`, where they are more than these, are taken for one range that holds them all. */
export const ALTERNATIVES_MAX = 1000;

export const KEY_NAMES: ReadonlySet<string> = new Set(['PartitionKey', 'RowKey']);

/** Keys are never missing and always strings, so the negation of a comparison is a comparison. */
function regionsOfComparison(
  { operator, left, right }: Extract<Leaf, { readonly kind: 'compare' }>,
  isNegated: boolean,
): readonly Region[] {
  const isMirrored = left.kind === 'value';
  const [key, text] = isMirrored ? [right, left] : [left, right];
  if (
    key.kind === 'value' ||
    text.kind !== 'value' ||
    text.typed.type !== 'String' ||
    !KEY_NAMES.has(key.name)
  )
    return [FILTERED];
  const asked = isNegated ? COMPARISONS[operator].negated : operator;
  const compared = isMirrored ? COMPARISONS[asked].mirrored : asked;
  const interval = intersection(ALL, INTERVALS[compared](String(text.typed.value)));
  if (interval === undefined) return [];
  const which = key.name === 'PartitionKey' ? 'partition' : 'row';
  return [{ ...(compared === 'ne' ? FILTERED : WHOLE_TABLE), [which]: interval }];
}

/** The regions of rows that meet both. */
function meet(a: readonly Region[], b: readonly Region[]): readonly Region[] {
  // Where one side is a single region, the alternatives become no more.
  if (a.length === 1 || b.length === 1 || a.length * b.length <= ALTERNATIVES_MAX)
    return simplified(a.flatMap(each => b.flatMap(other => bothOf(each, other) ?? [])));
  const all = (regions: readonly Region[]): Region =>
    regions.reduce((one, other) => around(one, other, true));
  const one = bothOf(all(a), all(b));
  return one ? [one] : [];
}

/** The regions that hold the rows which meet the condition, or which do not if `isNegated`. */
function regionsOf(condition: Condition, isNegated: boolean): readonly Region[] {
  switch (condition.kind) {
    case 'not':
      return regionsOf(condition.term, !isNegated);
    case 'and':
    case 'or': {
      const each = condition.terms.map(term => regionsOf(term, isNegated));
      return (condition.kind === 'and') === isNegated
        ? simplified(each.flat())
        : each.reduce((a, b) => meet(a, b), [WHOLE_TABLE]);
    }
    case 'compare':
      return regionsOfComparison(condition, isNegated);
    case 'value':
      return (condition.typed.value === true) !== isNegated ? [WHOLE_TABLE] : [];
    case 'property':
      return [FILTERED];
  }
}

const pointOf = ({ partition, row }: Region): Point | undefined => {
  const [partitionKey, rowKey] = [onlyOf(partition), onlyOf(row)];
  return partitionKey === undefined || rowKey === undefined ? undefined : { partitionKey, rowKey };
};

function classOf(regions: readonly Region[], points: readonly Point[]): QueryClass {
  const [first] = regions;
  if (first === undefined) return 'none';
  if (points.length === regions.length) return points.length === 1 ? 'point' : 'points';
  const partition = onlyOf(first.partition);
  const isOne = partition !== undefined && regions.every(each => onlyOf(each.partition) === partition);
  if (!isOne) return 'table-scan';
  const isRange = regions.length === 1 && !holds(first.row, ALL) && !first.isFiltered;
  return isRange ? 'range' : 'partition-scan';
}

/** `RowKey ge 'a' and RowKey lt 'b'`; empty for all keys. */
const boundsText = (name: string, interval: Interval): string =>
  Object.entries(keyRangeOf(interval))
    .map(([operator, bound]) => `${name} ${operator} ${quoted(bound)}`)
    .join(' and ');

/** What a scan reads, by its bounds where it has any; or why nothing is read. */
function classWarnings(queryClass: QueryClass, regions: readonly Region[]): readonly string[] {
  const only = regions.length === 1 ? regions[0] : undefined;
  if (queryClass === 'none') return ['Nothing can match: conditions on keys exclude each other.'];
  if (queryClass === 'partition-scan') {
    const range = only && boundsText('RowKey', only.row);
    if (range) return [`It scans a range of a partition: every row with ${range}.`];
    const ranges = `Its ${regions.length} ranges of row keys are joined by 'or': the service reads all rows.`;
    return ['It reads a whole partition.', ...(only ? [] : [ranges])];
  }
  if (queryClass !== 'table-scan') return [];
  const range = only && boundsText('PartitionKey', only.partition);
  const areKnown = regions.every(({ partition }) => onlyOf(partition) !== undefined);
  return [
    `It reads many partitions, one after the other${range ? `: all with ${range}` : ''}.`,
    ...(areKnown ? ['Its partitions are known: ask each for itself (fanOut).'] : []),
  ];
}

/** Which properties the service has to look at in each row, if any. */
export function filterWarnings(condition: Condition): readonly string[] {
  const names = [...leavesOf(condition)].flatMap(namesIn).filter(name => !KEY_NAMES.has(name));
  return names.length === 0
    ? []
    : [`Filtered on the server, which reads each row for it: ${[...new Set(names)].join(', ')}.`];
}

function countWarnings(condition: Condition): readonly string[] {
  const comparisons = [...leavesOf(condition)].length;
  return comparisons <= COMPARISONS_MAX
    ? []
    : [`It has ${comparisons} comparisons, and the service's documentation allows ${COMPARISONS_MAX}.`];
}

/** What the condition makes the service do. */
export function classify(condition: Condition): Classification {
  const regions = simplified(regionsOf(condition, false));
  const points = regions.flatMap(region => pointOf(region) ?? []);
  const queryClass = classOf(regions, points);
  return {
    class: queryClass,
    bounds: regions.map(({ partition, row }) => ({
      partition: keyRangeOf(partition),
      row: keyRangeOf(row),
    })),
    points: queryClass === 'point' || queryClass === 'points' ? points : [],
    isFiltered: regions.some(region => region.isFiltered),
    warnings: [
      ...classWarnings(queryClass, regions),
      ...filterWarnings(condition),
      ...countWarnings(condition),
    ],
  };
}
