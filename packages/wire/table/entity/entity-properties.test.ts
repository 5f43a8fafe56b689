// Parsing entities from JSON, case by case (protocol: json#reading).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { randomRuns } from '#base/testing/random-runs';
import {
  type EdmValue,
  encodeEntity,
  formatLiteral,
  type Property,
  TableError,
  type TableErrorCode,
} from '#tables';
import { parseEntity, requireKey } from './read-entity.js';

const parse = (text: string) => parseEntity(Buffer.from(text));
/** Without the literals. */
const plainly = (properties: readonly Property[]) => properties.map(({ literal, ...property }) => property);
/** The properties of an object with these members. */
const propertiesOf = (members: string) =>
  plainly(parse(`{"PartitionKey":"p","RowKey":"r",${members}}`).properties);

function assertValue(members: string, value: EdmValue | undefined): void {
  const expected: Property[] = value === undefined ? [] : [{ name: 'p', ...value }];
  assert.deepEqual(propertiesOf(members), expected, members);
}

function assertRefused(members: string, code: TableErrorCode, detail?: TableError['detail']): void {
  const expected = { name: 'TableError', code, ...(detail && { detail }) };
  assert.throws(() => propertiesOf(members), expected, members);
}

const GUID = 'c9da6455-213d-42c9-9a79-3e9149a57833';
const TICKS = 15_778_405_200_000_000n;

test('the type that a bare value has', () => {
  const cases: readonly (readonly [string, EdmValue])[] = [
    ['"x"', { type: 'Edm.String', value: 'x' }],
    ['""', { type: 'Edm.String', value: '' }],
    ['"5"', { type: 'Edm.String', value: '5' }],
    ['"2020-01-01T01:02:00Z"', { type: 'Edm.String', value: '2020-01-01T01:02:00Z' }],
    ['true', { type: 'Edm.Boolean', value: true }],
    ['false', { type: 'Edm.Boolean', value: false }],
    ['5', { type: 'Edm.Int32', value: 5 }],
    ['2147483647', { type: 'Edm.Int32', value: 2147483647 }],
    ['-2147483648', { type: 'Edm.Int32', value: -2147483648 }],
    ['3.0', { type: 'Edm.Double', value: 3 }],
    ['1e3', { type: 'Edm.Double', value: 1000 }],
    ['1E3', { type: 'Edm.Double', value: 1000 }],
    ['-0.0', { type: 'Edm.Double', value: -0 }],
    ['2147483648.0', { type: 'Edm.Double', value: 2147483648 }],
    ['2147483648', { type: 'Edm.Double', value: 2147483648 }],
    ['-2147483649', { type: 'Edm.Double', value: -2147483649 }],
    ['1795740487512', { type: 'Edm.Double', value: 1795740487512 }],
    ['-1000000000000000', { type: 'Edm.Double', value: -1e15 }],
    ['9007199254740992', { type: 'Edm.Double', value: 2 ** 53 }],
    ['9007199254740993', { type: 'Edm.Double', value: 2 ** 53 }],
    ['9223372036854775807', { type: 'Edm.Double', value: 2 ** 63 }],
    ['9223372036854775808', { type: 'Edm.Double', value: 2 ** 63 }],
    [`1${'0'.repeat(308)}`, { type: 'Edm.Double', value: 1e308 }],
    ['-0', { type: 'Edm.Int32', value: -0 }],
  ];
  for (const [text, value] of cases) assertValue(`"p":${text}`, value);
  for (const text of ['1e999', `1${'0'.repeat(309)}`]) assertRefused(`"p":${text}`, 'InvalidInput:Body');
});

test('type annotations work for few and many properties, before and after them, and the last one counts', () => {
  for (const count of [1, 16, 17, 200]) {
    const names = Array.from({ length: count }, (_, i) => `p${i}`);
    const values = names.map(name => `"${name}":"7"`);
    const types = names.map(name => `"${name}@odata.type":"Edm.Int64"`);
    const expected = names.map(name => ({ name, type: 'Edm.Int64', value: 7n }));
    assert.deepEqual(propertiesOf([...types, ...values].join()), expected);
    assert.deepEqual(propertiesOf([...values, ...types].join()), expected);
    const twice = [...types, '"p0@odata.type":"Edm.String"', ...values].join();
    assert.equal(propertiesOf(twice)[0]?.type, 'Edm.String');
  }
});

