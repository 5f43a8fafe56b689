// The bounds of a scan: examples, and that no match is ever outside of them, checked by an evaluator without ranges.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { randomRuns } from '#base/testing/random-runs';
import type { Position, ScanRange } from '#store';
import type { ComparisonOperator, Filter, Operand } from './filter.js';
import { pointOf, scanPlanOf } from './filter-range.js';

const OPERATORS: readonly ComparisonOperator[] = ['eq', 'ne', 'gt', 'ge', 'lt', 'le'];

const property = (name: string): Operand => ({ kind: 'property', name });
const text = (value: string): Operand => ({ kind: 'constant', constant: { type: 'Edm.String', value } });
const compare = (left: Operand, operator: ComparisonOperator, right: Operand): Filter => ({
  kind: 'compare',
  operator,
  left,
  right,
});
const partition = (operator: ComparisonOperator, value: string): Filter =>
  compare(property('PartitionKey'), operator, text(value));
const row = (operator: ComparisonOperator, value: string): Filter =>
  compare(property('RowKey'), operator, text(value));
const and = (left: Filter, right: Filter): Filter => ({ kind: 'and', left, right });
const or = (left: Filter, right: Filter): Filter => ({ kind: 'or', left, right });
const not = (operand: Filter): Filter => ({ kind: 'not', operand });
const other: Filter = compare(property('Age'), 'gt', text('7'));

const range = (from: readonly [string, string], until?: readonly [string, string]): ScanRange => {
  const [first, last] = [from, until].map(at => at && { partition: at[0], key: at[1] });
  assert.ok(first);
  return last ? { from: first, until: last } : { from: first };
};

function assertRange(filter: Filter | undefined, expected: ScanRange | undefined): void {
  const found = scanPlanOf(filter).range;
  assert.deepEqual([found?.from, found?.until], [expected?.from, expected?.until]);
}

test('or takes the hull, and of keys within the intervals that are and-ed to it', () => {
  const points = [
    and(partition('eq', 'a'), row('eq', 'x')),
    and(partition('eq', 'b'), row('eq', 'y')),
  ] as const;
  assertRange(or(...points), range(['a', 'x'], ['b', 'y\0']));
  assertRange(and(partition('eq', 'a'), or(row('eq', 'y'), row('eq', 'x'))), range(['a', 'x'], ['a', 'y\0']));
  assertRange(or(partition('ge', 'c'), partition('eq', 'a')), range(['a', '']));
});

test('not is pushed down to the comparisons', () => {
  assertRange(not(partition('lt', 'b')), range(['b', '']));
  assertRange(not(or(partition('lt', 'b'), partition('ge', 'c'))), range(['b', ''], ['c', '']));
  assertRange(not(not(partition('eq', 'b'))), range(['b', ''], ['b\0', '']));
  assertRange(not(other), range(['', '']));
});

test('contradictions have no range', () => {
  assertRange(and(partition('eq', 'a'), partition('eq', 'b')), undefined);
  assertRange(and(partition('eq', 'a'), and(row('gt', 'x'), row('lt', 'x'))), undefined);
  assertRange(partition('lt', ''), undefined);
  assertRange(or(partition('lt', ''), partition('eq', 'a')), range(['a', ''], ['a\0', '']));
});

test('pointOf finds both keys and nothing else', () => {
  const point = and(and(other, partition('eq', 'a')), row('eq', 'x'));
  assert.deepEqual(pointOf(point), { partitionKey: 'a', rowKey: 'x' });
  assert.deepEqual(pointOf(and(partition('eq', ''), row('eq', ''))), { partitionKey: '', rowKey: '' });
  for (const filter of [other, partition('eq', 'a'), or(point, other), and(point, partition('eq', 'b'))]) {
    assert.equal(pointOf(filter), undefined);
  }
});

// Keys that are close together: each has its immediate successor and its prefix among them.
const KEYS = ['', '\0', 'a', 'a\0', 'aa', 'b', '\u{1f600}', '\uffff'];
const POSITIONS: readonly Position[] = KEYS.flatMap(p => KEYS.map(key => ({ partition: p, key })));

const key = fc.constantFrom(...KEYS);
const operator = fc.constantFrom(...OPERATORS);
const keyComparison = fc
  .tuple(fc.constantFrom('PartitionKey', 'RowKey'), operator, key, fc.boolean())
  .map(([name, op, value, swapped]) =>
    swapped ? compare(text(value), op, property(name)) : compare(property(name), op, text(value)),
  );
/** A comparison that the evaluator below assumes true or false; the range must be right for both. */
const opaque = fc
  .boolean()
  .map((value): Filter => ({ kind: 'constant', constant: { type: 'Edm.Boolean', value } }));
const { filter: anyFilter } = fc.letrec<{ filter: Filter }>(tie => ({
  filter: fc.oneof(
    { depthSize: 'medium' },
    keyComparison,
    opaque,
    fc
      .tuple(fc.constantFrom('and', 'or'), tie('filter'), tie('filter'))
      .map(([kind, left, right]) => ({ kind, left, right })),
    tie('filter').map(not),
  ),
}));

