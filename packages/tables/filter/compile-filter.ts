// Compiles a $filter once into a test on rows in their stored form: no object is built for a row.
// How types compare is a fact of the service (protocol: queries#comparing); filter-range.ts decides which rows are scanned.
import type { Row } from '#store';
import type { EdmType, EdmValue } from '../entity/edm.js';
import { escapeText, formatLiteral } from '../entity/edm-text.js';
import {
  BINARY,
  BOOLEAN,
  DATE_TIME,
  DOUBLE,
  decodeString,
  ENTRY_BYTES,
  FLAG_ESCAPED,
  GUID,
  HEADER_BYTES,
  INT32,
  INT64,
  propertyCount,
  STRING,
  TEXT_OVERHEAD,
} from '../entity/entity-codec.js';
import { TableError } from '../table-error.js';
import type { ComparisonOperator, Filter, Operand } from './filter.js';

export type RowTest = (row: Row) => boolean;

/** The order of two values: below, at or above 0; NaN where one of them is NaN. */
type Order = number;
type Verdict = (order: Order) => boolean;

const VERDICTS: Readonly<Record<ComparisonOperator, Verdict>> = {
  eq: order => order === 0,
  ne: order => order !== 0,
  lt: order => order < 0,
  le: order => order <= 0,
  gt: order => order > 0,
  ge: order => order >= 0,
};

/** The result of a comparison of incompatible types, for all values. */
const ON_MISMATCH: Readonly<Record<ComparisonOperator, boolean>> = {
  eq: false,
  ne: true,
  lt: true,
  le: true,
  gt: false,
  ge: false,
};

const FLIPPED: Readonly<Record<ComparisonOperator, ComparisonOperator>> = {
  eq: 'eq',
  ne: 'ne',
  lt: 'gt',
  le: 'ge',
  gt: 'lt',
  ge: 'le',
};

const ordinal = <T extends string | bigint | number>(a: T, b: T): Order =>
  a < b ? -1 : a > b ? 1 : a === b ? 0 : Number.NaN;

/** The output of `find`; one for each operand of a filter that names a property, so that no row allocates. */
class Lookup {
  readonly #name: Buffer;
  entryAt = 0;
  literalAt = 0;
  literalLength = 0;

  constructor(name: string) {
    this.#name = Buffer.from(escapeText(name), 'latin1');
  }

  /** Finds the property in a stored entity by comparing bytes. */
  find(bytes: Buffer): boolean {
    const count = propertyCount(bytes);
    const wanted = this.#name.length;
    let at = HEADER_BYTES + ENTRY_BYTES * count;
    for (let entryAt = HEADER_BYTES, i = 0; i < count; i++, entryAt += ENTRY_BYTES) {
      const nameLength = (bytes[entryAt + 2] ?? 0) | ((bytes[entryAt + 3] ?? 0) << 8);
      const literalLength = bytes.readUInt32LE(entryAt + 4);
      if (nameLength === wanted && this.#isAt(bytes, at + 2)) {
        this.entryAt = entryAt;
        this.literalAt = at + nameLength + TEXT_OVERHEAD;
        this.literalLength = literalLength;
        return true;
      }
      at += nameLength + TEXT_OVERHEAD + literalLength;
    }
    return false;
  }

  #isAt(bytes: Buffer, at: number): boolean {
    for (let i = 0; i < this.#name.length; i++) if (bytes[at + i] !== this.#name[i]) return false;
    return true;
  }

  type(bytes: Buffer): number {
    return bytes[this.entryAt] ?? -1;
  }

  text(bytes: Buffer): string {
    const escaped = ((bytes[this.entryAt + 1] ?? 0) & FLAG_ESCAPED) !== 0;
    return decodeString(bytes, this.literalAt, this.literalAt + this.literalLength, escaped);
  }

  number(bytes: Buffer): number {
    const at = this.entryAt + 8;
    return bytes[this.entryAt] === DOUBLE ? bytes.readDoubleLE(at) : bytes.readInt32LE(at);
  }

  integer(bytes: Buffer): bigint {
    const at = this.entryAt + 8;
    return bytes[this.entryAt] === INT32 ? BigInt(bytes.readInt32LE(at)) : bytes.readBigInt64LE(at);
  }

  boolean(bytes: Buffer): boolean {
    return bytes[this.entryAt + 8] === 1;
  }
}

type StoredTest = (bytes: Buffer, lookup: Lookup) => boolean;

/** Canonical literals are equal exactly if their values are, so equality needs no decoding. */
function textEquality(constant: EdmValue, equal: boolean): StoredTest {
  const literal = Buffer.from(formatLiteral(constant), 'latin1');
  return (bytes, lookup) => {
    const same =
      lookup.literalLength === literal.length &&
      bytes.compare(literal, 0, literal.length, lookup.literalAt, lookup.literalAt + literal.length) === 0;
    return same === equal;
  };
}