test('the value of a declared type', () => {
  const cases: readonly (readonly [string, string, EdmValue])[] = [
    ['Edm.String', '"5"', { type: 'Edm.String', value: '5' }],
    ['Edm.Int32', '5', { type: 'Edm.Int32', value: 5 }],
    ['Edm.Int32', '"5"', { type: 'Edm.Int32', value: 5 }],
    ['Edm.Int64', '"9223372036854775807"', { type: 'Edm.Int64', value: 9223372036854775807n }],
    ['Edm.Int64', '5', { type: 'Edm.Int64', value: 5n }],
    ['Edm.Int64', '-9223372036854775808', { type: 'Edm.Int64', value: -9223372036854775808n }],
    ['Edm.Double', '5', { type: 'Edm.Double', value: 5 }],
    ['Edm.Double', '"10"', { type: 'Edm.Double', value: 10 }],
    ['Edm.Double', '"5e-324"', { type: 'Edm.Double', value: 5e-324 }],
    ['Edm.Double', '"NaN"', { type: 'Edm.Double', value: Number.NaN }],
    ['Edm.Double', '"-Infinity"', { type: 'Edm.Double', value: Number.NEGATIVE_INFINITY }],
    ['Edm.Double', '12345678901', { type: 'Edm.Double', value: 12345678901 }],
    ['Edm.Boolean', 'true', { type: 'Edm.Boolean', value: true }],
    ['Edm.Boolean', '"False"', { type: 'Edm.Boolean', value: false }],
    ['Edm.DateTime', '"2020-01-01T01:02:00.0000000Z"', { type: 'Edm.DateTime', value: TICKS }],
    ['Edm.DateTime', '"2020-01-01T02:02:00+01:00"', { type: 'Edm.DateTime', value: TICKS }],
    ['Edm.Guid', `"${GUID.toUpperCase()}"`, { type: 'Edm.Guid', value: GUID }],
    ['Edm.Binary', '"AQIDBAU="', { type: 'Edm.Binary', value: Buffer.of(1, 2, 3, 4, 5) }],
    ['Edm.Binary', '""', { type: 'Edm.Binary', value: Buffer.of() }],
  ];
  for (const [type, text, value] of cases) {
    const annotation = `"p@odata.type":"${type}"`;
    assertValue(`${annotation},"p":${text}`, value);
    assertValue(`"p":${text},${annotation}`, value);
  }
});

test('values that do not fit their declared type', () => {
  const cases: readonly (readonly [string, readonly string[]])[] = [
    ['Edm.String', ['5', 'true', '{}', '[]']],
    ['Edm.Int32', ['5.0', '"x"', 'true', '2147483648', '""']],
    ['Edm.Int64', ['5.5', '"9223372036854775808"', 'false', '"5L"']],
    ['Edm.Double', ['"x"', 'true', '"1e999"', '""']],
    ['Edm.Boolean', ['1', '"yes"', '""']],
    [
      'Edm.DateTime',
      [
        '"yesterday"',
        '5',
        '""',
        '"1600-13-01T00:00:00Z"',
        '"0000-01-01T00:00:00Z"',
        '"10000-01-01T00:00:00Z"',
      ],
    ],
    ['Edm.Guid', ['"x"', `"{${GUID}}"`, '5']],
    ['Edm.Binary', ['"A"', '"A-_="', '5']],
  ];
  for (const [type, texts] of cases) {
    for (const text of texts) assertRefused(`"p@odata.type":"${type}","p":${text}`, 'InvalidInput:Body');
  }
});

test('a time before 1601 is out of range, in the words of .NET', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['1600-12-31T23:59:59.9999999Z', '12/31/1600 23:59:59'],
    ['0001-01-01T00:00:00Z', '01/01/0001 00:00:00'],
    ['1000-02-03', '02/03/1000 00:00:00'],
    ['1601-01-01T00:30:00+01:00', '12/31/1600 23:30:00'],
  ];
  for (const [text, value] of cases) {
    const members = `"born@odata.type":"Edm.DateTime","born":"${text}"`;
    assertRefused(members, 'OutOfRangeInput:Parameter', { name: 'born', value });
  }
});

test('null is left out, with or without a type', () => {
  assertValue('"p":null', undefined);
  for (const type of ['Edm.String', 'Edm.Int64', 'Edm.Binary'])
    assertValue(`"p@odata.type":"${type}","p":null`, undefined);
});

