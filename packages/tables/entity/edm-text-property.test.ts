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

const ACCEPTED: readonly (readonly [EdmType, string, EdmValue['value']])[] = [
  ['Edm.String', '', ''],
  ['Edm.Int32', '5', 5],
  ['Edm.Int32', '+5', 5],
  ['Edm.Int32', '-2147483648', -2147483648],
  ['Edm.Int32', '2147483647', 2147483647],
  ['Edm.Int64', '0', 0n],
  ['Edm.Int64', '+7', 7n],
  ['Edm.Int64', '-9223372036854775808', -(2n ** 63n)],
  ['Edm.Int64', '9223372036854775807', 2n ** 63n - 1n],
  ['Edm.Double', '10', 10],
  ['Edm.Double', '10.0', 10],
  ['Edm.Double', '123456789012345.12', 123456789012345.12],
  ['Edm.Double', '5e-324', 5e-324],
  ['Edm.Double', '1.7976931348623157e+308', Number.MAX_VALUE],
  ['Edm.Double', '-1E+15', -1e15],
  ['Edm.Double', 'NaN', Number.NaN],
  ['Edm.Double', 'Infinity', Number.POSITIVE_INFINITY],
  ['Edm.Double', '-Infinity', Number.NEGATIVE_INFINITY],
  ['Edm.Double', 'INF', Number.POSITIVE_INFINITY],
  ['Edm.Double', '-INF', Number.NEGATIVE_INFINITY],
  ['Edm.Boolean', 'true', true],
  ['Edm.Boolean', 'False', false],
  ['Edm.DateTime', '2020-01-01T01:02:00.0000000Z', 15_778_405_200_000_000n],
  ['Edm.DateTime', '1601-01-01T00:00:00Z', -116_444_736_000_000_000n],
  ['Edm.Guid', 'C9DA6455-213D-42C9-9A79-3E9149A57833', 'c9da6455-213d-42c9-9a79-3e9149a57833'],
  ['Edm.Binary', '', Buffer.of()],
  ['Edm.Binary', 'AQIDBAU=', Buffer.of(1, 2, 3, 4, 5)],
  ['Edm.Binary', '+/8=', Buffer.of(0xfb, 0xff)],
];

test('texts that are values of their type', () => {
  for (const [type, text, value] of ACCEPTED) assert.deepEqual(parse(type, text), { type, value });
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
