// Where tokens begin and end; parse-filter.test.ts tests the values of literals.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { codePoint } from '#base/testing';
import { randomRuns } from '#base/testing/random-runs';
import { readToken, type Token } from './filter-token.js';

function tokensOf(text: string): readonly Token[] {
  const tokens = [readToken(text, 0)];
  for (let last = tokens[0]; last && last.kind !== 'end'; last = tokens.at(-1))
    tokens.push(readToken(text, last.end));
  return tokens;
}

const kindsOf = (text: string): readonly string[] =>
  tokensOf(text).map(({ kind, start, end }) => `${kind} ${text.slice(start, end)}`.trim());

test('tokens and their ends', () => {
  assert.deepEqual(kindsOf(" (a\teq 'it''s')and not 5L "), [
    'open (',
    'identifier a',
    'identifier eq',
    "literal 'it''s'",
    'close )',
    'identifier and',
    'identifier not',
    'literal 5L',
    'end',
  ]);
  assert.deepEqual(kindsOf("X'00'Y guid'z' null ==="), [
    "literal X'00'",
    'identifier Y',
    "other guid'z'",
    'null null',
    'equals ===',
    'end',
  ]);
  assert.deepEqual(kindsOf("5x é1 $ 'open"), ['other 5x', 'identifier é1', 'other $', "other 'open", 'end']);
});

test('the tokens of any text cover it to its end, with only blanks between them', () => {
  fc.assert(
    fc.property(fc.string({ unit: codePoint }), text => {
      let at = 0;
      for (const { kind, start, end } of tokensOf(text)) {
        assert.equal(text.slice(at, start).trim(), '');
        assert.ok(kind === 'end' ? start === text.length && end === start : end > start);
        at = end;
      }
    }),
    { numRuns: randomRuns(2_000) },
  );
});
