// Filters as text: what is written is read as the same condition, and what is no filter is refused with the place where it goes wrong.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { codePoint } from '../../testing/code-point.js';
import { anyCondition } from '../../testing/condition.js';
import { law } from '../../testing/law.js';
import { Instant } from '../../values/instant.js';
import { PatternError } from '../../values/pattern-error.js';
import type { TypedValue } from '../../values/typed-value.js';
import { formatFilter, formatLiteral } from './format-filter.js';
import { FILTER_DEPTH_MAX, parseFilter } from './parse-filter.js';

describe('literals', () => {
  const vectors: readonly (readonly [string, TypedValue])[] = [
    ["'O''Neil'", { type: 'String', value: "O'Neil" }],
    ["''", { type: 'String', value: '' }],
    ['-5', { type: 'Int32', value: -5 }],
    ['5L', { type: 'Int64', value: 5n }],
    ['-9223372036854775808L', { type: 'Int64', value: -(2n ** 63n) }],
    ['3.0', { type: 'Double', value: 3 }],
    ['-0.0', { type: 'Double', value: -0 }],
    ['1e+300', { type: 'Double', value: 1e300 }],
    ['0.1', { type: 'Double', value: 0.1 }],
    ['NaN', { type: 'Double', value: Number.NaN }],
    ['INF', { type: 'Double', value: Number.POSITIVE_INFINITY }],
    ['-INF', { type: 'Double', value: Number.NEGATIVE_INFINITY }],
    ['true', { type: 'Boolean', value: true }],
    [
      "datetime'2017-11-10T02:44:47.6221962Z'",
      { type: 'DateTime', value: Instant.parse('2017-11-10T02:44:47.6221962Z') },
    ],
    [
      "guid'c9da6455-213d-42c9-9a79-3e9149a57833'",
      { type: 'Guid', value: 'c9da6455-213d-42c9-9a79-3e9149a57833' },
    ],
    ["X'0aff'", { type: 'Binary', value: new Uint8Array([10, 255]) }],
  ];

  test('are written with the prefix of their type, and read as it', () => {
    for (const [text, typed] of vectors) {
      assert.equal(formatLiteral(typed), text);
      assert.deepEqual(parseFilter(`p eq ${text}`), {
        kind: 'compare',
        operator: 'eq',
        left: { kind: 'property', name: 'p' },
        right: { kind: 'value', typed },
      });
    }
  });

  test('of other spellings are read', () => {
    const read = (text: string): unknown => {
      const condition = parseFilter(`p eq ${text}`);
      assert(condition.kind === 'compare' && condition.right.kind === 'value');
      return condition.right.typed;
    };
    assert.deepEqual(read('4294967296'), { type: 'Int64', value: 4_294_967_296n });
    assert.deepEqual(read('2147483647'), { type: 'Int32', value: 2_147_483_647 });
    assert.deepEqual(read('2147483648'), { type: 'Int64', value: 2_147_483_648n });
    assert.deepEqual(read('-2147483648'), { type: 'Int32', value: -2_147_483_648 });
    assert.deepEqual(read('-2147483649'), { type: 'Int64', value: -2_147_483_649n });
    assert.deepEqual(read('5l'), { type: 'Int64', value: 5n });
    assert.deepEqual(read('2.5f'), { type: 'Double', value: 2.5 });
    assert.deepEqual(read('2d'), { type: 'Double', value: 2 });
    assert.deepEqual(read('Infinity'), { type: 'Double', value: Number.POSITIVE_INFINITY });
    assert.deepEqual(read("binary'0AFF'"), { type: 'Binary', value: new Uint8Array([10, 255]) });
    assert.deepEqual(read("x''"), { type: 'Binary', value: new Uint8Array() });
    assert.deepEqual(read('False'), { type: 'Boolean', value: false });
    assert.deepEqual(read("datetime'2020-01-01'"), {
      type: 'DateTime',
      value: Instant.parse('2020-01-01T00:00:00Z'),
    });
  });
});

