// Which texts are values of each type (protocol: json#reading).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { randomRuns } from '#base/testing/random-runs';
import { edmValue } from '../testing/edm.js';
import type { EdmType, EdmValue } from './edm.js';
import { formatLiteral, parseProperty } from './edm-text.js';

/** Type and value that a text is read as. */
function parse(type: EdmType, text: string): Pick<EdmValue, 'type' | 'value'> | undefined {
  const property = parseProperty('name', type, { text, literal: undefined });
  return property && { type: property.type, value: property.value };
}

test('every value reads back from the text of its literal', () => {
  fc.assert(
    fc.property(edmValue, value => {
      const literal = formatLiteral(value);
      const text = literal.startsWith('"') ? String(JSON.parse(literal)) : literal;
      assert.deepEqual(parse(value.type, text), value);
    }),
    { numRuns: randomRuns(1_000) },
  );
});

const REFUSED: readonly (readonly [EdmType, readonly string[]])[] = [
  [
    'Edm.Int32',
    ['', ' ', '5 ', ' 5', '5.0', '5e0', '0x5', '2147483648', '-2147483649', '5L', 'NaN', '٣', '--5'],
  ],
  [
    'Edm.Int64',
    ['', '5.0', '9223372036854775808', '-9223372036854775809', '1e3', '5L', '0x10', '1'.repeat(400)],
  ],
  [
    'Edm.Double',
    ['', '.', 'e5', '1e', '1e999', '-1e999', '0x10', 'nan', 'infinity', '1,5', '1.5d', ' 1', '1 ', '1.2.3'],
  ],
  ['Edm.Boolean', ['', '1', '0', 'yes', ' true', 'truе']],
  [
    'Edm.DateTime',
    ['', 'yesterday', '2020-13-01', '1600-12-31T23:59:59.9999999Z', '10000-01-01', '2020-01-01T25:00:00Z'],
  ],
  [
    'Edm.Guid',
    [
      '',
      'c9da6455213d42c99a793e9149a57833',
      '{c9da6455-213d-42c9-9a79-3e9149a57833}',
      'c9da6455-213d-42c9-9a79-3e9149a5783',
      'g9da6455-213d-42c9-9a79-3e9149a57833',
    ],
  ],
  ['Edm.Binary', ['A', 'AA', 'AAA', 'AQ=', 'AQ===', '====', 'A-_8', 'AQ== ', 'AQ\n==', 'é', 'AQIDBAU=AQ==']],
];

test('texts that are not values of their type', () => {
  for (const [type, texts] of REFUSED)
    for (const text of texts) assert.equal(parse(type, text), undefined, `${type} ${text}`);
});

test('texts of the maximum body length are parsed or refused, without an exception', () => {
  const bytes = 4 * 1_048_576;
  const binary = parse('Edm.Binary', 'A'.repeat(bytes));
  assert.equal(Buffer.isBuffer(binary?.value) && binary.value.length, (bytes / 4) * 3);
  assert.equal(parse('Edm.Binary', `${'A'.repeat(bytes)}!`), undefined);
  assert.equal(parse('Edm.Double', `0.${'0'.repeat(bytes)}`)?.value, 0);
  for (const type of ['Edm.Int32', 'Edm.Int64', 'Edm.Double', 'Edm.Guid', 'Edm.DateTime'] as const)
    assert.equal(parse(type, `${'9'.repeat(bytes)}x`), undefined);
});
