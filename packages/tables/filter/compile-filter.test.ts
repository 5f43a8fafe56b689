// What a filter matches (protocol: queries#comparing): every type against every literal; what it costs; damage. ../filter-model.test.ts has random filters.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ErrorDetail } from '#account';
import type { Effort, RowInPlace } from '#store';
import type { EdmType, EdmValue, Property } from '../entity/edm.js';
import { encodeEntity } from '../entity/entity-encoder.js';
import {
  and,
  compare,
  constant,
  integer,
  not,
  OPERATORS,
  or,
  property,
  string,
  truth,
} from '../testing/filter.js';
import { placed } from '../testing/placed-row.js';
import { compileFilter } from './compile-filter.js';
import type { ComparisonOperator, Filter } from './filter.js';

const row = (...properties: Property[]): RowInPlace =>
  placed({
    partition: 'p',
    key: 'r',
    version: 15_778_405_200_000_000n,
    value: encodeEntity(properties),
  });
const takes = (filter: Filter, ...properties: Property[]): boolean =>
  compileFilter(filter)(row(...properties));

/** Those of the six operators for which a property `a` with the first value matches, compared with the second. */
const operatorsThatTake = (value: EdmValue, literal: EdmValue): string =>
  OPERATORS.filter(op => takes(compare('a', op, constant(literal)), { name: 'a', ...value })).join(' ');

const LESS = 'ne lt le';
const EQUAL = 'eq le ge';
const GREATER = 'ne gt ge';
const UNORDERED = 'ne';

const guid = (first: string): EdmValue => ({
  type: 'Edm.Guid',
  value: `${first}da6455-213d-42c9-9a79-3e9149a57833`,
});
const bytes = (...values: number[]): EdmValue => ({ type: 'Edm.Binary', value: Buffer.from(values) });
const text = (value: string): EdmValue => ({ type: 'Edm.String', value });
const int32 = (value: number): EdmValue => ({ type: 'Edm.Int32', value });
const int64 = (value: bigint): EdmValue => ({ type: 'Edm.Int64', value });
const double = (value: number): EdmValue => ({ type: 'Edm.Double', value });
const boolean = (value: boolean): EdmValue => ({ type: 'Edm.Boolean', value });
const date = (value: bigint): EdmValue => ({ type: 'Edm.DateTime', value });

/** Values of each type in ascending order. */
const ASCENDING: ReadonlyMap<EdmType, readonly EdmValue[]> = new Map<EdmType, readonly EdmValue[]>([
  ['Edm.String', ['', '10', '9', 'B', 'a', 'aa', 'b', 'é', '\u{1f600}', '\uffff'].map(text)],
  ['Edm.Int32', [-2147483648, -1, 0, 1, 2147483647].map(int32)],
  ['Edm.Int64', [-(2n ** 63n), -1n, 0n, 2n ** 53n, 2n ** 53n + 1n, 2n ** 63n - 1n].map(int64)],
  ['Edm.Double', [Number.NEGATIVE_INFINITY, -1.5, 0, 5e-324, 1, 1.5, Number.POSITIVE_INFINITY].map(double)],
  ['Edm.Boolean', [boolean(false), boolean(true)]],
  ['Edm.DateTime', [-(10n ** 17n), 0n, 1n, 2n, 10n ** 17n].map(date)],
  ['Edm.Guid', ['00000000', 'c9da6455', 'ffffffff'].map(start => guid(start.slice(0, 2)))],
  [
    'Edm.Binary',
    [bytes(), bytes(0), bytes(0, 0), bytes(0, 1), bytes(1), bytes(0x7f), bytes(0x80), bytes(0xff)],
  ],
]);
const valuesOf = (type: EdmType): readonly EdmValue[] => ASCENDING.get(type) ?? [];
const TYPES = [...ASCENDING.keys()];

test('values of one type in their order', () => {
  for (const type of TYPES) {
    valuesOf(type).forEach((value, i) => {
      valuesOf(type).forEach((literal, j) => {
        const expected = i < j ? LESS : i > j ? GREATER : EQUAL;
        assert.equal(operatorsThatTake(value, literal), expected, `${type} ${value.value} ${literal.value}`);
      });
    });
  }
});

test('numbers of two types that compare', () => {
  const cases: readonly (readonly [EdmValue, EdmValue, string])[] = [
    [int64(5n), int32(5), EQUAL],
    [int64(2n ** 40n), int32(5), GREATER],
    [int64(-(2n ** 40n)), int32(5), LESS],
    [double(5), int32(5), EQUAL],
    [double(4.9), int32(5), LESS],
    [double(5), int64(5n), EQUAL],
    [double(5.1), int64(5n), GREATER],
    [double(Number.POSITIVE_INFINITY), int64(2n ** 63n - 1n), GREATER],
    [double(-0), int32(0), EQUAL],
    [double(Number.NaN), int32(5), UNORDERED],
    [double(Number.NaN), double(Number.NaN), UNORDERED],
    [double(1), double(Number.NaN), UNORDERED],
  ];
  for (const [value, literal, expected] of cases)
    assert.equal(operatorsThatTake(value, literal), expected, `${value.value} ${literal.value}`);
});

