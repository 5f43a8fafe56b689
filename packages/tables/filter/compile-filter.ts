// Compiles a $filter once into a test on rows in their stored form: no object is built for a row.
// How types compare is a fact of the service (protocol: queries#comparing), for constants in constant-comparison.ts; filter-range.ts decides which rows are scanned, and
// property-lookup.ts finds what is compared. Every comparison adds its cost to an effort, so that a scan can yield by it.
import type { Effort, RowInPlace } from '#store';
import type { EdmType, EdmValue } from '../entity/edm.js';
import { BINARY, BOOLEAN, DATE_TIME, DOUBLE, GUID, INT32, INT64 } from '../entity/entity-codec.js';
import { TableError } from '../table-error.js';
import { ConstantComparison, isMet, ordinal, stepsOf, VERDICTS } from './constant-comparison.js';
import type { ComparisonOperator, Filter, Operand } from './filter.js';
import { type PropertyLookup, PropertyLookups } from './property-lookup.js';

export type RowTest = (row: RowInPlace) => boolean;

/** The order of two values: below, at or above 0; NaN where one of them is NaN. */
type Order = number;

const FLIPPED: Readonly<Record<ComparisonOperator, ComparisonOperator>> = {
  eq: 'eq',
  ne: 'ne',
  lt: 'gt',
  le: 'ge',
  gt: 'lt',
  ge: 'le',
};

function compareWithConstant(
  lookups: PropertyLookups,
  name: string,
  operator: ComparisonOperator,
  constant: EdmValue,
): RowTest {
  const comparison = new ConstantComparison(lookups.of(name), operator, constant, lookups.effort);
  return row => comparison.matches(row);
}

type Accessor<T> = (row: RowInPlace) => T;

/** System properties are columns of every row, of one type (protocol: queries#filters). */
const TEXT_COLUMNS: ReadonlyMap<string, (row: RowInPlace) => string> = new Map([
  ['PartitionKey', (row: RowInPlace) => row.partition],
  ['RowKey', (row: RowInPlace) => row.key],
]);

const isStaticallyTyped = (name: string): boolean => TEXT_COLUMNS.has(name) || name === 'Timestamp';
const staticType = (name: string): EdmType => (name === 'Timestamp' ? 'Edm.DateTime' : 'Edm.String');

const OPERATOR_NAMES: Readonly<Record<ComparisonOperator, string>> = {
  eq: 'Equal',
  ne: 'NotEqual',
  gt: 'GreaterThan',
  ge: 'GreaterThanOrEqual',
  lt: 'LessThan',
  le: 'LessThanOrEqual',
};

function compareColumn(name: string, operator: ComparisonOperator, constant: EdmValue): RowTest {
  const verdict = VERDICTS[operator];
  if (constant.type === 'Edm.DateTime' && name === 'Timestamp')
    return row => isMet(verdict, ordinal(row.version, constant.value));
  const column = TEXT_COLUMNS.get(name);
  if (constant.type === 'Edm.String' && column)
    return row => isMet(verdict, ordinal(column(row), constant.value));
  throw new TableError('InvalidInput:FilterTypes', {
    left: staticType(name),
    right: constant.type,
    operator: OPERATOR_NAMES[operator],
  });
}

/** The value of a row's property, as a constant to compare with. */
function reader(lookups: PropertyLookups, name: string): Accessor<EdmValue | undefined> {
  const column = TEXT_COLUMNS.get(name);
  if (column) return row => ({ type: 'Edm.String', value: column(row) });
  if (name === 'Timestamp') return row => ({ type: 'Edm.DateTime', value: row.version });
  const lookup = lookups.of(name);
  return row => (lookup.find(row) ? valueAt(row.bytes, lookup) : undefined);
}

function valueAt(bytes: Buffer, lookup: PropertyLookup): EdmValue {
  switch (lookup.type(bytes)) {
    case INT32:
      return { type: 'Edm.Int32', value: lookup.number(bytes) };
    case INT64:
      return { type: 'Edm.Int64', value: lookup.integer(bytes) };
    case DOUBLE:
      return { type: 'Edm.Double', value: lookup.number(bytes) };
    case BOOLEAN:
      return { type: 'Edm.Boolean', value: lookup.boolean(bytes) };
    case DATE_TIME:
      return { type: 'Edm.DateTime', value: lookup.integer(bytes) };
    case GUID:
      return { type: 'Edm.Guid', value: lookup.text(bytes) };
    case BINARY:
      return { type: 'Edm.Binary', value: lookup.binary(bytes) };
    default:
      return { type: 'Edm.String', value: lookup.text(bytes) };
  }
}

/** JavaScript compares a number and a bigint by their exact values, so mixed operands need no promotion. */
function orderOf(left: EdmValue, right: EdmValue): Order | undefined {
  const [a, b] = [left.value, right.value];
  if (typeof a === 'string' && typeof b === 'string' && left.type === right.type) return ordinal(a, b);
  if (typeof a === 'boolean' && typeof b === 'boolean') return Number(a) - Number(b);
  if (Buffer.isBuffer(a) && Buffer.isBuffer(b)) return Buffer.compare(a, b);
  const isNumeric = (value: unknown) => typeof value === 'number' || typeof value === 'bigint';
  const isDate = left.type === 'Edm.DateTime';
  if (!isNumeric(a) || !isNumeric(b) || isDate !== (right.type === 'Edm.DateTime')) return undefined;
  return a < b ? -1 : a > b ? 1 : Number.isNaN(a) || Number.isNaN(b) ? Number.NaN : 0;
}

