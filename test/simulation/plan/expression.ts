// The simulation's filters: generated at draw, written as $filter, and evaluated on a row as the service does
// (protocol: queries#comparing), one comparison at a time and without a plan.

import fc from 'fast-check';
import { chance, from, oneOf, weighted } from '../../random/arbitrary.js';
import { PROPERTY_NAMES, type Property, someValue, type Value } from './value.js';

type Operator = 'eq' | 'ne' | 'lt' | 'le' | 'gt' | 'ge';

export type Expression =
  | { readonly kind: 'and' | 'or'; readonly left: Expression; readonly right: Expression }
  | { readonly kind: 'not'; readonly operand: Expression }
  /** `mirrored` writes the constant first; the meaning is still that of `name operator constant`. */
  | {
      readonly kind: 'compare';
      readonly name: string;
      readonly operator: Operator;
      readonly constant: Value;
      readonly mirrored: boolean;
    }
  | { readonly kind: 'flag'; readonly name: string };

/** Filters only compare it with other centuries, and rows are of this one. */
const SOME_TIME: Value = { type: 'Edm.DateTime', text: '2020-01-01T00:00:00.0000000Z' };
const OTHER_TIMES = ['1999-12-31T23:59:59.9999999Z', '2199-12-31T23:59:59.9999999Z'];

/** A row without its version. */
export interface Entity {
  readonly partition: string;
  readonly key: string;
  readonly properties: readonly Property[];
}

const OPERATORS: readonly Operator[] = ['eq', 'ne', 'lt', 'le', 'gt', 'ge'];
const MIRRORED: Readonly<Record<Operator, Operator>> = {
  eq: 'eq',
  ne: 'ne',
  lt: 'gt',
  le: 'ge',
  gt: 'lt',
  ge: 'le',
};

function literal({ type, text }: Value): string {
  switch (type) {
    case 'Edm.String':
      return `'${text.replaceAll("'", "''")}'`;
    case 'Edm.Int64':
      return `${text}L`;
    case 'Edm.DateTime':
      return `datetime'${text}'`;
    case 'Edm.Guid':
      return `guid'${text}'`;
    case 'Edm.Binary':
      return `X'${Buffer.from(text, 'base64').toString('hex')}'`;
    default:
      return text;
  }
}

export function textOf(expression: Expression): string {
  switch (expression.kind) {
    case 'and':
    case 'or':
      return `(${textOf(expression.left)}) ${expression.kind} (${textOf(expression.right)})`;
    case 'not':
      return `not (${textOf(expression.operand)})`;
    case 'flag':
      return expression.name;
    case 'compare': {
      const { name, operator, constant, mirrored } = expression;
      return mirrored
        ? `${literal(constant)} ${MIRRORED[operator]} ${name}`
        : `${name} ${operator} ${literal(constant)}`;
    }
  }
}

const isNumber = ({ type }: Value): boolean =>
  type === 'Edm.Int32' || type === 'Edm.Int64' || type === 'Edm.Double';
const sign = (a: string | number | bigint, b: string | number | bigint): number =>
  a < b ? -1 : a > b ? 1 : 0;
const hexOf = ({ text }: Value): string => Buffer.from(text, 'base64').toString('hex');
const exact = ({ type, text }: Value): bigint | number =>
  type === 'Edm.Double' ? Number(text) : BigInt(text);

/** Below, at or above 0; undefined if the types do not match. The protocol's table decides which literal matches which property. */
function order(held: Value, constant: Value): number | undefined {
  if (isNumber(held) && isNumber(constant)) {
    const matches =
      held.type === constant.type ||
      held.type === 'Edm.Double' ||
      (held.type === 'Edm.Int64' && constant.type === 'Edm.Int32');
    return matches ? sign(exact(held), exact(constant)) : undefined;
  }
  if (held.type !== constant.type) return undefined;
  // `false` comes before `true`, times all have the same number of digits, and hexadecimal orders as the bytes do.
  return held.type === 'Edm.Binary' ? sign(hexOf(held), hexOf(constant)) : sign(held.text, constant.text);
}

function holds(operator: Operator, ordered: number | undefined): boolean {
  if (ordered === undefined) return operator === 'ne' || operator === 'lt' || operator === 'le';
  switch (operator) {
    case 'eq':
      return ordered === 0;
    case 'ne':
      return ordered !== 0;
    case 'lt':
      return ordered < 0;
    case 'le':
      return ordered <= 0;
    case 'gt':
      return ordered > 0;
    case 'ge':
      return ordered >= 0;
  }
}

function heldValue(entity: Entity, name: string): Value | undefined {
  if (name === 'PartitionKey') return { type: 'Edm.String', text: entity.partition };
  if (name === 'RowKey') return { type: 'Edm.String', text: entity.key };
  if (name === 'Timestamp') return SOME_TIME;
  return entity.properties.find(([held]) => held === name)?.[1];
}

export function matches(expression: Expression, entity: Entity): boolean {
  switch (expression.kind) {
    case 'and':
      return matches(expression.left, entity) && matches(expression.right, entity);
    case 'or':
      return matches(expression.left, entity) || matches(expression.right, entity);
    case 'not':
      return !matches(expression.operand, entity);
    case 'flag':
      return (
        heldValue(entity, expression.name)?.text === 'true' &&
        heldValue(entity, expression.name)?.type === 'Edm.Boolean'
      );
    case 'compare': {
      const held = heldValue(entity, expression.name);
      return held !== undefined && holds(expression.operator, order(held, expression.constant));
    }
  }
}

export interface Keys {
  readonly partitions: readonly string[];
  readonly rows: readonly string[];
}

const ON_KEYS = weighted<Operator>([4, 'eq'], [1, 'ne'], [2, 'lt'], [2, 'le'], [2, 'gt'], [3, 'ge']);

const comparison = (
  name: fc.Arbitrary<string>,
  operator: fc.Arbitrary<Operator>,
  constant: fc.Arbitrary<Value>,
): fc.Arbitrary<Expression> =>
  fc.record({ kind: fc.constant('compare'), name, operator, constant, mirrored: chance(15) });

function leafOf({ partitions, rows }: Keys): fc.Arbitrary<Expression> {
  const [name, operator] = [from(PROPERTY_NAMES), from(OPERATORS)];
  const onKey = (key: string, keys: readonly string[]): fc.Arbitrary<Expression> =>
    comparison(
      fc.constant(key),
      ON_KEYS,
      from(keys).map(text => ({ type: 'Edm.String', text })),
    );
  const time = from(OTHER_TIMES).map((text): Value => ({ type: 'Edm.DateTime', text }));
  return oneOf<Expression>(
    [8, onKey('PartitionKey', partitions)],
    [8, onKey('RowKey', rows)],
    [9, comparison(name, operator, someValue)],
    [1, comparison(fc.constant('Timestamp'), operator, time)],
    [2, fc.record({ kind: fc.constant('flag'), name })],
  );
}

/** Half of them begin with bounds of keys, as clients do: these determine which rows are read. */
export function someExpression(keys: Keys, depth = 2): fc.Arbitrary<Expression> {
  const leaf = leafOf(keys);
  if (depth === 0) return leaf;
  const inner = someExpression(keys, depth - 1);
  const pair = (kind: 'and' | 'or') => fc.record({ kind: fc.constant(kind), left: inner, right: inner });
  return oneOf<Expression>(
    [40, leaf],
    [30, pair('and')],
    [18, pair('or')],
    [12, fc.record({ kind: fc.constant('not'), operand: inner })],
  );
}
