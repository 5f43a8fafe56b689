// The $filter language: every form (protocol: queries#filters), its refusals with their positions, and that printing any filter
// and parsing it again gives the same filter.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { ErrorDetail } from '#account';
import { formatDateTimeFull } from '#base';
import { codePoint } from '#base/testing';
import { randomRuns } from '#base/testing/random-runs';
import type { ComparisonOperator, EdmValue, Filter, Operand, TableErrorCode } from '#tables';
import { TableError } from '#tables';
import { and, compare, constant, integer, not, or, property, string } from '#tables/testing';
import { FILTER_DEPTH_MAX, FILTER_LENGTH_MAX, parseFilter } from './parse-filter.js';

const equals = (name: string, value: number): Filter => compare(name, 'eq', integer(value));

function assertRefused(text: string, code: TableErrorCode, detail?: ErrorDetail): void {
  assert.throws(
    () => parseFilter(text),
    (error: unknown) => {
      assert.ok(error instanceof TableError, String(error));
      assert.equal(error.code, code, text);
      if (detail) assert.deepEqual(error.detail, detail);
      return true;
    },
  );
}

const assertSyntaxError = (text: string, position: number): void =>
  assertRefused(text, 'InvalidInput:FilterSyntax', { position, filter: text });

/** The constant that `literal` denotes in a comparison. */
function literal(text: string): EdmValue {
  const filter = parseFilter(`p eq ${text}`);
  assert.ok(filter.kind === 'compare' && filter.other.kind === 'constant', text);
  return filter.other.constant;
}

test('precedence: comparison, not, and, or; parentheses nest', () => {
  const [a, b, c] = [equals('a', 1), equals('b', 2), equals('c', 3)];
  assert.deepEqual(parseFilter('a eq 1 or b eq 2 and c eq 3'), or(a, and(b, c)));
  assert.deepEqual(parseFilter('a eq 1 and b eq 2 or c eq 3'), or(and(a, b), c));
  assert.deepEqual(parseFilter('(a eq 1 or b eq 2) and c eq 3'), and(or(a, b), c));
  assert.deepEqual(parseFilter('not a eq 1 and b eq 2'), and(not(a), b));
  assert.deepEqual(parseFilter('not (a eq 1 and b eq 2)'), not(and(a, b)));
  assert.deepEqual(parseFilter('not not a eq 1'), not(not(a)));
  assert.deepEqual(parseFilter('not (not (a eq 1)) or b eq 2'), or(not(not(a)), b));
  assert.deepEqual(parseFilter('((((a eq 1))))'), a);
  assert.deepEqual(parseFilter('((a eq 1) and (b eq 2)) or (c eq 3)'), or(and(a, b), c));
});

test('groups of the same connective are one chain, in its order', () => {
  const [a, b, c, d] = [equals('a', 1), equals('b', 2), equals('c', 3), equals('d', 4)];
  for (const text of ['a eq 1 C b eq 2 C c eq 3 C d eq 4', '((a eq 1) C (b eq 2)) C (c eq 3 C (d eq 4))']) {
    assert.deepEqual(parseFilter(text.replaceAll('C', 'and')), and(a, b, c, d));
    assert.deepEqual(parseFilter(text.replaceAll('C', 'or')), or(a, b, c, d));
  }
  const count = 5000;
  const long = parseFilter(Array.from({ length: count }, () => 'a').join(' or '));
  assert.ok(long.kind === 'or' && long.terms.length === count);
});

test('a comparison names its property first, and that of two constants has an outcome', () => {
  for (const [operator, flipped] of ['eq eq', 'ne ne', 'lt gt', 'le ge', 'gt lt', 'ge le'].map(
    text => text.split(' ') as [ComparisonOperator, ComparisonOperator],
  )) {
    assert.deepEqual(parseFilter(`1 ${operator} a`), compare('a', flipped, integer(1)));
    assert.deepEqual(parseFilter(`b ${operator} a`), compare('b', operator, property('a')));
  }
  for (const [text, value] of [
    ['1 eq 1.0', true],
    ["1 eq 'a'", false],
    ["1 lt 'a'", true],
    ['2 lt 1L', false],
    ["X'02' gt X'0102'", true],
    ['NaN eq NaN', false],
  ] as const)
    assert.deepEqual(parseFilter(text), constant({ type: 'Edm.Boolean', value }), text);
});

test('blanks: many, none where none is needed, any kind; alone they match everything', () => {
  const always = constant({ type: 'Edm.Boolean', value: true });
  for (const text of ['', ' ', '\t\r\n']) assert.deepEqual(parseFilter(text), always);
  const expected = and(equals('a', 1), equals('b', 2));
  for (const text of [
    '(a eq 1)and(b eq 2)',
    '  a   eq  1\tand\r\nb eq 2  ',
    '( a eq 1 )and( b eq 2 )',
    'a\u00a0eq\u30001 and b eq 2',
  ]) {
    assert.deepEqual(parseFilter(text), expected, text);
  }
  assert.deepEqual(
    parseFilter("a eq 'x'and b eq X'00'or c"),
    or(and(compare('a', 'eq', string('x')), compare('b', 'eq', constant(literal("X'00'")))), property('c')),
  );
});

