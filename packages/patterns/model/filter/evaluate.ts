// Evaluates a condition on a row in the client, with the service's rules: for joins and for tests. Queries are never evaluated here in place of the service;
// given-keys.ts says what is left of one whose keys are known.
import { compareBytes } from '../../values/bytes.js';
import { type BagValue, isInstant, type TypedValue } from '../../values/typed-value.js';
import { type Comparison, type Condition, MIRRORED, type Operand } from './condition.js';

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

/** Below, at or above 0; NaN where one of them is not a number. */
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
