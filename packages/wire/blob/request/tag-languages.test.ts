// Expressions over tags: the language of conditions, and that of Find Blobs by Tags, which refuses by Azure's text and a position.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { BlobError } from '#blobs';
import { parseTagCondition, parseTagQuery } from './tag-languages.js';

const compare = (key: string, operator: string, value: string) => ({
  kind: 'compare',
  key,
  operator,
  value,
});
const [a, b, c] = [compare('a', '=', '1'), compare('b', '=', '2'), compare('c', '=', '3')];

describe('conditions', () => {
  test('one comparison of each kind', () => {
    for (const operator of ['=', '>', '>=', '<', '<=', '<>'])
      for (const space of ['', ' ', '\t '])
        assert.deepEqual(
          parseTagCondition(`${space}"k x"${space}${operator}${space}'v'${space}`),
          compare('k x', operator, 'v'),
        );
    assert.deepEqual(parseTagCondition("key_1='c'"), compare('key_1', '=', 'c'));
  });

  test('quotes in values are doubled, and other words have no meaning there', () => {
    const comparedTo = (text: string) => parseTagCondition(`"k"=${text}`);
    assert.deepEqual(comparedTo("''"), compare('k', '=', ''));
    assert.deepEqual(comparedTo("'it''s'"), compare('k', '=', "it's"));
    assert.deepEqual(comparedTo("''''"), compare('k', '=', "'"));
    assert.deepEqual(comparedTo(`' AND "b" = ('`), compare('k', '=', ' AND "b" = ('));
  });

  test('and binds before or, parentheses before both', () => {
    const and = (left: object, right: object) => ({ kind: 'and', left, right });
    const or = (left: object, right: object) => ({ kind: 'or', left, right });
    const [A, B, C] = [`"a"='1'`, `"b"='2'`, `"c"='3'`];
    assert.deepEqual(parseTagCondition(`${A} AND ${B} and ${C}`), and(and(a, b), c));
    assert.deepEqual(parseTagCondition(`${A} OR ${B} And ${C}`), or(a, and(b, c)));
    assert.deepEqual(parseTagCondition(`(${A} or ${B})AND((${C}))`), and(or(a, b), c));
  });

  test('what is none', () => {
    const none = [
      '',
      ' ',
      'x',
      '"a"',
      `"a"=`,
      `"a"='b`,
      `"a"=b`,
      `"a"="b"`,
      `""='b'`,
      `"a'='b'`,
      `"a"=='b'`,
      `"a"!='b'`,
      `"a"='b' "c"='d'`,
      `"a"='b' AND`,
      `AND "a"='b'`,
      `"a"='b' AND OR "c"='d'`,
      '()',
      ')',
      `("a"='b'`,
      `"a"='b')`,
      `"${'k'.repeat(129)}"='v'`,
      `1a='b'`,
      `or='b'`,
      `"a"='b' 'c'`,
      `@container='c'`,
      `"@container"='c'`,
      `"a!"='c'`,
    ];
    for (const text of none) assert.equal(parseTagCondition(text), undefined, text);
    assert.notEqual(parseTagCondition(`"${'k'.repeat(128)}"='v'`), undefined);
  });

  test('a long one is refused before it fills a stack', () => {
    const nested = (depth: number) => `${'('.repeat(depth)}"a"='1'${')'.repeat(depth)}`;
    assert.deepEqual(parseTagCondition(nested(99)), a);
    assert.equal(parseTagCondition(nested(100)), undefined);
    assert.equal(parseTagCondition(nested(100_000)), undefined);
    assert.equal(parseTagCondition('('.repeat(100_000)), undefined);
    assert.equal(parseTagCondition("'".repeat(20_001)), undefined);
  });
});

/** The text behind `Error parsing query`, or the expression. */
function asked(text: string, hasContainer = false): unknown {
  try {
    return parseTagQuery(text, hasContainer);
  } catch (error) {
    assert.ok(error instanceof BlobError);
    assert.equal(error.code, 'InvalidQueryParameterValue:Tags');
    const { name, value, fault } = error.detail;
    assert.deepEqual([name, value], ['where', text]);
    return fault;
  }
}
const near = (position: number, reason: string) => ` at or near character position ${position}: ${reason}`;

