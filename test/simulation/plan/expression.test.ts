// The simulation's own implementation of how filters compare (protocol: queries#comparing), row by row: independent of
// the code that it checks.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Entity, type Expression, matches, textOf } from './expression.js';
import type { Value, ValueType } from './value.js';

const OPERATORS = ['eq', 'ne', 'lt', 'le', 'gt', 'ge'] as const;

/** The operators for which a held value matches a constant. */
function verdicts(
  held: readonly [ValueType, string] | undefined,
  [type, text]: readonly [ValueType, string],
): string {
  const properties: [string, Value][] = held ? [['n', { type: held[0], text: held[1] }]] : [];
  const entity: Entity = { partition: 'p', key: 'k', properties };
  return OPERATORS.filter(operator =>
    matches({ kind: 'compare', name: 'n', operator, constant: { type, text }, mirrored: false }, entity),
  ).join(' ');
}

const BELOW = 'ne lt le';
const SAME = 'eq le ge';
const ABOVE = 'ne gt ge';
const MISMATCH = 'ne lt le';

test('values of one type are ordered', () => {
  assert.equal(verdicts(['Edm.String', 'B'], ['Edm.String', 'a']), BELOW);
  assert.equal(verdicts(['Edm.String', '10'], ['Edm.String', '9']), BELOW);
  assert.equal(verdicts(['Edm.String', '\u{1f600}'], ['Edm.String', '\uff01']), BELOW);
  assert.equal(verdicts(['Edm.Int32', '10'], ['Edm.Int32', '9']), ABOVE);
  assert.equal(verdicts(['Edm.Boolean', 'true'], ['Edm.Boolean', 'false']), ABOVE);
  assert.equal(verdicts(['Edm.Binary', '/w=='], ['Edm.Binary', 'AAEC']), ABOVE);
  assert.equal(verdicts(['Edm.Binary', ''], ['Edm.Binary', 'AAEC']), BELOW);
  assert.equal(verdicts(['Edm.Int64', '9007199254740993'], ['Edm.Int64', '9007199254740993']), SAME);
});

test('numbers match across types only where the literal is promoted', () => {
  assert.equal(verdicts(['Edm.Int64', '2'], ['Edm.Int32', '2']), SAME);
  assert.equal(verdicts(['Edm.Double', '1.5'], ['Edm.Int32', '2']), BELOW);
  assert.equal(verdicts(['Edm.Double', '1.5'], ['Edm.Int64', '1']), ABOVE);
  assert.equal(verdicts(['Edm.Int32', '9'], ['Edm.Int64', '1']), MISMATCH);
  assert.equal(verdicts(['Edm.Int32', '9'], ['Edm.Double', '0.5']), MISMATCH);
  assert.equal(verdicts(['Edm.Int64', '9'], ['Edm.Double', '0.5']), MISMATCH);
  assert.equal(verdicts(['Edm.String', '9'], ['Edm.Int32', '1']), MISMATCH);
});

test('a missing property matches nothing, and its negation everything', () => {
  assert.equal(verdicts(undefined, ['Edm.Int32', '1']), '');
  const entity: Entity = { partition: 'p', key: 'k', properties: [] };
  const flag: Expression = { kind: 'flag', name: 'n' };
  assert.equal(matches(flag, entity), false);
  assert.equal(matches({ kind: 'not', operand: flag }, entity), true);
});

test('a filter is written so that its text means the same', () => {
  const constant: Value = { type: 'Edm.String', text: "o'hara" };
  const compare: Expression = { kind: 'compare', name: 'RowKey', operator: 'lt', constant, mirrored: true };
  assert.equal(textOf({ kind: 'not', operand: compare }), "not ('o''hara' gt RowKey)");
});