test('a comparison of a column with a constant of another type is refused before a row is read', () => {
  const cases: readonly (readonly [string, ComparisonOperator, EdmValue, ErrorDetail])[] = [
    ['PartitionKey', 'eq', int32(5), { left: 'Edm.String', right: 'Edm.Int32', operator: 'Equal' }],
    ['RowKey', 'ne', boolean(true), { left: 'Edm.String', right: 'Edm.Boolean', operator: 'NotEqual' }],
    ['RowKey', 'lt', guid('c9'), { left: 'Edm.String', right: 'Edm.Guid', operator: 'LessThan' }],
    ['RowKey', 'le', date(0n), { left: 'Edm.String', right: 'Edm.DateTime', operator: 'LessThanOrEqual' }],
    ['Timestamp', 'gt', text('2020'), { left: 'Edm.DateTime', right: 'Edm.String', operator: 'GreaterThan' }],
    [
      'Timestamp',
      'ge',
      int64(5n),
      { left: 'Edm.DateTime', right: 'Edm.Int64', operator: 'GreaterThanOrEqual' },
    ],
  ];
  for (const [name, op, literal, detail] of cases) {
    const expected = { name: 'TableError', code: 'InvalidInput:FilterTypes', detail };
    assert.throws(() => compileFilter(compare(name, op, constant(literal))), expected);
  }
});

/** What one evaluation of a chain of `count` different terms costs that does not end early. */
function stepsOf(term: (index: number) => Filter, count: number, of: RowInPlace): number {
  const effort: Effort = { steps: 0 };
  const test = compileFilter(or(...Array.from({ length: count }, (_, i) => term(i))), effort);
  assert.equal(test(of), false);
  const first = effort.steps;
  assert.equal(test(of), false);
  assert.equal(effort.steps, 2 * first, 'each row costs the same');
  return first;
}

test('every comparison counts as a step at least, whatever it compares', () => {
  const terms: readonly ((index: number) => Filter)[] = [
    i => compare('a', 'eq', integer(i + 1)),
    () => compare('PartitionKey', 'eq', string('x')),
    () => compare('Timestamp', 'eq', constant(date(0n))),
    () => compare('a', 'gt', property('b')),
    () => truth(false),
    () => property('a'),
    i => property(`missing${i}`),
    () => not(truth(true)),
  ];
  const of = row({ name: 'a', ...int32(0) }, { name: 'b', ...int32(0) });
  for (const [at, term] of terms.entries()) {
    const [few, many] = [stepsOf(term, 100, of), stepsOf(term, 1000, of)];
    assert(few >= 100 && many >= 1000 && many <= 5 * 1000, `${few}, ${many}: term ${at}`);
  }
});

test('long texts count by their lengths, and are decoded once a row for all comparisons', () => {
  const long = 'é'.repeat(32_000);
  const of = row({ name: 'a', ...text(long) }, { name: 'b', ...text(long) }, { name: 'c', ...int32(0) });
  const decodings = (terms: readonly Filter[]): number =>
    Math.round(stepsOf(i => terms[i % terms.length] ?? not(property('a')), 2000, of) / ((6 * 32_000) / 8));
  assert.equal(decodings([compare('a', 'lt', string('a'))]), 1);
  assert.equal(decodings([compare('a', 'lt', property('b'))]), 2);
  const constantSteps = stepsOf(() => compare('a', 'gt', string(`${long}x`)), 10, of);
  assert(constantSteps >= 10 * (32_000 / 16), String(constantSteps));
});

test('many names are found as few are', () => {
  const names = Array.from({ length: 40 }, (_, i) => (i % 4 === 0 ? `été${i}` : `p${i}`));
  for (const count of [1, 7, 8, 9, 40])
    for (const missing of [undefined, 0, count - 1]) {
      const asked = names.slice(0, count);
      const filter = and(...asked.map(name => compare(name, 'ge', integer(0))));
      const there = asked.filter((_, i) => i !== missing).reverse();
      const stored = there.map((name): Property => ({ name, ...int32(5) }));
      assert.equal(takes(filter, { name: 'other', ...int32(1) }, ...stored), missing === undefined);
    }
});

test('what was found in one row does not count for the next', () => {
  for (const more of [0, 10]) {
    const others = Array.from({ length: more }, (_, i) => property(`n${i}`));
    const asked = [compare('a', 'gt', string('m')), compare('a', 'gt', property('b'))];
    const test = compileFilter(or(...others, ...asked));
    const a = (value: string): Property => ({ name: 'a', ...text(value) });
    const b: Property = { name: 'b', ...text('c') };
    const rows = [row(a('z')), row(a('b')), row(b), row(a('d'), b), row(b, a('b')), row(), row(a('d'), b)];
    assert.deepEqual(rows.map(test), [true, false, false, true, false, false, true]);
  }
});

test('a stored entity that is cut off is damage, however many properties are sought', () => {
  const whole = row({ name: 'a', ...int32(1) }, { name: 'b', ...text('ccc') });
  for (const more of [0, 10]) {
    const names = [...Array.from({ length: more }, (_, i) => `n${i}`), 'z'];
    const sought = names.map((name): Filter => compare(name, 'eq', string('x')));
    const test = compileFilter(or(...sought));
    assert.equal(test(whole), false);
    for (let until = whole.from; until < whole.until; until += 1)
      assert.throws(() => test({ ...whole, until }), { code: 'corrupt' }, `cut at ${until - whole.from}`);
  }
});