test('ignored members: control information, annotations of missing properties and of annotations, Timestamp', () => {
  const ignored = [
    '"odata.etag":"W/\\"x\\""',
    '"odata.metadata":5,"odata.type":null,"odata.id":{},"odata.editLink":[]',
    '"gone@odata.type":"Edm.Int64"',
    '"p@odata.type@odata.type":"Edm.String"',
    '"PartitionKey@odata.type":"Edm.String","RowKey@odata.type":"Edm.String"',
    '"PartitionKey@odata.type@odata.type":"Edm.String"',
    '"a@odata.etag":"x","odata.x@odata.type":"Edm.Int32"',
    '"Timestamp":"2020-01-01T00:00:00Z"',
    '"Timestamp@odata.type":"Edm.DateTime","Timestamp":"0001-01-01T00:00:00Z"',
    '"Timestamp":null',
    '"Timestamp":5',
  ];
  for (const members of ignored) assertValue(`${members},"p":1`, { type: 'Edm.Int32', value: 1 });
});

test('objects, lists and unknown types', () => {
  for (const members of ['"p":{}', '"p":[1]', '"p@odata.type":"Edm.Single","p":1', '"p@odata.type":5,"p":1'])
    assertRefused(members, 'InvalidInput:Body');
  for (const type of ['edm.int32', 'Edm.Null', '', 'Int32', '__proto__', 'Edm.DateTimeOffset'])
    assertRefused(`"p@odata.type":"${type}","p":"1"`, 'InvalidInput:Body');
});

test('a member that occurs twice', () => {
  for (const members of [
    '"p":1,"p":1',
    '"p":null,"p":1',
    '"RowKey":"r"',
    '"Timestamp":1,"Timestamp":1',
    '"\\u0070":1,"p":1',
  ])
    assertRefused(members, 'DuplicatePropertiesSpecified');
  assert.equal(propertiesOf('"Birthday":1,"birthday":2').length, 2);
});

test('properties keep the order of the text, and names on Object.prototype are ordinary', () => {
  const names = ['z', 'a', '__proto__', 'constructor', 'toString', 'é'];
  const members = names.map(name => `"${name}":1,"${name}@odata.type":"Edm.Int64"`).join(',');
  const found = propertiesOf(members);
  assert.deepEqual(
    found.map(({ name }) => name),
    names,
  );
  for (const property of found) assert.equal(property.type, 'Edm.Int64');
});

test('forbidden property names, found before the value; a null is not stored under any name', () => {
  for (const name of ['1', '', 'a-b', 'a.b', ' a']) {
    assertRefused(`"${name}":1`, 'PropertyNameInvalid');
    assertRefused(`"${name}":{}`, 'PropertyNameInvalid');
    assert.throws(
      () => parse(`{"${name}":1}`),
      { code: 'PropertyNameInvalid' },
      'before the keys are asked for',
    );
    assert.deepEqual(propertiesOf(`"${name}":null`), []);
  }
});

/** The key of an insert. */
const keyOf = (text: string) => requireKey(parse(text));

test('keys of an insert are strings; null counts as missing', () => {
  assert.deepEqual(keyOf('{"PartitionKey":"","RowKey":" r "}'), { partitionKey: '', rowKey: ' r ' });
  const texts = ['{}', '{"PartitionKey":"p"}', '{"RowKey":"r"}', '{"PartitionKey":null,"RowKey":"r"}'];
  for (const text of texts) assert.throws(() => keyOf(text), { code: 'PropertiesNeedValue' });
  for (const value of ['5', 'true', '{}', '[]']) {
    const code = 'InvalidInput:KeyType';
    assert.throws(() => keyOf(`{"PartitionKey":${value},"RowKey":"r"}`), { code });
    assert.throws(() => keyOf(`{"PartitionKey":"p","RowKey":${value}}`), { code });
  }
  const typed = '{"PartitionKey@odata.type":"Edm.Int32","PartitionKey":"5","RowKey":"r"}';
  assert.throws(() => keyOf(typed), { code: 'InvalidInput:KeyType' });
  const text = '{"PartitionKey@odata.type":"Edm.String","PartitionKey":"5","RowKey":"r"}';
  assert.deepEqual(keyOf(text), { partitionKey: '5', rowKey: 'r' });
});