describe('find by tags', () => {
  test('comparisons joined by AND, of tags with and without quotes, and of the container', () => {
    for (const operator of ['=', '>', '>=', '<', '<='])
      assert.deepEqual(asked(`a_1 ${operator} 'v'`), compare('a_1', operator, 'v'));
    assert.deepEqual(asked(`"a b" = ' +-./:=_'`), compare('a b', '=', ' +-./:=_'));
    assert.deepEqual(asked("@Container='c'"), compare('@container', '=', 'c'));
    const both = { kind: 'and', left: a, right: b };
    for (const text of [`a='1' AND b='2'`, `(a='1')and(("b"='2'))`, `\ta='1'\nAnd b='2' `])
      assert.deepEqual(asked(text), both);
  });

  test('OR and <> belong to conditions', () => {
    assert.equal(asked(`"a"='1' OR "b"='2'`), near(9, "unexpected 'OR'"));
    assert.equal(asked(`a='1' and (b='1' or b='2')`), near(18, "unexpected 'or'"));
    assert.equal(asked(`"a"='1' AND OR b='2'`), near(13, "unexpected 'OR'"));
    assert.equal(asked(`or = '2'`), near(1, "unexpected 'or'"));
    assert.equal(asked(`"a" <> '1'`), near(5, "unexpected '<>'"));
    assert.equal(asked(`NOT a='1'`), near(1, "unexpected 'NOT'"));
    assert.deepEqual(asked(`"a"=' OR '`), compare('a', '=', ' OR '));
    assert.deepEqual(asked(`order='1'`), compare('order', '=', '1'));
  });

  test('a name alone', () => {
    for (const text of ['a', '"a"', 'a b', "a 'b'", "a != 'b'", '@container'])
      assert.equal(asked(text), near(1, 'expected an operator'), text);
    assert.equal(asked(`a='1' AND b`), near(11, 'expected an operator'));
  });

  test('words that Azure keeps for itself have to be quoted', () => {
    assert.equal(asked(`a='1' AND Year='2'`), near(11, "unexpected 'Year'"));
    assert.equal(asked(`month='2'`), near(1, "unexpected 'month'"));
    assert.deepEqual(asked(`"Year"='2'`), compare('Year', '=', '2'));
    assert.deepEqual(asked(`Years='2'`), compare('Years', '=', '2'));
  });

  test('what is malformed', () => {
    const end = 'unexpected end of query';
    for (const [text, fault] of [
      [' ', near(2, end)],
      ["a='1' AND", near(10, end)],
      ["(a='1'", near(7, end)],
      ["a='1')", near(6, "unexpected ')'")],
      ['()', near(2, "unexpected ')'")],
      ["a='1' b='2'", near(7, "unexpected 'b'")],
      ["'a'='1'", near(1, "unexpected ''a''")],
      ["1a='1'", near(1, "unexpected '1a'")],
      ["é='1'", near(1, "unexpected '?'")],
      ['a=b', near(3, 'expecting tag value')],
      ['a="b"', near(3, 'expecting tag value')],
      ["a=='b'", near(3, 'expecting tag value')],
      ["a='b", near(3, 'expecting tag value')],
      ["@containers='1'", near(1, "unsupported parameter '@containers'")],
      [`"@container"='1'`, near(1, "'@' not permitted in tag name or value")],
      ["a='1!'", near(3, "'!' not permitted in tag name or value")],
      ["a='1\n'", near(3, "'?' not permitted in tag name or value")],
    ] as const)
      assert.equal(asked(text), fault, text);
  });

  test('no @container in the find of a container', () => {
    const fault = ': Cannot have container in both uri and query';
    assert.equal(asked(`@container='c'`, true), fault);
    assert.equal(asked(`a='1' AND @Container >= 'c'`, true), fault);
    assert.deepEqual(asked(`a='@container'`, true), near(3, "'@' not permitted in tag name or value"));
    assert.deepEqual(asked(`container='c'`, true), compare('container', '=', 'c'));
  });

  test('a tag once, or as a range with two ends', () => {
    const fault = ": can't have multiple conditions for a single tag unless they define a range";
    for (const [one, other] of [
      ['=', '='],
      ['=', '<'],
      ['>', '='],
      ['>', '>='],
      ['<=', '<'],
    ])
      assert.equal(asked(`a ${one} '1' AND b='2' AND "a" ${other} '2'`), fault);
    for (const [one, other] of [
      ['>', '<'],
      ['<=', '>='],
    ])
      assert.equal(typeof asked(`a ${one} '1' AND a ${other} '2'`), 'object');
    assert.equal(typeof asked(`a='1' AND A='2'`), 'object');
  });

  test('keys, values and unique tags within their limits', () => {
    const key = near(1, 'tag must be between 1 and 128 characters in length');
    for (const quote of ['', '"'])
      for (const [length, fault] of [
        [127, undefined],
        [128, undefined],
        [129, key],
      ] as const) {
        const answer = asked(`${quote}${'k'.repeat(length)}${quote}='v'`);
        assert.deepEqual(typeof answer === 'string' ? answer : undefined, fault);
      }
    assert.equal(asked(`""='v'`), key);
    const value = near(3, 'tag value must be between 0 and 256 characters in length');
    for (const length of [0, 255, 256]) assert.equal(typeof asked(`k='${'v'.repeat(length)}'`), 'object');
    assert.equal(asked(`k='${'v'.repeat(257)}'`), value);
    const tags = (count: number) => Array.from({ length: count }, (_, i) => `k${i} > '1' AND k${i} < '2'`);
    for (const count of [9, 10]) {
      assert.equal(typeof asked(tags(count).join(' AND ')), 'object');
      assert.equal(typeof asked([...tags(count), "@container='c'"].join(' AND ')), 'object');
    }
    assert.equal(asked(tags(11).join(' AND ')), ': there can be at most 10 unique tags in a query');
  });
});