const EVALUATE: Readonly<Record<ComparisonOperator, (a: string, b: string) => boolean>> = {
  eq: (a, b) => a === b,
  ne: (a, b) => a !== b,
  gt: (a, b) => a > b,
  ge: (a, b) => a >= b,
  lt: (a, b) => a < b,
  le: (a, b) => a <= b,
};

function valueAt(operand: Operand, at: Position): string {
  if (operand.kind === 'property') return operand.name === 'PartitionKey' ? at.partition : at.key;
  assert.equal(operand.constant.type, 'Edm.String');
  return String(operand.constant.value);
}

function matches(filter: Filter, at: Position): boolean {
  switch (filter.kind) {
    case 'and':
      return matches(filter.left, at) && matches(filter.right, at);
    case 'or':
      return matches(filter.left, at) || matches(filter.right, at);
    case 'not':
      return !matches(filter.operand, at);
    case 'compare':
      return EVALUATE[filter.operator](valueAt(filter.left, at), valueAt(filter.right, at));
    case 'constant':
      return filter.constant.value === true;
    case 'property':
      return false;
  }
}

const precedes = (a: Position, b: Position): boolean =>
  a.partition < b.partition || (a.partition === b.partition && a.key < b.key);

const holds = (found: ScanRange | undefined, at: Position): boolean =>
  found !== undefined &&
  !precedes(at, found.from) &&
  (found.until === undefined || precedes(at, found.until));

test('every match is in the range, and a point is the only match', () => {
  fc.assert(
    fc.property(anyFilter, filter => {
      const found = scanPlanOf(filter).range;
      const point = pointOf(filter);
      if (found?.until) assert.ok(precedes(found.from, found.until));
      for (const at of POSITIONS.filter(position => matches(filter, position))) {
        assert.ok(holds(found, at));
        if (point) assert.deepEqual([at.partition, at.key], [point.partitionKey, point.rowKey]);
      }
    }),
    { numRuns: randomRuns(3_000) },
  );
});

const exactOperator = fc.constantFrom<ComparisonOperator>('eq', 'gt', 'ge', 'lt', 'le');
const conjunction = (terms: readonly Filter[], first: Filter): Filter => terms.reduce(and, first);

test('in one partition, a conjunction of key comparisons gives exactly the matches', () => {
  const terms = fc.array(
    fc.tuple(exactOperator, key).map(([op, value]) => row(op, value)),
    { maxLength: 4 },
  );
  fc.assert(
    fc.property(key, terms, (value, rest) => {
      const filter = conjunction(rest, partition('eq', value));
      const found = scanPlanOf(filter).range;
      for (const at of POSITIONS) assert.equal(holds(found, at), matches(filter, at));
    }),
    { numRuns: randomRuns(1_000) },
  );
});

test('over partitions, a conjunction of partition comparisons gives exactly the matches', () => {
  const term = fc.tuple(exactOperator, key).map(([op, value]) => partition(op, value));
  fc.assert(
    fc.property(term, fc.array(term, { maxLength: 4 }), (first, rest) => {
      const filter = conjunction(rest, first);
      const found = scanPlanOf(filter).range;
      for (const at of POSITIONS) assert.equal(holds(found, at), matches(filter, at));
    }),
    { numRuns: randomRuns(1_000) },
  );
});

test('on rows of the range the residual predicate decides as the whole filter does', () => {
  const filter = fc.tuple(anyFilter, key, fc.nat({ max: 2 })).map(([of, value, place]) => {
    if (place === 0) return of;
    return place === 1 ? and(partition('eq', value), of) : and(of, partition('eq', value));
  });
  fc.assert(
    fc.property(filter, of => {
      const plan = scanPlanOf(of);
      for (const at of POSITIONS) {
        const found = holds(plan.range, at) && (plan.residual === undefined || matches(plan.residual, at));
        assert.equal(found, matches(of, at));
      }
    }),
    { numRuns: randomRuns(3_000) },
  );
});

test('intervals in one partition leave no residual predicate, other comparisons do', () => {
  const point = partition('eq', 'p');
  const swapped = compare(text('a'), 'le', property('RowKey'));
  assert.equal(scanPlanOf(undefined).residual, undefined);
  assert.equal(scanPlanOf(point).residual, undefined);
  assert.equal(scanPlanOf(and(and(swapped, point), row('lt', 'c'))).residual, undefined);
  assert.deepEqual(scanPlanOf(and(and(point, other), row('lt', 'c'))).residual, other);
  assert.deepEqual(scanPlanOf(and(and(point, row('ne', 'b')), other)).residual, and(row('ne', 'b'), other));
  const open = and(partition('ge', 'p'), row('lt', 'c'));
  assert.deepEqual(scanPlanOf(open).residual, open);
});
