// Filters as tests write them, and a simple evaluation of their tree on the properties themselves. It follows the protocol literally
// (protocol: queries#comparing) and shares no code with the compiler.
import type { EdmValue, Property } from '../entity/edm.js';
import type { ComparisonOperator, Filter, Operand } from '../filter/filter.js';

export const OPERATORS: readonly ComparisonOperator[] = ['eq', 'ne', 'lt', 'le', 'gt', 'ge'];

export const property = (name: string): Operand => ({ kind: 'property', name });
export const constant = (value: EdmValue): Operand => ({ kind: 'constant', constant: value });
export const string = (value: string): Operand => constant({ type: 'Edm.String', value });
export const integer = (value: number): Operand => constant({ type: 'Edm.Int32', value });
export const truth = (value: boolean): Operand => constant({ type: 'Edm.Boolean', value });
export const compare = (name: string, operator: ComparisonOperator, other: Operand): Filter => ({
  kind: 'compare',
  name,
  operator,
  other,
});
export const and = (...terms: Filter[]): Filter => ({ kind: 'and', terms });
export const or = (...terms: Filter[]): Filter => ({ kind: 'or', terms });
export const not = (operand: Filter): Filter => ({ kind: 'not', operand });

export interface Entity {
  readonly partition: string;
  readonly key: string;
  readonly version: bigint;
  readonly properties: readonly Property[];
}

const MISMATCH: Readonly<Record<ComparisonOperator, boolean>> = {
  eq: false,
  ne: true,
  lt: true,
  le: true,
  gt: false,
  ge: false,
};

function inOrder<T>(a: T, op: ComparisonOperator, b: T): boolean {
  if (op === 'eq') return a === b;
  if (op === 'ne') return a !== b;
  if (op === 'lt') return a < b;
  if (op === 'le') return a <= b;
  return op === 'gt' ? a > b : a >= b;
}

const RANK = new Map([
  ['Edm.Int32', 0],
  ['Edm.Int64', 1],
  ['Edm.Double', 2],
]);
const isNumber = (held: EdmValue): boolean => RANK.has(held.type);

/** Numbers as doubles if one of them is one, as whole numbers otherwise. */
function numberPair(a: EdmValue, b: EdmValue): readonly [number | bigint, number | bigint] {
  const isDouble = a.type === 'Edm.Double' || b.type === 'Edm.Double';
  return isDouble ? [Number(a.value), Number(b.value)] : [BigInt(String(a.value)), BigInt(String(b.value))];
}

function ofOneType(a: EdmValue, op: ComparisonOperator, b: EdmValue): boolean {
  if (a.type === 'Edm.Binary' && b.type === 'Edm.Binary')
    return inOrder(a.value.toString('hex'), op, b.value.toString('hex'));
  return inOrder(a.value, op, b.value);
}

/** A literal is promoted to the type of the property, never the other way round. */
function evaluateLiteral(held: EdmValue, op: ComparisonOperator, literal: EdmValue): boolean {
  const [rank, literalRank] = [RANK.get(held.type), RANK.get(literal.type)];
  if (rank !== undefined && literalRank !== undefined && literalRank <= rank) {
    const [a, b] = numberPair(held, literal);
    return inOrder(a, op, b);
  }
  return held.type === literal.type ? ofOneType(held, op, literal) : MISMATCH[op];
}

function evaluatePair(left: EdmValue, op: ComparisonOperator, right: EdmValue): boolean {
  if (left.type === right.type) return ofOneType(left, op, right);
  if (!isNumber(left) || !isNumber(right)) return MISMATCH[op];
  if (left.value < right.value) return inOrder(0, op, 1);
  return left.value > right.value ? inOrder(1, op, 0) : inOrder(Number(left.value), op, Number(right.value));
}

function held(name: string, of: Entity): EdmValue | undefined {
  if (name === 'PartitionKey') return { type: 'Edm.String', value: of.partition };
  if (name === 'RowKey') return { type: 'Edm.String', value: of.key };
  if (name === 'Timestamp') return { type: 'Edm.DateTime', value: of.version };
  return of.properties.find(property => property.name === name);
}

export function evaluate(filter: Filter, of: Entity): boolean {
  switch (filter.kind) {
    case 'and':
      return filter.terms.every(term => evaluate(term, of));
    case 'or':
      return filter.terms.some(term => evaluate(term, of));
    case 'not':
      return !evaluate(filter.operand, of);
    case 'compare': {
      const { name, operator, other } = filter;
      const left = held(name, of);
      if (left === undefined) return false;
      if (other.kind === 'constant') return evaluateLiteral(left, operator, other.constant);
      const right = held(other.name, of);
      return right !== undefined && evaluatePair(left, operator, right);
    }
    case 'constant':
      return filter.constant.value === true;
    case 'property': {
      const found = held(filter.name, of);
      return found?.type === 'Edm.Boolean' && found.value;
    }
  }
}
