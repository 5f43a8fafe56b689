// Evaluates a condition on a row in the client, with the service's rules: for joins and for tests. Queries are never evaluated here in place of the service;
// plan.ts sends what is left of one whose keys are known.
import { compareBytes } from '../../values/bytes.js';
import { isInstant } from '../../values/instant.js';
import type { WireObject } from '../../values/read-wire.js';
import { type BagValue, decodeProperty, type TypedValue, typedIn } from '../../values/typed-value.js';
import {
  COMPARISONS,
  type Comparison,
  type Condition,
  isTrue,
  type Operand,
  ordered,
  residual,
} from './condition.js';

/** What a row has under a name. */
export type RowReader = (name: string) => TypedValue | undefined;

/** A reader of a row as the service sends it. Its Timestamp has no type there and is a time. */
export const readerOf =
  (row: WireObject): RowReader =>
  name => {
    const typed = typedIn(row, name);
    return name === 'Timestamp' && typed ? decodeProperty(String(typed.value), 'Edm.DateTime') : typed;
  };

const isNumber = (value: BagValue): value is number | bigint =>
  typeof value === 'number' || typeof value === 'bigint';

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

/** Undefined where the types do not match. */
function orderToLiteral(property: TypedValue, literal: TypedValue): number | undefined {
  const types = COMPARABLE[literal.type] ?? [literal.type];
  if (!types.includes(property.type)) return undefined;
  // A Double is compared as a double, so the literal becomes one.
  const value =
    property.type === 'Double' && typeof literal.value === 'bigint' ? Number(literal.value) : literal.value;
  return orderOf(property.value, value);
}

/** Of two properties, or two values: numbers of any two types, else one type. */
function orderAlike(left: TypedValue, right: TypedValue): number | undefined {
  const areNumbers = isNumber(left.value) && isNumber(right.value);
  return areNumbers || left.type === right.type ? orderOf(left.value, right.value) : undefined;
}

function compareOperands(left: Operand, operator: Comparison, right: Operand, read: RowReader): boolean {
  const { mirrored, onMismatch, holds } = COMPARISONS[operator];
  if (left.kind === 'value' && right.kind === 'property') return compareOperands(right, mirrored, left, read);
  const a = left.kind === 'value' ? left.typed : read(left.name);
  const b = right.kind === 'value' ? right.typed : read(right.name);
  // A property that is not there meets no comparison, `ne` neither.
  if (a === undefined || b === undefined) return false;
  const order = left.kind === 'property' && right.kind === 'value' ? orderToLiteral(a, b) : orderAlike(a, b);
  return order === undefined ? onMismatch : holds(order);
}

/** Whether a row meets the condition. */
export const evaluate = (condition: Condition, read: RowReader): boolean =>
  isTrue(
    residual(condition, leaf => {
      if (leaf.kind === 'compare') return compareOperands(leaf.left, leaf.operator, leaf.right, read);
      return (leaf.kind === 'value' ? leaf.typed : read(leaf.name))?.value === true;
    }),
  );