test('names: Unicode, names of operators and on Object.prototype', () => {
  const names = [
    '_',
    'a1',
    'été',
    '名前',
    '𠮷野',
    'ǅ',
    'a\u0301',
    '__proto__',
    'constructor',
    'toString',
    'eq',
    'and',
    'or',
    'datetime',
    'guid',
    'X',
    'add',
    'length',
    'Not',
    'Null',
  ];
  for (const name of names) assert.deepEqual(parseFilter(`${name} eq 1`), equals(name, 1), name);
  assert.deepEqual(parseFilter('and and and'), and(property('and'), property('and')));
});

test('numbers', () => {
  const int32 = (value: number): EdmValue => ({ type: 'Edm.Int32', value });
  const int64 = (value: bigint): EdmValue => ({ type: 'Edm.Int64', value });
  const double = (value: number): EdmValue => ({ type: 'Edm.Double', value });
  const cases: readonly [string, EdmValue][] = [
    ['0', int32(0)],
    ['-0', int32(0)],
    ['007', int32(7)],
    ['2147483647', int32(2147483647)],
    ['-2147483648', int32(-2147483648)],
    ['2147483648', int64(2147483648n)],
    ['-2147483649', int64(-2147483649n)],
    ['5L', int64(5n)],
    ['4294967296L', int64(4294967296n)],
    ['-5l', int64(-5n)],
    ['9223372036854775807', int64(9223372036854775807n)],
    ['-9223372036854775808L', int64(-9223372036854775808n)],
    ['123.45', double(123.45)],
    ['-0.5', double(-0.5)],
    ['5.0', double(5)],
    ['5d', double(5)],
    ['5F', double(5)],
    ['1.5m', double(1.5)],
    ['1e5', double(1e5)],
    ['1.5E-7D', double(1.5e-7)],
    ['1e+308', double(1e308)],
    ['NaN', double(Number.NaN)],
    ['INF', double(Number.POSITIVE_INFINITY)],
    ['-INF', double(Number.NEGATIVE_INFINITY)],
    ['Infinity', double(Number.POSITIVE_INFINITY)],
    ['-Infinity', double(Number.NEGATIVE_INFINITY)],
  ];
  for (const [text, value] of cases) assert.deepEqual(literal(text), value, text);
  for (const text of [
    '9223372036854775808',
    '-9223372036854775809L',
    '1e999',
    '1.5L',
    '1e5L',
    '5x',
    '5Lx',
    '0x10',
    '1e',
    '-x',
    '-INFx',
    '--5',
  ])
    assertRefused(`p eq ${text}`, 'InvalidInput:FilterSyntax');
  assertSyntaxError('p eq 5.', 7);
  assertSyntaxError('p eq .5', 6);
  assertSyntaxError('p eq +5', 6);
});

test('typed literals', () => {
  const date = (ticks: bigint): EdmValue => ({ type: 'Edm.DateTime', value: ticks });
  const guid: EdmValue = { type: 'Edm.Guid', value: 'c9da6455-213d-42c9-9a79-3e9149a57833' };
  const bytes = (...values: number[]): EdmValue => ({ type: 'Edm.Binary', value: Buffer.from(values) });
  const cases: readonly [string, EdmValue][] = [
    ["datetime'1970-01-01T00:00:00.0000001Z'", date(1n)],
    ["datetime'1970-01-01T00:00:01.000000Z'", date(10_000_000n)],
    ["datetime'1970-01-02'", date(864_000_000_000n)],
    ["DateTime'1970-01-01T02:00+02:00'", date(0n)],
    ["datetime'0001-01-01T00:00:00.0000000Z'", date(-621_355_968_000_000_000n)],
    ["guid'c9da6455-213d-42c9-9a79-3e9149a57833'", guid],
    ["GUID'C9DA6455-213D-42C9-9A79-3E9149A57833'", guid],
    ["X'010232'", bytes(1, 2, 0x32)],
    ["x'aAbB'", bytes(0xaa, 0xbb)],
    ["binary'ff'", bytes(0xff)],
    ["X''", bytes()],
    ['True', { type: 'Edm.Boolean', value: true }],
    ['FALSE', { type: 'Edm.Boolean', value: false }],
  ];
  for (const [text, value] of cases) assert.deepEqual(literal(text), value, text);
  const wrong = [
    "datetime'yesterday'",
    "datetime''",
    "guid'c9da6455'",
    "guid'{c9da6455-213d-42c9-9a79-3e9149a57833}'",
    "X'0'",
    "X'0g'",
    "binary'é0'",
  ];
  for (const text of wrong) assertSyntaxError(`p eq ${text}`, 5 + text.length);
  assertSyntaxError("p eq datetime '2020-01-01'", 26);
  assertSyntaxError("p eq time'PT1S'", 15);
});