test('keys of an insert have no forbidden characters, and the first that has is named', () => {
  const insert = (partitionKey: string, rowKey: string) =>
    keyOf(JSON.stringify({ PartitionKey: partitionKey, RowKey: rowKey }));
  assert.deepEqual(insert('', 'a%2F"\''), { partitionKey: '', rowKey: 'a%2F"\'' });
  for (const value of ['/', '\\', '#', '?', '\0', '\u001f', '\u007f', '\u009f', '\ud83d']) {
    const code = 'OutOfRangeInput:Parameter';
    assert.throws(() => insert(value, value), { code, detail: { name: 'PartitionKey', value } });
    assert.throws(() => insert('', value), { code, detail: { name: 'RowKey', value } });
  }
});

/** Texts of numbers and times with zeros, signs and lengths of all kinds, most of them near a form that is stored. */
const digits = (max: number) => fc.stringMatching(new RegExp(`^[0-9]{0,${max}}$`));
const sign = fc.constantFrom('', '', '-', '+');
const number = fc.tuple(sign, fc.constantFrom('', '0', '00', '000'), digits(17)).map(parts => parts.join(''));
const fraction = fc
  .tuple(fc.constantFrom('', '.', '.0', '.000', '.0000'), digits(9))
  .map(parts => parts.join(''));
const exponent = fc.constantFrom('', '', '', 'e1', 'E-7', 'e+20');
const decimal = fc
  .tuple(fc.oneof(number, fc.constantFrom('0', '-0', '7')), fraction, exponent)
  .map(parts => parts.join(''));
const time = fc
  .tuple(
    fc.constantFrom('', 'T00:00', 'T01:02:03', 'T23:59:59'),
    fraction,
    fc.constantFrom('', 'Z', '+01:00'),
  )
  .map(([clock, more, zone]) => `1987-06-05${clock}${more}${zone}`);
const word = fc.string({
  unit: fc.constantFrom('a', ' ', 'é', '\u007f', '\ud83d\ude00', '/', "'"),
  maxLength: 4,
});
const spelled = fc.oneof(
  fc.tuple(
    fc.constantFrom('', 'Edm.Double', 'Edm.Int64', 'Edm.Int32'),
    fc.oneof(number, decimal),
    fc.boolean(),
  ),
  fc.tuple(fc.constant('Edm.DateTime'), time, fc.constant(true)),
  fc.tuple(fc.constantFrom('', 'Edm.String'), fc.oneof(word, decimal), fc.constant(true)),
  fc.tuple(fc.constant('Edm.Guid'), fc.constantFrom(GUID, GUID.toUpperCase()), fc.constant(true)),
  fc.tuple(fc.constant('Edm.Binary'), fc.constantFrom('', 'AQI=', 'AQJ=', 'AQ==', 'AQID'), fc.constant(true)),
);
const spelledMember = spelled.map(([type, text, isQuoted]) => {
  const value = isQuoted ? `"${text}"` : text;
  return type === '' ? `"p":${value}` : `"p@odata.type":"${type}","p":${value}`;
});

/** The properties, or the code of the refusal. */
function outcomeOf(body: string): readonly Property[] | string {
  try {
    return parse(body).properties;
  } catch (error) {
    return error instanceof TableError ? error.code : assert.fail(String(error));
  }
}

test('a kept literal equals the one that would be formatted, for any layout of the body', () => {
  let kept = 0;
  fc.assert(
    fc.property(spelledMember, member => {
      const plain = outcomeOf(`{${member}}`);
      // With a tab anywhere, each string is checked by itself.
      const other = outcomeOf(`{\t${member}}`);
      if (typeof plain === 'string' || typeof other === 'string') {
        assert.equal(plain, other);
        return;
      }
      for (const property of plain) {
        const { literal, ...value } = property;
        if (literal === undefined) continue;
        kept++;
        assert.equal(literal, formatLiteral(value));
      }
      assert.deepEqual(plainly(plain), plainly(other));
      assert.deepEqual(encodeEntity(plain), encodeEntity(other));
      assert.deepEqual(encodeEntity(plain), encodeEntity(plainly(plain)));
    }),
    { numRuns: randomRuns(5_000) },
  );
  assert.ok(kept > randomRuns(500), `${kept} literals were kept`);
});
