// The texts of EDM values to the byte (protocol: json#writing, json#doubles).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { randomRuns } from '#base/testing/random-runs';
import { anyText } from '../testing/edm.js';
import type { EdmValue } from './edm.js';
import { escapeText, formatDouble, formatLiteral } from './edm-text.js';

const DOUBLES: readonly (readonly [number, string])[] = [
  [0, '0.0'],
  [-0, '-0.0'],
  [1, '1.0'],
  [3, '3.0'],
  [-5, '-5.0'],
  [100, '100.0'],
  [3.1, '3.1'],
  [123.45, '123.45'],
  [1.1000000000000001, '1.1'],
  [0.1 + 0.2, '0.30000000000000004'],
  // Fifteen digits do not read back, and Azure then gives these, not the seventeen of toPrecision.
  [123456789012345 + 0.125, '123456789012345.12'],
  [1234567890123456.8, '1234567890123456.8'],
  [5e-324, '4.94065645841247E-324'],
  [2.2250738585072014e-308, '2.2250738585072014E-308'],
  [Number.MAX_VALUE, '1.7976931348623157E+308'],
  [-Number.MAX_VALUE, '-1.7976931348623157E+308'],
  [1.23456789012346e24, '1.23456789012346E+24'],
  // The bounds of the exponent form: at 15 digits, at 17 after the fallback, and at -5.
  [99999999999999, '99999999999999.0'],
  [100000000000000, '100000000000000.0'],
  [999999999999999, '999999999999999.0'],
  [1e15, '1E+15'],
  [1.5e15, '1.5E+15'],
  [1234567890123456, '1234567890123456.0'],
  [2 ** 53, '9007199254740992.0'],
  [12345678901234568, '12345678901234568.0'],
  [123456789012345680, '1.2345678901234568E+17'],
  [1e100, '1E+100'],
  [0.0001, '0.0001'],
  [0.00012345, '0.00012345'],
  [0.00001, '1E-05'],
  [-0.000012345, '-1.2345E-05'],
  [1e-10, '1E-10'],
];

test('doubles are written as .NET writes them', () => {
  for (const [value, text] of DOUBLES) assert.equal(formatDouble(value), text);
});

/** Doubles of all magnitudes alike: any pattern of bits. */
const anyDouble = fc
  .bigInt({ min: 0n, max: 2n ** 64n - 1n })
  .map(bits => new Float64Array(BigUint64Array.of(bits).buffer)[0] ?? 0)
  .filter(Number.isFinite);
const nearInteger = fc
  .tuple(fc.maxSafeInteger(), fc.integer({ min: 0, max: 10 }))
  .map(([n, scale]) => n / 10 ** scale);

test('a double reads back as itself, with 15 digits where they do, and an exponent where .NET has one', () => {
  fc.assert(
    fc.property(fc.oneof(anyDouble, nearInteger), value => {
      const text = formatDouble(value);
      assert.ok(Object.is(Number(text), value), text);
      const [, whole = '', fraction = '', exponent] =
        /^-?(\d+)(?:\.(\d+))?(?:E([+-]\d\d\d?))?$/.exec(text) ?? [];
      assert.ok(exponent !== undefined || fraction !== '', `${text} looks like an integer`);
      const digits = `${whole}${fraction}`.replace(/^0+/, '').replace(/0+$/, '');
      const most = Number(value.toPrecision(15)) === value ? 15 : 17;
      assert.ok(digits.length <= most, text);
      const power = value === 0 ? 0 : Number(value.toExponential().split('e')[1]);
      assert.equal(exponent !== undefined, power <= -5 || power >= most, text);
    }),
    { numRuns: randomRuns(10_000) },
  );
});

const LITERALS: readonly (readonly [EdmValue, string])[] = [
  [{ type: 'Edm.String', value: '' }, '""'],
  [{ type: 'Edm.String', value: 'ꀕ' }, '"\\ua015"'],
  [{ type: 'Edm.String', value: "a'b<c>&/+" }, '"a\'b<c>&/+"'],
  [{ type: 'Edm.Int32', value: 20 }, '20'],
  [{ type: 'Edm.Int32', value: -2147483648 }, '-2147483648'],
  [{ type: 'Edm.Int64', value: 9223372036854775807n }, '"9223372036854775807"'],
  [{ type: 'Edm.Int64', value: -9223372036854775808n }, '"-9223372036854775808"'],
  [{ type: 'Edm.Double', value: Number.NaN }, '"NaN"'],
  [{ type: 'Edm.Double', value: Number.POSITIVE_INFINITY }, '"Infinity"'],
  [{ type: 'Edm.Double', value: Number.NEGATIVE_INFINITY }, '"-Infinity"'],
  [{ type: 'Edm.Boolean', value: true }, 'true'],
  [{ type: 'Edm.Boolean', value: false }, 'false'],
  [{ type: 'Edm.DateTime', value: 15_778_405_200_000_000n }, '"2020-01-01T01:02:00Z"'],
  [{ type: 'Edm.DateTime', value: 1n }, '"1970-01-01T00:00:00.0000001Z"'],
  [
    { type: 'Edm.Guid', value: 'c9da6455-213d-42c9-9a79-3e9149a57833' },
    '"c9da6455-213d-42c9-9a79-3e9149a57833"',
  ],
  [{ type: 'Edm.Binary', value: Buffer.of(1, 2, 3, 4, 5) }, '"AQIDBAU="'],
  [{ type: 'Edm.Binary', value: Buffer.of(0xfb, 0xff) }, '"+/8="'],
  [{ type: 'Edm.Binary', value: Buffer.of() }, '""'],
];

test('the literal of each type', () => {
  for (const [value, text] of LITERALS) assert.equal(formatLiteral(value), text);
});

test('what is escaped, and how', () => {
  const shorts: readonly (readonly [string, string])[] = [
    ['\n', '\\n'],
    ['\r', '\\r'],
    ['\t', '\\t'],
    ['\b', '\\b'],
    ['\f', '\\f'],
    ['"', '\\"'],
    ['\\', '\\\\'],
    ['\0', '\\u0000'],
    ['\u001f', '\\u001f'],
    ['~', '~'],
    ['\u007f', '\\u007f'],
    ['é', '\\u00e9'],
    ['😀', '\\ud83d\\ude00'],
    ['\ud83d', '\\ud83d'],
    ['\ude00\ud83d', '\\ude00\\ud83d'],
    ['\uffff', '\\uffff'],
  ];
  for (const [text, escaped] of shorts) assert.equal(escapeText(`a${text}b`), `a${escaped}b`);
});

test('escaped text is printable ASCII and reads back', () => {
  fc.assert(
    fc.property(anyText, text => {
      const escaped = escapeText(text);
      assert.match(escaped, /^[\x20-\x7e]*$/);
      assert.equal(JSON.parse(`"${escaped}"`), text);
    }),
    { numRuns: randomRuns(1_000) },
  );
});
