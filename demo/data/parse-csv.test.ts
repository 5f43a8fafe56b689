// CSV fields with quotes, commas and line ends.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseCsv } from './parse-csv.js';

test('reads quoted fields', () => {
  const text = 'iata,name\nDBN,"W. H. ""Bud"" Barron"\nBTR,"Baton Rouge Metropolitan, Ryan"\n';
  assert.deepEqual(parseCsv(text), [
    ['iata', 'name'],
    ['DBN', 'W. H. "Bud" Barron'],
    ['BTR', 'Baton Rouge Metropolitan, Ryan'],
  ]);
});

test('reads empty fields, the last too, and a text without a last line end', () => {
  assert.deepEqual(parseCsv(''), []);
  assert.deepEqual(parseCsv('a,,\n,b,'), [
    ['a', '', ''],
    ['', 'b', ''],
  ]);
});

test('refuses a misplaced quote', () => {
  assert.throws(() => parseCsv('a,b"c\n'), /character 2 of/);
  assert.throws(() => parseCsv('a,"b\n'), /character 2 of/);
});

test('what is written reads back', () => {
  const field = fc.string({ unit: fc.constantFrom('a', ',', '"', '\n', '\r', ' ', 'é') });
  const records = fc.array(fc.array(field, { minLength: 1 }));
  fc.assert(
    fc.property(records, written => {
      const line = (record: string[]): string =>
        `${record.map(each => `"${each.replaceAll('"', '""')}"`).join(',')}\n`;
      assert.deepEqual(parseCsv(written.map(line).join('')), written);
    }),
  );
});