/** Two values of one type, or two numbers; anything else is a mismatch. */
function compareValues(left: EdmValue, operator: ComparisonOperator, right: EdmValue): boolean {
  const order = orderOf(left, right);
  const verdict = VERDICTS[operator];
  return order === undefined ? verdict.mismatch : isMet(verdict, order);
}

/** The comparison of two properties: false if one is missing, else the order of their values. */
type PairOrder = (row: RowInPlace) => Order | undefined | false;

/** The state of a compilation. Equal operands share one lookup, so that no row is read for them twice. */
class Compilation {
  readonly lookups: PropertyLookups;
  readonly #effort: Effort;
  readonly #pairs = new Map<string, PairOrder>();

  constructor(effort: Effort) {
    this.#effort = effort;
    this.lookups = new PropertyLookups(effort);
  }

  compile(filter: Filter): RowTest {
    const effort = this.#effort;
    switch (filter.kind) {
      case 'and': {
        const tests = chain(filter, 'and').map(each => this.compile(each));
        return row => {
          for (const test of tests) if (!test(row)) return false;
          return true;
        };
      }
      case 'or': {
        const tests = chain(filter, 'or').map(each => this.compile(each));
        return row => {
          for (const test of tests) if (test(row)) return true;
          return false;
        };
      }
      case 'not': {
        const test = this.compile(filter.operand);
        return row => {
          effort.steps += 1;
          return !test(row);
        };
      }
      case 'compare':
        return this.#comparison(filter.operator, filter.left, filter.right);
      default:
        return this.#operand(filter);
    }
  }

  #constant(outcome: boolean): RowTest {
    const effort = this.#effort;
    return () => {
      effort.steps += 1;
      return outcome;
    };
  }

  #comparison(operator: ComparisonOperator, left: Operand, right: Operand): RowTest {
    if (left.kind === 'property' && right.kind === 'constant') {
      if (!isStaticallyTyped(left.name))
        return compareWithConstant(this.lookups, left.name, operator, right.constant);
      const test = compareColumn(left.name, operator, right.constant);
      const effort = this.#effort;
      const steps = 1 + stepsOf(right.constant);
      return row => {
        effort.steps += steps;
        return test(row);
      };
    }
    if (left.kind === 'property' && right.kind === 'property')
      return this.#pair(operator, left.name, right.name);
    if (left.kind === 'constant' && right.kind === 'constant')
      return this.#constant(compareValues(left.constant, operator, right.constant));
    return this.#comparison(FLIPPED[operator], right, left);
  }

  #pair(operator: ComparisonOperator, left: string, right: string): RowTest {
    const effort = this.#effort;
    // No name has a blank.
    const both = `${left} ${right}`;
    const orderIn = this.#pairs.get(both) ?? this.#orderOfPair(left, right);
    this.#pairs.set(both, orderIn);
    const verdict = VERDICTS[operator];
    return row => {
      effort.steps += 1;
      const order = orderIn(row);
      if (order === false) return false;
      return order === undefined ? verdict.mismatch : isMet(verdict, order);
    };
  }

  /** Texts of two properties may be long, so they are compared once a row. */
  #orderOfPair(left: string, right: string): PairOrder {
    const { lookups } = this;
    const effort = this.#effort;
    const [readLeft, readRight] = [reader(lookups, left), reader(lookups, right)];
    let rowOfOrder = -1;
    let order: Order | undefined | false;
    return row => {
      if (rowOfOrder === lookups.row) return order;
      rowOfOrder = lookups.row;
      const [a, b] = [readLeft(row), readRight(row)];
      order = a !== undefined && b !== undefined && orderOf(a, b);
      if (a !== undefined && b !== undefined) effort.steps += Math.min(stepsOf(a), stepsOf(b));
      return order;
    };
  }

  #operand(operand: Operand): RowTest {
    if (operand.kind === 'constant')
      return this.#constant(operand.constant.type === 'Edm.Boolean' && operand.constant.value);
    const lookup = this.lookups.of(operand.name);
    return row => lookup.find(row) && lookup.type(row.bytes) === BOOLEAN && lookup.boolean(row.bytes);
  }
}

/** The operands of a chain of one operator, left to right; a chain may be thousands long, so no recursion along it. */
function chain(filter: Filter, kind: 'and' | 'or'): Filter[] {
  const found: Filter[] = [];
  const waiting: Filter[] = [filter];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    if (next.kind === kind) waiting.push(next.right, next.left);
    else found.push(next);
  }
  return found;
}

/**
 * The test that a row passes if the filter matches it. However many comparisons a filter has, a row is decoded at most once for all of them.
 *
 * @param effort where each test adds what it cost.
 */
export function compileFilter(filter: Filter, effort: Effort = { steps: 0 }): RowTest {
  const compilation = new Compilation(effort);
  const test = compilation.compile(filter);
  const { lookups } = compilation;
  return row => {
    lookups.row += 1;
    return test(row);
  };
}
