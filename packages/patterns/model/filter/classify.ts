// The class of a query: point, points, range, partition scan or table scan, decided from the condition's comparisons of PartitionKey and RowKey. Works
// alike for typed conditions and for any $filter text. Sends nothing.
import type { KeyRange, Point } from '../keys/key-range.js';
import { type Comparison, type Condition, comparisonCount, MIRRORED, type Operand } from './condition.js';
import {
  ALL,
  bothOf,
  FILTERED,
  hullOf,
  type Interval,
  intervalOf,
  isAll,
  keyRangeOf,
  onlyOf,
  type Region,
  simplified,
  WHOLE_TABLE,
} from './key-region.js';

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

/** Keys are never missing and always strings, so the negation of a comparison is a comparison. */
const NEGATED: Readonly<Record<Comparison, Comparison>> = {
  eq: 'ne',
  ne: 'eq',
  gt: 'le',
  ge: 'lt',
  lt: 'ge',
  le: 'gt',
};

export const KEY_NAMES: ReadonlySet<string> = new Set(['PartitionKey', 'RowKey']);

function regionsOfComparison(operator: Comparison, left: Operand, right: Operand): readonly Region[] {
  if (left.kind === 'value')
    return right.kind === 'property' ? regionsOfComparison(MIRRORED[operator], right, left) : [FILTERED];
  const isKey = KEY_NAMES.has(left.name);
  if (!isKey || right.kind === 'property' || right.typed.type !== 'String') return [FILTERED];
  const interval = intervalOf(operator, String(right.typed.value));
  if (interval === undefined) return [];
  const isFiltered = operator === 'ne';
  return left.name === 'PartitionKey'
    ? [{ partition: interval, row: ALL, isFiltered }]
    : [{ partition: ALL, row: interval, isFiltered }];
}

/** The regions of rows that meet both. */
function meet(a: readonly Region[], b: readonly Region[]): readonly Region[] {
  const [firstA, firstB] = [a[0], b[0]];
  if (firstA === undefined || firstB === undefined) return [];
  // Where one side is a single region, the alternatives become no more.
  if (a.length === 1 || b.length === 1 || a.length * b.length <= ALTERNATIVES_MAX)
    return simplified(a.flatMap(each => b.flatMap(other => bothOf(each, other) ?? [])));
  const one = bothOf(hullOf([firstA, ...a.slice(1)]), hullOf([firstB, ...b.slice(1)]));
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
    case 'compare': {
      const operator = isNegated ? NEGATED[condition.operator] : condition.operator;
      return regionsOfComparison(operator, condition.left, condition.right);
    }
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
  const isRange = regions.length === 1 && !isAll(first.row) && !first.isFiltered;
  return isRange ? 'range' : 'partition-scan';
}

/** Every comparison and what stands alone. */
export function* leavesOf(condition: Condition): Generator<Condition> {
  if (condition.kind === 'and' || condition.kind === 'or')
    for (const term of condition.terms) yield* leavesOf(term);
  else if (condition.kind === 'not') yield* leavesOf(condition.term);
  else yield condition;
}

export function operandsOf(leaf: Condition): readonly Operand[] {
  if (leaf.kind === 'compare') return [leaf.left, leaf.right];
  return leaf.kind === 'property' || leaf.kind === 'value' ? [leaf] : [];
}

export const namesIn = (leaf: Condition): readonly string[] =>
  operandsOf(leaf).flatMap(operand => (operand.kind === 'property' ? [operand.name] : []));

/** `RowKey ge 'a' and RowKey lt 'b'`; empty for all keys. */
const boundsText = (name: string, interval: Interval): string =>
  Object.entries(keyRangeOf(interval))
    .map(([operator, bound]) => `${name} ${operator} '${bound}'`)
    .join(' and ');

/** What a scan reads, by its bounds where it has any; or why nothing is read. */
function classWarnings(queryClass: QueryClass, regions: readonly Region[]): readonly string[] {
  const only = regions.length === 1 ? regions[0] : undefined;
  switch (queryClass) {
    case 'none':
      return ['Nothing can match: conditions on keys exclude each other.'];
    case 'partition-scan': {
      if (only === undefined)
        return [
          'It reads a whole partition.',
          `Its ${regions.length} ranges of row keys are joined by 'or': the service reads all rows.`,
        ];
      const range = boundsText('RowKey', only.row);
      return range === ''
        ? ['It reads a whole partition.']
        : [`It scans a range of a partition: every row with ${range}.`];
    }
    case 'table-scan': {
      const range = only === undefined ? '' : boundsText('PartitionKey', only.partition);
      const areKnown = regions.every(({ partition }) => onlyOf(partition) !== undefined);
      return [
        `It reads many partitions, one after the other${range && `: all with ${range}`}.`,
        ...(areKnown ? ['Its partitions are known: ask each for itself (fanOut).'] : []),
      ];
    }
    default:
      return [];
  }
}

/** Which properties the service has to look at in each row, if any. */
export function filterWarnings(condition: Condition): readonly string[] {
  const names = [...leavesOf(condition)].flatMap(namesIn).filter(name => !KEY_NAMES.has(name));
  return names.length === 0
    ? []
    : [`Filtered on the server, which reads each row for it: ${[...new Set(names)].join(', ')}.`];
}

function countWarnings(condition: Condition): readonly string[] {
  const comparisons = comparisonCount(condition);
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
