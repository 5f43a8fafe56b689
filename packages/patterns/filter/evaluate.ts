// Evaluates a condition in the client, with the service's rules: on a whole row, for joins and for tests, or on the keys alone, for queries that are sent
// row by row. Other queries are never evaluated here in place of the service.
import { compareBytes } from '../values/bytes.js';
import type { TypedValue } from '../values/decode-property.js';
import { type BagValue, isInstant } from '../values/edm.js';
import type { Point } from './classify.js';
import {
  allOf,
  anyOf,
  type Comparison,
  type Condition,
  isTrue,
  MIRRORED,
  type Operand,
  TRUE,
} from './condition.js';

/** What a row has under a name. */
export type RowReader = (name: string) => TypedValue | undefined;

/** What comparing gives where the types do not match, whatever the values are. */
const ON_MISMATCH: Readonly<Record<Comparison, boolean>> = {
  eq: false,
  ne: true,
  lt: true,
  le: true,
  gt: false,
  ge: false,
};

/** Below, at or above 0; NaN where one of them is no number. */
function verdict(operator: Comparison, order: number): boolean {
  switch (operator) {
    case 'eq':
      return order === 0;
    case 'ne':
      return order !== 0;
    case 'lt':
      return order < 0;
    case 'le':
      return order <= 0;
    case 'gt':
      return order > 0;
    case 'ge':
      return order >= 0;
  }
}

const isNumber = (value: BagValue): value is number | bigint =>
  typeof value === 'number' || typeof value === 'bigint';

/** JavaScript orders a number and a bigint by their exact values. */
const ordered = <T extends string | number | bigint>(a: T, b: T): number =>
  a < b ? -1 : a > b ? 1 : Number.isNaN(a) || Number.isNaN(b) ? Number.NaN : 0;

/** Of values of one type. */
function orderOf(left: BagValue, right: BagValue): number | undefined {
  if (isInstant(left) && isInstant(right)) return ordered(left.ticks, right.ticks);
  if (left instanceof Uint8Array && right instanceof Uint8Array) return compareBytes(left, right);
  if (typeof left === 'string' && typeof right === 'string') return ordered(left, right);
  if (typeof left === 'boolean' && typeof right === 'boolean') return Number(left) - Number(right);
  return isNumber(left) && isNumber(right) ? ordered<number | bigint>(left, right) : undefined;
}

/** The types of properties that a literal of each type may be compared with: a literal is promoted, a property is not. */
const COMPARABLE: Readonly<Record<string, readonly string[]>> = {
  Int32: ['Int32', 'Int64', 'Double'],
  Int64: ['Int64', 'Double'],
};

function compareTo(property: TypedValue, operator: Comparison, literal: TypedValue): boolean {
  const types = COMPARABLE[literal.type] ?? [literal.type];
  if (!types.includes(property.type)) return ON_MISMATCH[operator];
  // A Double is compared as a double, so the literal becomes one.
  const value =
    property.type === 'Double' && typeof literal.value === 'bigint' ? Number(literal.value) : literal.value;
  const order = orderOf(property.value, value);
  return order === undefined ? ON_MISMATCH[operator] : verdict(operator, order);
}

/** Two properties, or two values: numbers of any two types, else one type. */
function compareAlike(left: TypedValue, operator: Comparison, right: TypedValue): boolean {
  const areNumbers = isNumber(left.value) && isNumber(right.value);
  const order = areNumbers || left.type === right.type ? orderOf(left.value, right.value) : undefined;
  return order === undefined ? ON_MISMATCH[operator] : verdict(operator, order);
}

function compareOperands(left: Operand, operator: Comparison, right: Operand, read: RowReader): boolean {
  if (left.kind === 'value' && right.kind === 'property')
    return compareOperands(right, MIRRORED[operator], left, read);
  const a = left.kind === 'value' ? left.typed : read(left.name);
  const b = right.kind === 'value' ? right.typed : read(right.name);
  // A property that is not there meets no comparison, `ne` neither.
  if (a === undefined || b === undefined) return false;
  return left.kind === 'property' && right.kind === 'value'
    ? compareTo(a, operator, b)
    : compareAlike(a, operator, b);
}

/** Whether a row meets the condition. */
export function evaluate(condition: Condition, read: RowReader): boolean {
  switch (condition.kind) {
    case 'and':
      return condition.terms.every(term => evaluate(term, read));
    case 'or':
      return condition.terms.some(term => evaluate(term, read));
    case 'not':
      return !evaluate(condition.term, read);
    case 'compare':
      return compareOperands(condition.left, condition.operator, condition.right, read);
    case 'value':
      return condition.typed.value === true;
    case 'property':
      return read(condition.name)?.value === true;
  }
}

const FALSE: Condition = { kind: 'value', typed: { type: 'Boolean', value: false } };

const isFalse = (condition: Condition): boolean =>
  condition.kind === 'value' && condition.typed.value === false;

const isKnown = (operand: Operand): boolean =>
  operand.kind === 'value' || operand.name === 'PartitionKey' || operand.name === 'RowKey';

/**
 * The residual condition once the keys of a row are known: without its comparisons of keys, a constant if there were no others. So a filter over several rows
 * can be sent to each of them by its key.
 */
export function givenKeys(condition: Condition, point: Point): Condition {
  switch (condition.kind) {
    case 'and': {
      const terms = condition.terms.map(term => givenKeys(term, point));
      return terms.some(isFalse) ? FALSE : allOf(terms);
    }
    case 'or': {
      const terms = condition.terms.map(term => givenKeys(term, point)).filter(term => !isFalse(term));
      const [first, ...others] = terms;
      if (first === undefined) return FALSE;
      return terms.some(isTrue) ? TRUE : anyOf([first, ...others]);
    }
    case 'not': {
      const term = givenKeys(condition.term, point);
      if (isTrue(term)) return FALSE;
      return isFalse(term) ? TRUE : { kind: 'not', term };
    }
    case 'compare':
      return isKnown(condition.left) && isKnown(condition.right) ? decided(condition, point) : condition;
    default:
      return isKnown(condition) ? decided(condition, point) : condition;
  }
}

function decided(condition: Condition, { partitionKey, rowKey }: Point): Condition {
  const keys = new Map([
    ['PartitionKey', partitionKey],
    ['RowKey', rowKey],
  ]);
  const isMet = evaluate(condition, name => {
    const value = keys.get(name);
    return value === undefined ? undefined : { type: 'String', value };
  });
  return isMet ? TRUE : FALSE;
}
