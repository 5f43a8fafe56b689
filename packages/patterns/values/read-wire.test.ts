// Numbers of the wire: a double that is whole stays one, and nothing else changes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { anyText, law } from '../testing/law.js';
import { doubleLiteral } from './edm.js';
import { parseWire, readPage, readRow } from './read-wire.js';

test('doubles that are whole are marked, and strings are left alone', () => {
  const member = fc.oneof(
    anyText.map(text => ({ text: JSON.stringify(text), value: text as unknown })),
    fc
      .constantFrom('3.0', '1.0, 2e5', '"a":3.0', '\\"1.0', '{"x":1E5}', ':3.0,', ' : 1e5 }', ': -5.0\t')
      .map(text => ({ text: JSON.stringify(text), value: text as unknown })),
    fc.integer().map(value => ({ text: String(value), value: value as unknown })),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map(value => ({
      text: doubleLiteral(value),
      value: Number.isInteger(value) ? { '~double': value } : value,
    })),
    fc
      .constantFrom('1E+3', '12.50e1', '-0.0', '1.0e-0')
      .map(text => ({ text, value: { '~double': Number(text) } as unknown })),
    fc.constantFrom('1.5E-3', '2.25').map(text => ({ text, value: Number(text) as unknown })),
  );
  law(
    fc.property(fc.array(fc.tuple(anyText, member)), members => {
      const text = `[${members.map(([name, { text: literal }]) => `{${JSON.stringify(`${name}_`)} : ${literal}}`).join(',')}]`;
      const expected = members.map(([name, { value }]) => Object.fromEntries([[`${name}_`, value]]));
      assert.deepEqual(parseWire(text), expected);
    }),
  );
});

test('what is not a row and no page is refused', () => {
  for (const text of ['', '{', '[]', '1', 'null']) assert.throws(() => readRow(text), SyntaxError);
  for (const text of ['{}', '{"value":1}', '{"value":[1]}', '[]'])
    assert.throws(() => readPage(text), SyntaxError);
  assert.deepEqual(readPage('{"value":[{"a":1}]}'), [{ a: 1 }]);
});
