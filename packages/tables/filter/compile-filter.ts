// Compiles a $filter once into a test on rows in their stored form: for most filters no object is built for a row.
// How types compare is a fact of the service (protocol: queries#comparing), in constant-comparison.ts; filter-range.ts decides which rows are scanned, and
// property-lookup.ts finds what is compared. Every comparison adds its cost to an effort, so that a scan can yield by it.
import type { Effort, RowInPlace } from '#store';
import type { EdmType, EdmValue } from '../entity/edm.js';
import { TableError } from '../table-error.js';
import {
  ConstantComparison,
  isMet,
  type Order,
  orderOf,
  ordinal,
  stepsOf,
  VERDICTS,
} from './constant-comparison.js';
import type { Comparison, ComparisonOperator, Filter } from './filter.js';
import { PropertyLookups } from './property-lookup.js';

export type RowTest = (row: RowInPlace) => boolean;

type Reader = (row: RowInPlace) => EdmValue | undefined;

interface Column {
  readonly type: EdmType;
  readonly of: (row: RowInPlace) => string | bigint;
}

/** System properties are columns of every row, of one type (protocol: queries#filters). */
const COLUMNS: ReadonlyMap<string, Column> = new Map<string, Column>([
  ['PartitionKey', { type: 'Edm.String', of: row => row.partition }],
  ['RowKey', { type: 'Edm.String', of: row => row.key }],
  ['Timestamp', { type: 'Edm.DateTime', of: row => row.version }],
]);

const OPERATOR_NAMES: Readonly<Record<ComparisonOperator, string>> = {
  eq: 'Equal',
  ne: 'NotEqual',
  gt: 'GreaterThan',
  ge: 'GreaterThanOrEqual',
  lt: 'LessThan',
  le: 'LessThanOrEqual',
};

const TRUE: EdmValue = { type: 'Edm.Boolean', value: true };

/** The comparison of two properties: false if one is missing, else the order of their values. */
type PairOrder = (row: RowInPlace) => Order | false;

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
        const tests = filter.terms.map(each => this.compile(each));
        return row => {
          for (const test of tests) if (!test(row)) return false;
          return true;
        };
      }
      case 'or': {
        const tests = filter.terms.map(each => this.compile(each));
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
        return this.#comparison(filter);
      case 'property':
        return this.#property(filter.name, 'eq', TRUE);
      case 'constant': {
        const outcome = filter.constant.value === true;
        return () => {
          effort.steps += 1;
          return outcome;
        };
      }
    }
  }

  #property(name: string, operator: ComparisonOperator, constant: EdmValue): RowTest {
    const comparison = new ConstantComparison(this.lookups.of(name), operator, constant, this.#effort);
    return row => comparison.matches(row);
  }

  #comparison({ name, operator, other }: Comparison): RowTest {
    if (other.kind === 'property') return this.#pair(operator, name, other.name);
    const { constant } = other;
    const column = COLUMNS.get(name);
    if (!column) return this.#property(name, operator, constant);
    const { type, of } = column;
    if (type !== constant.type)
      throw new TableError('InvalidInput:FilterTypes', {
        left: type,
        right: constant.type,
        operator: OPERATOR_NAMES[operator],
      });
    const effort = this.#effort;
    const steps = 1 + stepsOf(constant);
    const { value } = constant;
    const verdict = VERDICTS[operator];
    return row => {
      effort.steps += steps;
      return isMet(verdict, ordinal(of(row), value));
    };
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
      return order !== false && isMet(verdict, order);
    };
  }

  /** Texts of two properties may be long, so they are compared once a row. */
  #orderOfPair(left: string, right: string): PairOrder {
    const { lookups } = this;
    const effort = this.#effort;
    const [readLeft, readRight] = [this.#reader(left), this.#reader(right)];
    let rowOfOrder = -1;
    let order: Order | false;
    return row => {
      if (rowOfOrder === lookups.row) return order;
      rowOfOrder = lookups.row;
      const [a, b] = [readLeft(row), readRight(row)];
      order = a !== undefined && b !== undefined && orderOf(a, b);
      if (a !== undefined && b !== undefined) effort.steps += Math.min(stepsOf(a), stepsOf(b));
      return order;
    };
  }

  #reader(name: string): Reader {
    const column = COLUMNS.get(name);
    if (column) return row => ({ type: column.type, value: column.of(row) }) as EdmValue;
    const lookup = this.lookups.of(name);
    return row => (lookup.find(row) ? lookup.value(row.bytes) : undefined);
  }
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