test('syntax errors name the position after the unexpected token', () => {
  // The first is Azure's own (protocol: queries#refused-filters).
  assertSyntaxError('aaa bbb ccc', 7);
  assertSyntaxError('a eq', 4);
  assertSyntaxError('a eq ', 5);
  assertSyntaxError('a eq 1 b', 8);
  assertSyntaxError('a eq 1 eq 2', 9);
  assertSyntaxError('(a eq 1', 7);
  assertSyntaxError('(a eq 1))', 9);
  assertSyntaxError('()', 2);
  assertSyntaxError(')', 1);
  assertSyntaxError('a eq 1 and', 10);
  assertSyntaxError('not', 3);
  assertSyntaxError("a eq 'open", 10);
  assertSyntaxError("a eq 'open''", 12);
  assertSyntaxError("a eq datetime'2020", 18);
  assertSyntaxError('a eq "x"', 6);
  assertSyntaxError('a/b eq 1', 2);
  assertSyntaxError('a eq 1; drop', 7);
  assertSyntaxError("a eq ('x')", 6);
  assertSyntaxError("unheardOf(a, 'x')", 10);
  assertSyntaxError('a eq \ud800', 6);
  assertSyntaxError('a EQ 1', 4);
  assertSyntaxError('a eq 1 AND b eq 2', 10);
  assertSyntaxError('NOT a eq 1', 5);
});

test('OData features that the service lacks are NotImplemented', () => {
  for (const text of [
    "startswith(PartitionKey,'a')",
    "substringof('a', Name) eq true",
    'length ( Name) eq 3',
    'not contains(a,b)',
  ]) {
    assertRefused(text, 'NotImplemented');
  }
  for (const text of ['a add 1 eq 2', 'a eq 1 sub 1', 'a mul 2 eq 4', 'a div 2 eq 1', 'a mod 2 eq 0']) {
    assertRefused(text, 'NotImplemented');
  }
  for (const text of ['a = 1', 'a == 1', "PartitionKey === 'x'"]) assertRefused(text, 'NotImplemented');
  assertRefused('a eq null', 'InvalidInput', {});
  assertRefused('null ne a', 'InvalidInput', {});
});

test('system properties have types, so they are not booleans', () => {
  const clash = (left: string, right: string, operator: string) => ({ left, right, operator });
  // The first is Azure's own (protocol: queries#refused-filters).
  assertRefused(
    "(PartitionKey) and (RowKey ge 'x')",
    'InvalidInput:FilterTypes',
    clash('Edm.String', 'Edm.Boolean', 'And'),
  );
  assertRefused('a eq 1 or RowKey', 'InvalidInput:FilterTypes', clash('Edm.Boolean', 'Edm.String', 'Or'));
  assertRefused('Timestamp or RowKey', 'InvalidInput:FilterTypes', clash('Edm.DateTime', 'Edm.String', 'Or'));
  assertRefused(
    'a and b and RowKey and c',
    'InvalidInput:FilterTypes',
    clash('Edm.Boolean', 'Edm.String', 'And'),
  );
  assertRefused('a and 5', 'InvalidInput:FilterTypes', clash('Edm.Boolean', 'Edm.Int32', 'And'));
  for (const text of [
    'PartitionKey',
    '(Timestamp)',
    'not RowKey',
    "'text'",
    'not 5',
    "guid'c9da6455-213d-42c9-9a79-3e9149a57833'",
  ]) {
    assertRefused(text, 'InvalidInput', {});
  }
});

test('a filter has a limit of characters', () => {
  const ofLength = (length: number) => `a eq '${'x'.repeat(length - 7)}'`;
  assert.equal(ofLength(100).length, 100);
  for (const length of [FILTER_LENGTH_MAX - 1, FILTER_LENGTH_MAX]) assert.ok(parseFilter(ofLength(length)));
  assertRefused(ofLength(FILTER_LENGTH_MAX + 1), 'InvalidUri:TooLong');
  assertRefused(' '.repeat(FILTER_LENGTH_MAX + 1), 'InvalidUri:TooLong');
  // The characters of the decoded text count, as UTF-16 units.
  assert.ok(parseFilter(`a eq '${'\u20ac'.repeat(FILTER_LENGTH_MAX - 7)}'`));
});

