// The scan range of a filter: the rows that it can match, from its comparisons of PartitionKey and RowKey, so that a scan reads no others.
// A range may contain rows that do not match and has every row that does; the residual predicate decides.
import type { Position, ScanRange } from '#store';
import type { Comparison, ComparisonOperator, Filter } from './filter.js';

/** Half-open; without `until` there is no upper bound. Never empty. */
interface Range<T> {
  readonly from: T;
  readonly until?: T | undefined;
}

/** A matching row lies in all three. The range stays exact where `or` widens the intervals. */
interface Bounds {
  readonly partition: Range<string>;
  readonly key: Range<string>;
  readonly range: ScanRange;
}

type Order<T> = (a: T, b: T) => boolean;

const isLess: Order<string> = (a, b) => a < b;
const isBefore: Order<Position> = (a, b) =>
  a.partition < b.partition || (a.partition === b.partition && a.key < b.key);

const WHOLE: Range<string> = { from: '' };
const KEY_NAMES: ReadonlySet<string> = new Set(['PartitionKey', 'RowKey']);
const UNBOUNDED: Bounds = { partition: WHOLE, key: WHOLE, range: { from: { partition: '', key: '' } } };

/** The least string that is greater: no string lies between s and s + U+0000. */
const LEAST_UNIT = '\u0000';
const after = (text: string): string => text + LEAST_UNIT;

/** Keys are never missing and always strings, so the negation of a comparison is a comparison. */
const NEGATED: Readonly<Record<ComparisonOperator, ComparisonOperator>> = {
  eq: 'ne',
  ne: 'eq',
  gt: 'le',
  ge: 'lt',
  lt: 'ge',
  le: 'gt',
};

/** The interval of strings for which the comparison with `value` is true; undefined if it is empty. */
function rangeOf(operator: ComparisonOperator, value: string): Range<string> | undefined {
  switch (operator) {
    case 'eq':
      return { from: value, until: after(value) };
    case 'ge':
      return { from: value };
    case 'gt':
      return { from: after(value) };
    case 'lt':
      return value === '' ? undefined : { from: '', until: value };
    case 'le':
      return { from: '', until: after(value) };
    case 'ne':
      return WHOLE;
  }
}

/** The intersection; undefined if it is empty. */
function intersect<T>(a: Range<T>, b: Range<T>, order: Order<T>): Range<T> | undefined {
  const from = order(a.from, b.from) ? b.from : a.from;
  const until =
    a.until === undefined || b.until === undefined || order(b.until, a.until)
      ? (b.until ?? a.until)
      : a.until;
  return until === undefined || order(from, until) ? { from, until } : undefined;
}

/** The rows in both ranges; undefined if there can be none. */
export const rowsInBoth = (a: ScanRange, b: ScanRange): ScanRange | undefined => intersect(a, b, isBefore);

/** The hull: the least range that contains both. */
function hull<T>(a: Range<T>, b: Range<T>, order: Order<T>): Range<T> {
  const from = order(a.from, b.from) ? a.from : b.from;
  if (a.until === undefined || b.until === undefined) return { from };
  return { from, until: order(a.until, b.until) ? b.until : a.until };
}

/** The bounds of rows whose keys lie in the two ranges. */
function boundsWithin(
  partition: Range<string> | undefined,
  key: Range<string> | undefined,
): Bounds | undefined {
  if (!partition || !key) return undefined;
  const from = { partition: partition.from, key: key.from };
  if (partition.until === undefined) return { partition, key, range: { from } };
  // Where partitions end with p itself, p is the last one, and the bound of the key applies in it.
  const hasLast = partition.until.endsWith(LEAST_UNIT) && key.until !== undefined;
  const until = hasLast
    ? { partition: partition.until.slice(0, -1), key: key.until }
    : { partition: partition.until, key: '' };
  return { partition, key, range: { from, until } };
}

function both(a: Bounds | undefined, b: Bounds | undefined): Bounds | undefined {
  if (!a || !b) return undefined;
  const bounds = boundsWithin(intersect(a.partition, b.partition, isLess), intersect(a.key, b.key, isLess));
  const shared = intersect(a.range, b.range, isBefore);
  const range = bounds && shared && intersect(bounds.range, shared, isBefore);
  return range && { ...bounds, range };
}

function either(a: Bounds | undefined, b: Bounds | undefined): Bounds | undefined {
  if (!a || !b) return a ?? b;
  return {
    partition: hull(a.partition, b.partition, isLess),
    key: hull(a.key, b.key, isLess),
    range: hull(a.range, b.range, isBefore),
  };
}

function boundsOfComparison(operator: ComparisonOperator, { name, other }: Comparison): Bounds | undefined {
  if (other.kind === 'property' || other.constant.type !== 'Edm.String') return UNBOUNDED;
  if (name === 'PartitionKey') return boundsWithin(rangeOf(operator, other.constant.value), WHOLE);
  return name === 'RowKey' ? boundsWithin(WHOLE, rangeOf(operator, other.constant.value)) : UNBOUNDED;
}

/** The bounds of the rows that the filter matches, or that it does not match if `isNegated`; undefined if no row can. */
function boundsOf(filter: Filter, isNegated: boolean): Bounds | undefined {
  switch (filter.kind) {
    case 'not':
      return boundsOf(filter.operand, !isNegated);
    case 'and':
    case 'or': {
      const join = (filter.kind === 'and') === isNegated ? either : both;
      return filter.terms.map(term => boundsOf(term, isNegated)).reduce((a, b) => join(a, b));
    }
    case 'compare':
      return boundsOfComparison(isNegated ? NEGATED[filter.operator] : filter.operator, filter);
    default:
      return UNBOUNDED;
  }
}

const isPoint = ({ from, until }: Range<string>): boolean => until === after(from);

/** True for a comparison of a key with a string that an interval expresses exactly. */
function isInterval(filter: Filter): boolean {
  if (filter.kind !== 'compare' || filter.operator === 'ne' || !KEY_NAMES.has(filter.name)) return false;
  return filter.other.kind === 'constant' && filter.other.constant.type === 'Edm.String';
}

interface ScanPlan {
  /** The range that contains every matching row; undefined if no row can match. */
  readonly range: ScanRange | undefined;
  /** The residual predicate, still to be evaluated on each row of the range; undefined if the filter matches all of them. */
  readonly residual: Filter | undefined;
}

/** Where the filter fixes one partition, the range lies within it and within the interval of each comparison of a key. */
export function scanPlanOf(filter: Filter | undefined): ScanPlan {
  if (!filter) return { range: UNBOUNDED.range, residual: undefined };
  const bounds = boundsOf(filter, false);
  const range = bounds?.range;
  if (!bounds || !isPoint(bounds.partition)) return { range, residual: filter };
  const terms = (filter.kind === 'and' ? filter.terms : [filter]).filter(each => !isInterval(each));
  return { range, residual: terms.length > 1 ? { kind: 'and', terms } : terms[0] };
}