/** The types that the constant may be compared with, each with its comparison (protocol: queries#comparing). */
function testsByType(operator: ComparisonOperator, constant: EdmValue): ReadonlyMap<number, StoredTest> {
  const verdict = VERDICTS[operator];
  const tests = new Map<number, StoredTest>();
  const byNumber =
    (value: number): StoredTest =>
    (bytes, lookup) =>
      verdict(ordinal(lookup.number(bytes), value));
  const byInteger =
    (value: bigint): StoredTest =>
    (bytes, lookup) =>
      verdict(ordinal(lookup.integer(bytes), value));
  switch (constant.type) {
    case 'Edm.Int32':
      tests
        .set(INT32, byNumber(constant.value))
        .set(DOUBLE, byNumber(constant.value))
        .set(INT64, byInteger(BigInt(constant.value)));
      break;
    case 'Edm.Int64':
      tests.set(INT64, byInteger(constant.value)).set(DOUBLE, byNumber(Number(constant.value)));
      break;
    case 'Edm.Double':
      tests.set(DOUBLE, byNumber(constant.value));
      break;
    case 'Edm.DateTime':
      tests.set(DATE_TIME, byInteger(constant.value));
      break;
    case 'Edm.Boolean':
      tests.set(BOOLEAN, (bytes, lookup) => verdict(Number(lookup.boolean(bytes)) - Number(constant.value)));
      break;
    case 'Edm.String':
      tests.set(STRING, (bytes, lookup) => verdict(ordinal(lookup.text(bytes), constant.value)));
      break;
    case 'Edm.Guid':
      tests.set(GUID, (bytes, lookup) => verdict(ordinal(lookup.text(bytes), constant.value)));
      break;
    case 'Edm.Binary':
      tests.set(BINARY, (bytes, lookup) =>
        verdict(Buffer.compare(Buffer.from(lookup.text(bytes), 'base64'), constant.value)),
      );
      break;
  }
  if (operator === 'eq' || operator === 'ne') {
    for (const type of [STRING, GUID, BINARY])
      if (tests.has(type)) tests.set(type, textEquality(constant, operator === 'eq'));
  }
  return tests;
}

function compareWithConstant(name: string, operator: ComparisonOperator, constant: EdmValue): RowTest {
  const lookup = new Lookup(name);
  const mismatch = ON_MISMATCH[operator];
  const byType = testsByType(operator, constant);
  const tests = Array.from({ length: BINARY + 1 }, (_, type) => byType.get(type));
  return row => {
    if (!lookup.find(row.value)) return false;
    const test = tests[lookup.type(row.value)];
    return test === undefined ? mismatch : test(row.value, lookup);
  };
}

type Accessor<T> = (row: Row) => T;

/** System properties are columns of every row, of one type (protocol: queries#filters). */
const TEXT_COLUMNS: ReadonlyMap<string, Accessor<string>> = new Map([
  ['PartitionKey', (row: Row) => row.partition],
  ['RowKey', (row: Row) => row.key],
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
    return row => verdict(ordinal(row.version, constant.value));
  const column = TEXT_COLUMNS.get(name);
  if (constant.type === 'Edm.String' && column) return row => verdict(ordinal(column(row), constant.value));
  throw new TableError('InvalidInput:FilterTypes', {
    left: staticType(name),
    right: constant.type,
    operator: OPERATOR_NAMES[operator],
  });
}

/** The value of a row's property, as a constant to compare with. */
function reader(name: string): Accessor<EdmValue | undefined> {
  const column = TEXT_COLUMNS.get(name);
  if (column) return row => ({ type: 'Edm.String', value: column(row) });
  if (name === 'Timestamp') return row => ({ type: 'Edm.DateTime', value: row.version });
  const lookup = new Lookup(name);
  return row => (lookup.find(row.value) ? valueAt(row.value, lookup) : undefined);
}

function valueAt(bytes: Buffer, lookup: Lookup): EdmValue {
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
      return { type: 'Edm.Binary', value: Buffer.from(lookup.text(bytes), 'base64') };
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
  return order === undefined ? ON_MISMATCH[operator] : VERDICTS[operator](order);
}

function compileComparison(operator: ComparisonOperator, left: Operand, right: Operand): RowTest {
  if (left.kind === 'property' && right.kind === 'constant') {
    const compare = isStaticallyTyped(left.name) ? compareColumn : compareWithConstant;
    return compare(left.name, operator, right.constant);
  }
  if (left.kind === 'constant' && right.kind === 'property')
    return compileComparison(FLIPPED[operator], right, left);
  if (left.kind === 'constant' && right.kind === 'constant') {
    const outcome = compareValues(left.constant, operator, right.constant);
    return () => outcome;
  }
  const [readLeft, readRight] = [left, right].map(side =>
    side.kind === 'property' ? reader(side.name) : () => undefined,
  );
  return row => {
    const [a, b] = [readLeft?.(row), readRight?.(row)];
    return a !== undefined && b !== undefined && compareValues(a, operator, b);
  };
}

function compileOperand(operand: Operand): RowTest {
  if (operand.kind === 'constant') {
    const outcome = operand.constant.type === 'Edm.Boolean' && operand.constant.value;
    return () => outcome;
  }
  const lookup = new Lookup(operand.name);
  return row => lookup.find(row.value) && lookup.type(row.value) === BOOLEAN && lookup.boolean(row.value);
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

/** The test that a row passes if the filter matches it. */
export function compileFilter(filter: Filter): RowTest {
  switch (filter.kind) {
    case 'and': {
      const tests = chain(filter, 'and').map(compileFilter);
      return row => {
        for (const test of tests) if (!test(row)) return false;
        return true;
      };
    }
    case 'or': {
      const tests = chain(filter, 'or').map(compileFilter);
      return row => {
        for (const test of tests) if (test(row)) return true;
        return false;
      };
    }
    case 'not': {
      const test = compileFilter(filter.operand);
      return row => !test(row);
    }
    case 'compare':
      return compileComparison(filter.operator, filter.left, filter.right);
    default:
      return compileOperand(filter);
  }
}
