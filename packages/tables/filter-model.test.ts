// The compiled filter against a simple evaluation of its tree on the properties themselves, on random filters and entities.
// The evaluation follows the protocol literally (protocol: queries#comparing) and shares no code with the compiler.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { randomRuns } from '#base/testing/random-runs';
import type { EdmValue, Property } from './entity/edm.js';
import { encodeEntity } from './entity/entity-encoder.js';
import { compileFilter } from './filter/compile-filter.js';
import type { ComparisonOperator, Filter, Operand } from './filter/filter.js';
import { placed } from './testing/placed-row.js';

interface Entity {
  readonly partition: string;
  readonly key: string;
  readonly version: bigint;
  readonly properties: readonly Property[];
}

const GUID = 'c9da6455-213d-42c9-9a79-3e9149a57833';
/** Few values, close together, so that comparisons often meet equal ones. */
const VALUES: readonly EdmValue[] = [
  ...['', 'a', 'b', 'é', '1', GUID].map((value): EdmValue => ({ type: 'Edm.String', value })),
  ...[-1, 0, 1].map((value): EdmValue => ({ type: 'Edm.Int32', value })),
  ...[-1n, 0n, 1n, 2n ** 53n + 1n].map((value): EdmValue => ({ type: 'Edm.Int64', value })),
  ...[-1, -0, 1, 1.5, 2 ** 53, Number.NaN, Number.POSITIVE_INFINITY].map(
    (value): EdmValue => ({ type: 'Edm.Double', value }),
  ),
  ...[false, true].map((value): EdmValue => ({ type: 'Edm.Boolean', value })),
  ...[0n, 1n].map((value): EdmValue => ({ type: 'Edm.DateTime', value })),
  ...[GUID, GUID.replace('c', 'd')].map((value): EdmValue => ({ type: 'Edm.Guid', value })),
  ...['', 'a', 'ab'].map((value): EdmValue => ({ type: 'Edm.Binary', value: Buffer.from(value) })),
];
const KEYS = ['', 'a', 'b', '\u{1f600}', '\uffff'];

const value = fc.constantFrom(...VALUES);
const name = fc.constantFrom('a', 'b', 'été', '__proto__', 'constructor', 'missing');
const keyText = fc.constantFrom(...KEYS);
const version = fc.constantFrom(0n, 1n, 2n);
const operator = fc.constantFrom<ComparisonOperator>('eq', 'ne', 'gt', 'ge', 'lt', 'le');

const propertyOf = (of: string): Operand => ({ kind: 'property', name: of });
const constantOf = (of: EdmValue): Operand => ({ kind: 'constant', constant: of });
const compared = (left: Operand, op: ComparisonOperator, right: Operand, swapped: boolean): Filter =>
  swapped
    ? { kind: 'compare', operator: op, left: right, right: left }
    : { kind: 'compare', operator: op, left, right };

const openComparison = fc
  .tuple(name, operator, value, fc.boolean())
  .map(([of, op, with_, swapped]) => compared(propertyOf(of), op, constantOf(with_), swapped));
const keyComparison = fc
  .tuple(fc.constantFrom('PartitionKey', 'RowKey'), operator, keyText, fc.boolean())
  .map(([of, op, text, swapped]) =>
    compared(propertyOf(of), op, constantOf({ type: 'Edm.String', value: text }), swapped),
  );
const versionComparison = fc
  .tuple(operator, version, fc.boolean())
  .map(([op, ticks, swapped]) =>
    compared(propertyOf('Timestamp'), op, constantOf({ type: 'Edm.DateTime', value: ticks }), swapped),
  );
const anyName = fc.oneof(name, fc.constantFrom('PartitionKey', 'RowKey', 'Timestamp'));
const propertyComparison = fc
  .tuple(anyName, operator, anyName)
  .map(([a, op, b]) => compared(propertyOf(a), op, propertyOf(b), false));
const bare = fc.oneof(
  name.map(propertyOf),
  fc.boolean().map(on => constantOf({ type: 'Edm.Boolean', value: on })),
);

const { filter: anyFilter } = fc.letrec<{ filter: Filter }>(tie => ({
  filter: fc.oneof(
    { depthSize: 'medium' },
    openComparison,
    keyComparison,
    versionComparison,
    propertyComparison,
    bare,
    tie('filter').map((operand): Filter => ({ kind: 'not', operand })),
    fc
      .tuple(fc.constantFrom('and', 'or'), tie('filter'), tie('filter'))
      .map(([kind, left, right]): Filter => ({ kind, left, right })),
  ),
}));

const entity: fc.Arbitrary<Entity> = fc.record({
  partition: keyText,
  key: keyText,
  version,
  properties: fc.uniqueArray(
    fc.tuple(name, value).map(([of, held]): Property => ({ name: of, ...held })),
    { selector: property => property.name },
  ),
});

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

const SWAPPED: Readonly<Record<ComparisonOperator, ComparisonOperator>> = {
  eq: 'eq',
  ne: 'ne',
  lt: 'gt',
  le: 'ge',
  gt: 'lt',
  ge: 'le',
};

function held(operand: Operand, of: Entity): EdmValue | undefined {
  if (operand.kind === 'constant') return operand.constant;
  if (operand.name === 'PartitionKey') return { type: 'Edm.String', value: of.partition };
  if (operand.name === 'RowKey') return { type: 'Edm.String', value: of.key };
  if (operand.name === 'Timestamp') return { type: 'Edm.DateTime', value: of.version };
  return of.properties.find(property => property.name === operand.name);
}

function evaluate(filter: Filter, of: Entity): boolean {
  switch (filter.kind) {
    case 'and':
      return evaluate(filter.left, of) && evaluate(filter.right, of);
    case 'or':
      return evaluate(filter.left, of) || evaluate(filter.right, of);
    case 'not':
      return !evaluate(filter.operand, of);
    case 'compare': {
      const [left, right] = [held(filter.left, of), held(filter.right, of)];
      if (left === undefined || right === undefined) return false;
      if (filter.left.kind === 'constant') return evaluateLiteral(right, SWAPPED[filter.operator], left);
      if (filter.right.kind === 'constant') return evaluateLiteral(left, filter.operator, right);
      if (left.type === right.type) return ofOneType(left, filter.operator, right);
      if (!isNumber(left) || !isNumber(right)) return MISMATCH[filter.operator];
      return left.value < right.value
        ? inOrder(0, filter.operator, 1)
        : left.value > right.value
          ? inOrder(1, filter.operator, 0)
          : inOrder(Number(left.value), filter.operator, Number(right.value));
    }
    default: {
      const truth = held(filter, of);
      return truth?.type === 'Edm.Boolean' && truth.value;
    }
  }
}

test('the compiled filter matches the same rows as the simple evaluation', () => {
  fc.assert(
    fc.property(anyFilter, fc.array(entity, { minLength: 1, maxLength: 8 }), (filter, entities) => {
      const takes = compileFilter(filter);
      for (const of of entities) {
        const { partition, key, version: ticks, properties } = of;
        const taken = takes(placed({ partition, key, version: ticks, value: encodeEntity(properties) }));
        assert.equal(taken, evaluate(filter, of));
      }
    }),
    { numRuns: randomRuns(5_000) },
  );
});