describe('filters', () => {
  test('bind: comparisons, not, and, or', () => {
    const spelled = (text: string): string => formatFilter(parseFilter(text));
    assert.equal(spelled('a eq 1 or b eq 2 and not c eq 3'), 'a eq 1 or (b eq 2 and not (c eq 3))');
    assert.equal(spelled('(a eq 1)and(b eq 2)'), 'a eq 1 and b eq 2');
    assert.equal(spelled('  (( a  eq 1 ))  '), 'a eq 1');
    assert.equal(spelled('not not flag'), 'not (not (flag))');
    assert.equal(spelled('(a eq 1 and b eq 2) and c eq 3'), '(a eq 1 and b eq 2) and c eq 3');
    assert.equal(spelled("1 lt a and 'x' eq PartitionKey"), "1 lt a and 'x' eq PartitionKey");
    assert.equal(spelled(' '), 'true');
  });

  test('are read as they are written', () => {
    law(
      fc.property(anyCondition, condition => {
        assert.deepEqual(parseFilter(formatFilter(condition)), condition);
      }),
    );
  });

  test('that are none say where', () => {
    const wrong: readonly (readonly [string, number, RegExp])[] = [
      ['aaa bbb ccc', 4, /^bbb is not expected/],
      ['a eq', 4, /^the end is neither a property/],
      ['a eq (1)', 5, /^\( is neither a property/],
      ["a eq 'x", 5, /does not end$/],
      ['(a eq 1', 7, /^the end is where a '\)'/],
      ['a eq 1)', 6, /^\) is not expected/],
      ['a === 1', 2, /^= is nothing/],
      ["startswith(a, 'x')", 10, /has no functions$/],
      ['a eq null', 5, /^null is nothing that the service/],
      ['a eq 9223372036854775808', 5, /is not a number/],
      ['a eq 12x', 5, /is not a number/],
      ["a eq guid'12'", 5, /is not a value of guid$/],
      ["a eq X'1'", 5, /is not a value of X$/],
      ["a eq datetime'soon'", 5, /is not a value of datetime$/],
      ['a EQ 1', 2, /^EQ is not expected/],
      ['and a', 4, /is not expected/],
    ];
    for (const [text, position, reason] of wrong)
      assert.throws(
        () => parseFilter(text),
        (thrown: unknown) => {
          assert(PatternError.is(thrown, 'FilterInvalid'), text);
          assert.deepEqual([thrown.detail.filter, thrown.detail.position], [text, position]);
          assert.match(thrown.detail.reason, reason);
          return true;
        },
      );
  });

  test('nest so deep and no deeper', () => {
    const nested = (depth: number): string => `${'('.repeat(depth)}a eq 1${')'.repeat(depth)}`;
    const negated = (depth: number): string => `${'not '.repeat(depth)}flag`;
    for (const make of [nested, negated]) {
      parseFilter(make(FILTER_DEPTH_MAX - 1));
      parseFilter(make(FILTER_DEPTH_MAX));
      assert.throws(() => parseFilter(make(FILTER_DEPTH_MAX + 1)), /nested deeper/);
    }
    const wide = Array.from({ length: 5000 }, () => '(a eq 1)').join(' or ');
    assert.equal(formatFilter(parseFilter(wide)).split(' or ').length, 5000);
  });

  test('throw nothing but FilterInvalid, whatever the text is', () => {
    const words = ['a', 'eq', '(', ')', "'x'", '1', 'not', 'and', 'or', ' ', "'", 'guid', '-', '5L', '="'];
    const text = fc.oneof(
      fc.string({ unit: codePoint }),
      fc.array(fc.constantFrom(...words)).map(all => all.join('')),
      fc.array(fc.constantFrom(...words)).map(all => all.join(' ')),
    );
    law(
      fc.property(text, each => {
        try {
          parseFilter(each);
        } catch (thrown) {
          assert(PatternError.is(thrown, 'FilterInvalid'), String(thrown));
        }
      }),
      { cost: 10, least: 200 },
    );
  });
});
