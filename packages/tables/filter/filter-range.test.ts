// The bounds of a scan: examples, and that no match is ever outside of them, checked by an evaluator without ranges.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { randomRuns } from '#base/testing/random-runs';
import type { Position, ScanRange } from '#store';
import { and, compare, evaluate, not, OPERATORS, or, string, truth } from '../testing/filter.js';
import type { ComparisonOperator, Filter } from './filter.js';
import { scanPlanOf } from './filter-range.js';

const partition = (operator: ComparisonOperator, value: string): Filter =>
  compare('PartitionKey', operator, string(value));
const row = (operator: ComparisonOperator, value: string): Filter =>
  compare('RowKey', operator, string(value));
const other: Filter = compare('Age', 'gt', string('7'));

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
  assertRange(and(partition('eq', 'a'), row('gt', 'x'), row('lt', 'x')), undefined);
  assertRange(partition('lt', ''), undefined);
  assertRange(or(partition('lt', ''), partition('eq', 'a')), range(['a', ''], ['a\0', '']));
});

// Keys that are close together: each has its immediate successor and its prefix among them.
const KEYS = ['', '\0', 'a', 'a\0', 'aa', 'b', '\u{1f600}', '\uffff'];
const POSITIONS: readonly Position[] = KEYS.flatMap(p => KEYS.map(key => ({ partition: p, key })));

const key = fc.constantFrom(...KEYS);
const operator = fc.constantFrom(...OPERATORS);
const keyComparison = fc
  .tuple(fc.constantFrom('PartitionKey', 'RowKey'), operator, key)
  .map(([name, op, value]) => compare(name, op, string(value)));
/** A comparison that the evaluator assumes true or false; the range must be right for both. */
const opaque = fc.boolean().map(truth);
const { filter: anyFilter } = fc.letrec<{ filter: Filter }>(tie => ({
  filter: fc.oneof(
    { depthSize: 'medium' },
    keyComparison,
    opaque,
    fc
      .tuple(fc.constantFrom(and, or), fc.array(tie('filter'), { minLength: 2, maxLength: 3 }))
      .map(([join, terms]) => join(...terms)),
    tie('filter').map(not),
  ),
}));

const matches = (filter: Filter, at: Position): boolean =>
  evaluate(filter, { ...at, version: 0n, properties: [] });

const precedes = (a: Position, b: Position): boolean =>
  a.partition < b.partition || (a.partition === b.partition && a.key < b.key);

const holds = (found: ScanRange | undefined, at: Position): boolean =>
  found !== undefined &&
  !precedes(at, found.from) &&
  (found.until === undefined || precedes(at, found.until));

test('every match is in the range', () => {
  fc.assert(
    fc.property(anyFilter, filter => {
      const found = scanPlanOf(filter).range;
      if (found?.until) assert.ok(precedes(found.from, found.until));
      for (const at of POSITIONS.filter(position => matches(filter, position))) assert.ok(holds(found, at));
    }),
    { numRuns: randomRuns(3_000) },
  );
});

const exactOperator = fc.constantFrom<ComparisonOperator>('eq', 'gt', 'ge', 'lt', 'le');
const conjunction = (terms: readonly Filter[], first: Filter): Filter => and(first, ...terms);

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
    const terms = of.kind === 'and' ? of.terms : [of];
    return place === 1 ? and(partition('eq', value), ...terms) : and(...terms, partition('eq', value));
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
  assert.equal(scanPlanOf(undefined).residual, undefined);
  assert.equal(scanPlanOf(point).residual, undefined);
  assert.equal(scanPlanOf(and(row('ge', 'a'), point, row('lt', 'c'))).residual, undefined);
  assert.deepEqual(scanPlanOf(and(point, other, row('lt', 'c'))).residual, other);
  assert.deepEqual(scanPlanOf(and(point, row('ne', 'b'), other)).residual, and(row('ne', 'b'), other));
  const open = and(partition('ge', 'p'), row('lt', 'c'));
  assert.deepEqual(scanPlanOf(open).residual, open);
});