test('nesting has a limit, and parentheses beyond it cause no stack overflow', () => {
  const nested = (depth: number) => `${'('.repeat(depth)}a${')'.repeat(depth)}`;
  assert.deepEqual(parseFilter(nested(FILTER_DEPTH_MAX)), property('a'));
  assertRefused(nested(FILTER_DEPTH_MAX + 1), 'InvalidInput');
  assertRefused('('.repeat(FILTER_LENGTH_MAX), 'InvalidInput');
  assertRefused('not '.repeat(FILTER_LENGTH_MAX / 4), 'InvalidInput');
  let depth = 0;
  for (let at = parseFilter(`${'not '.repeat(FILTER_DEPTH_MAX)}a`); at.kind === 'not'; at = at.operand)
    depth++;
  assert.equal(depth, FILTER_DEPTH_MAX);
  assertRefused(`${'not '.repeat(FILTER_DEPTH_MAX)}(a)`, 'InvalidInput');
  // Closed groups no longer count.
  assert.ok(parseFilter(Array.from({ length: 15 }, () => nested(FILTER_DEPTH_MAX)).join(' and ')));
  assert.ok(parseFilter(Array.from({ length: FILTER_DEPTH_MAX + 1 }, () => 'not a').join(' or ')));
});

const quote = (text: string): string => `'${text.replaceAll("'", "''")}'`;

function printValue(value: EdmValue): string {
  switch (value.type) {
    case 'Edm.String':
      return quote(value.value);
    case 'Edm.Guid':
      return `guid'${value.value}'`;
    case 'Edm.Int32':
      return String(value.value);
    case 'Edm.Double':
      if (!Number.isFinite(value.value)) return String(value.value);
      return Object.is(value.value, -0) ? '-0d' : `${value.value}d`;
    case 'Edm.Int64':
      return `${value.value}L`;
    case 'Edm.DateTime':
      return `datetime'${formatDateTimeFull(value.value)}'`;
    case 'Edm.Boolean':
      return String(value.value);
    case 'Edm.Binary':
      return `X'${value.value.toString('hex')}'`;
  }
}

/** Every connective with both of its sides in parentheses, as .NET writes them. */
function print(filter: Filter): string {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return filter.terms.map(term => `(${print(term)})`).join(` ${filter.kind} `);
    case 'not':
      return `not (${print(filter.operand)})`;
    case 'compare':
      return `${filter.name} ${filter.operator} ${print(filter.other)}`;
    case 'constant':
      return printValue(filter.constant);
    case 'property':
      return filter.name;
  }
}

const anyValue: fc.Arbitrary<EdmValue> = fc.oneof(
  fc.string({ unit: codePoint }).map(value => ({ type: 'Edm.String' as const, value })),
  fc.uuid().map(value => ({ type: 'Edm.Guid' as const, value })),
  fc.integer().map(value => ({ type: 'Edm.Int32' as const, value })),
  fc.double().map(value => ({ type: 'Edm.Double' as const, value })),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(value => ({ type: 'Edm.Int64' as const, value })),
  fc
    .bigInt({ min: -621_355_968_000_000_000n, max: 2_534_023_007_999_999_999n })
    .map(value => ({ type: 'Edm.DateTime' as const, value })),
  fc.boolean().map(value => ({ type: 'Edm.Boolean' as const, value })),
  fc.uint8Array().map(value => ({ type: 'Edm.Binary' as const, value: Buffer.from(value) })),
);
const RESERVED = /^(?:not|null|true|false|nan|inf|infinity|partitionkey|rowkey|timestamp)$/i;
const anyName = fc.stringMatching(/^[A-Za-z_é名][A-Za-z0-9_é名]{0,8}$/).filter(name => !RESERVED.test(name));
const anyOperand: fc.Arbitrary<Operand> = fc.oneof(anyName.map(property), anyValue.map(constant));
const anyOperator = fc.constantFrom<ComparisonOperator>('eq', 'ne', 'gt', 'ge', 'lt', 'le');
const { filter: anyFilter } = fc.letrec<{ filter: Filter }>(tie => ({
  filter: fc.oneof(
    { depthSize: 'medium' },
    fc
      .tuple(anyName, anyOperator, anyOperand)
      .map(([name, operator, other]) => compare(name, operator, other)),
    anyName.map(property),
    fc.boolean().map(value => constant({ type: 'Edm.Boolean', value })),
    fc
      .tuple(fc.constantFrom('and', 'or'), fc.array(tie('filter'), { minLength: 2, maxLength: 3 }))
      .map(([kind, terms]) => ({
        kind,
        terms: terms.flatMap(term => (term.kind === kind ? term.terms : [term])),
      })),
    tie('filter').map(not),
  ),
}));

test('a printed filter parses to itself', () => {
  fc.assert(
    fc.property(anyFilter, filter => assert.deepEqual(parseFilter(print(filter)), filter)),
    { numRuns: randomRuns(2_000) },
  );
});
