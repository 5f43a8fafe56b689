// The line to the byte: how it is written and read, and that reading inverts writing for any row.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { Checksum } from './checksum.js';
import { formatBoth, formatContent, formatLine } from './line.js';
import { formatString, isLiteral, literalOf } from './literal.js';
import { readPage, readRow } from './read-rows.js';
import { compareText, type EdmType, type Property, type Row, RowError } from './row.js';

const canonical = (text: string): string => formatLine(readRow(text));

describe('a line', () => {
  test('has keys and Timestamp first, then properties by name, each with the annotation that it needs', () => {
    const body =
      '{"b":true,"RowKey":"r","a@odata.type":"Edm.Int64","a":"5","odata.etag":"W/\\"x\\"","PartitionKey":"p","Z":1,"Timestamp":"2020-01-01T00:00:00.1200000Z"}';
    assert.equal(
      canonical(body),
      '{"PartitionKey":"p","RowKey":"r","Timestamp":"2020-01-01T00:00:00.12Z","Z":1,"a@odata.type":"Edm.Int64","a":"5","b":true}',
    );
  });

  const member = (text: string): string =>
    canonical(`{"PartitionKey":"","RowKey":"",${text}}`).slice('{"PartitionKey":"","RowKey":"",'.length, -1);

  test('writes doubles as ECMAScript does, with a point', () => {
    const cases: readonly (readonly [string, string])[] = [
      ['1.0', '1.0'],
      ['1e21', '1e+21'],
      ['123456789012345680000.0', '123456789012345680000.0'],
      ['-0.0', '-0.0'],
      ['4.94065645841247E-324', '5e-324'],
      ['2147483648', '2147483648.0'],
      ['-2147483649', '-2147483649.0'],
    ];
    for (const [told, written] of cases)
      assert.equal(member(`"d":${told}`), `"d@odata.type":"Edm.Double","d":${written}`);
    for (const name of ['NaN', 'Infinity', '-Infinity'])
      assert.equal(
        member(`"d@odata.type":"Edm.Double","d":"${name}"`),
        `"d@odata.type":"Edm.Double","d":"${name}"`,
      );
  });

  test('accepts as a Double what JSON and ECMAScript write, and nothing else that JavaScript reads', () => {
    for (const text of ['1', '1.', '.5', '+1', '1E+2', '-0', '1.7976931348623157e308'])
      assert.equal(
        literalOf('Double', text),
        literalOf('Double', Object.is(Number(text), -0) ? '-0' : String(Number(text))),
      );
    for (const text of [
      '0x10',
      '0b1',
      '0o7',
      ' 1',
      '1 ',
      '',
      '1_0',
      'nan',
      '+Infinity',
      '1e',
      '1e309',
      '-1e309',
    ])
      assert.throws(() => literalOf('Double', text), RowError, text);
  });

  test('takes a text as it is only if it is the literal', () => {
    const digits = fc.string({ unit: fc.constantFrom(...'0019.-e'), maxLength: 20 });
    const double = fc
      .tuple(
        fc.constantFrom('', '-'),
        fc.nat(10_000_000_000),
        fc.nat(99_999_999),
        fc.integer({ min: 1, max: 8 }),
      )
      .map(([sign, whole, fraction, width]) => `${sign}${whole}.${String(fraction).padStart(width, '0')}`);
    const time = digits.map(tail => `2020-01-02T03:04:05${tail}Z`);
    const guid = fc.constantFrom('a', 'A').map(last => `00000000-0000-0000-0000-00000000000${last}`);
    const texts: Readonly<Partial<Record<EdmType, fc.Arbitrary<string>>>> = {
      Boolean: fc.constantFrom('true', 'false', 'True'),
      Int32: digits,
      Int64: digits,
      Double: fc.oneof(digits, double),
      DateTime: time,
      Guid: guid,
    };
    for (const [type, each] of Object.entries(texts) as [EdmType, fc.Arbitrary<string>][])
      fc.assert(
        fc.property(each, text => {
          for (const json of [text, `"${text}"`])
            if (isLiteral(type, json)) assert.equal(literalOf(type, text), json);
        }),
      );
    for (const [type, json] of [
      ['Boolean', 'true'],
      ['Int32', '-999999999'],
      ['Int64', `"${'9'.repeat(18)}"`],
      ['Double', '999999999.999999'],
      ['DateTime', '"2020-01-02T03:04:05.1234567Z"'],
      ['Guid', '"00000000-0000-0000-0000-00000000000a"'],
    ] as const)
      assert(isLiteral(type, json), json);
  });

  test('reads a type that differs from that of the row before, and refuses one that is not a string', () => {
    const entity = (type: string, value: string): string =>
      `{"PartitionKey":"p","RowKey":"r${value.length}","a@odata.type":${type},"a":${value}}`;
    const rows = readPage(
      `[${[entity('"Edm.Int64"', '"1"'), entity('"Edm.Int32"', '10'), entity('"Edm.\\u0049nt64"', '"100"'), entity('"Edm.Single"', 'null')]}]`,
    );
    assert.deepEqual(
      rows.map(({ properties }) => properties.map(({ type, literal }) => `${type} ${literal}`)),
      [['Int64 "1"'], ['Int32 10'], ['Int64 "100"'], []],
    );
    assert.throws(() => readRow(entity('5', '5')), {
      name: 'RowError',
      message: /a@odata\.type is 5, which is not a string/,
    });
  });

  test('leaves whole numbers of 32 bits without an annotation', () => {
    for (const text of ['2147483647', '-2147483648', '0']) assert.equal(member(`"i":${text}`), `"i":${text}`);
  });

  test('escapes what editors and other readers of lines trip over', () => {
    assert.equal(
      member('"s":"\x7f\x9f\u2028\u2029\ufeff\\ud800\\u0041é\xa0"'),
      '"s":"\\u007f\\u009f\\u2028\\u2029\\ufeff\\ud800Aé\xa0"',
    );
  });

  test('keeps any name', () => {
    for (const name of ['__proto__', 'partitionKey', 'etag', 'constructor', '\ud800', '']) {
      const row = readRow(`{"PartitionKey":"","RowKey":"",${JSON.stringify(name)}:1}`);
      assert.deepEqual(row.properties, [{ name, type: 'Int32', literal: '1' }]);
    }
  });

  test('accepts annotations after their property, and takes null for absent', () => {
    assert.equal(
      member('"g":"ABCDEF00-0000-0000-0000-000000000000","n":null,"g@odata.type":"Edm.Guid"'),
      '"g@odata.type":"Edm.Guid","g":"abcdef00-0000-0000-0000-000000000000"',
    );
  });

  test('skips annotations of up to 64 nested objects and arrays', () => {
    for (const [open, close] of [
      ['[', ']'],
      ['{"a":', '}'],
    ] as const) {
      const row = (depth: number): string =>
        `{"odata.x":${open.repeat(depth)}1${close.repeat(depth)},"PartitionKey":"","RowKey":""}`;
      for (const depth of [0, 63, 64]) assert.deepEqual(readRow(row(depth)).properties, []);
      const message = /nested too deeply/;
      for (const depth of [65, 100_000])
        assert.throws(() => readRow(row(depth)), { name: 'RowError', message });
    }
  });

  test('refuses invalid rows, with the reason', () => {
    const cases: readonly (readonly [string, RegExp])[] = [
      ['{"RowKey":"r"}', /no PartitionKey/],
      ['{"PartitionKey":"r"}', /no RowKey/],
      ['{"PartitionKey":"","RowKey":"","a":{}}', /object or an array/],
      ['{"PartitionKey":"","RowKey":"","a":1,"a":2}', /comes twice/],
      [
        '{"PartitionKey":"","RowKey":"","a@odata.type":"Edm.Int64","a":"9223372036854775808"}',
        /beyond Int64/,
      ],
      ['{"PartitionKey":"","RowKey":"","a@odata.type":"Edm.Single","a":1}', /tables do not have/],
      ['{"PartitionKey":"","RowKey":""} ', /^$/],
      ['{"PartitionKey":"","RowKey":""}x', /more after the end/],
      ['{"PartitionKey":"","RowKey":"\x01"}', /not a JSON string/],
      ['{"PartitionKey":"","RowKey":"a', /does not end/],
      ['', /"\{" is missing/],
    ];
    for (const [text, message] of cases) {
      if (message.source === '^$') assert.doesNotThrow(() => readRow(text));
      else assert.throws(() => readRow(text), { name: 'RowError', message }, text);
    }
  });
});

const numbers = fc.oneof(fc.double(), fc.constantFrom(-0, 5e-324, Number.MAX_VALUE, 1e21, 1e-7));
const strings = fc.oneof(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary' }), half());

function half(): fc.Arbitrary<string> {
  return fc.integer({ min: 0xd800, max: 0xdfff }).map(unit => `a${String.fromCharCode(unit)}"\\`);
}

const dates = fc
  .tuple(fc.integer({ min: 1, max: 9999 }), fc.integer({ min: 0, max: 9_999_999 }))
  .map(
    ([year, ticks]) => `${String(year).padStart(4, '0')}-02-03T04:05:06.${String(ticks).padStart(7, '0')}Z`,
  );

const VALUES: Readonly<Record<EdmType, fc.Arbitrary<string>>> = {
  String: strings,
  Boolean: fc.constantFrom('true', 'false'),
  Int32: fc.integer().map(String),
  Int64: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String),
  Double: numbers.map(each => (Object.is(each, -0) ? '-0' : String(each))),
  DateTime: dates,
  Guid: fc.uuid(),
  Binary: fc.uint8Array({ maxLength: 40 }).map(bytes => Buffer.from(bytes).toString('base64')),
};

const isPropertyName = (name: string): boolean =>
  !['PartitionKey', 'RowKey', 'Timestamp'].includes(name) && !/^odata\.|@odata\./.test(name);

const properties: fc.Arbitrary<Property> = fc
  .tuple(strings.filter(isPropertyName), fc.constantFrom(...(Object.keys(VALUES) as EdmType[])))
  .chain(([name, type]) => VALUES[type].map(text => ({ name, type, literal: literalOf(type, text) })));

const rows: fc.Arbitrary<Row> = fc.record(
  {
    partitionKey: strings,
    rowKey: strings,
    timestamp: fc.option(fc.constant('2020-01-01T00:00:00.1234567Z'), { nil: undefined }),
    properties: fc
      .uniqueArray(properties, { selector: ({ name }) => name, maxLength: 12 })
      .map(all => [...all].sort((one, other) => compareText(one.name, other.name))),
  },
  { noNullPrototype: true },
);

describe('any row', () => {
  test('reads back from its line, and has one line', () => {
    fc.assert(
      fc.property(rows, row => {
        const line = formatLine(row);
        assert.doesNotMatch(line, /[\n\x7f-\x9f\u2028\u2029\ufeff]/);
        assert.equal(Buffer.from(line).toString(), line);
        assert.deepEqual(readRow(line), row);
        assert.deepEqual(formatBoth(row), { line, content: formatContent(row) });
      }),
    );
  });

  test('reads back from a page of many', () => {
    fc.assert(
      fc.property(fc.array(rows, { maxLength: 8 }), all => {
        assert.deepEqual(
          readPage(`{"odata.metadata":"x\\"y","value":[${all.map(formatLine).join(', ')}]}`),
          all,
        );
      }),
    );
  });

  test('of a broken text is a row or a RowError, never another error', () => {
    fc.assert(
      fc.property(rows, fc.nat(), fc.integer({ min: 0, max: 0xffff }), (row, at, unit) => {
        const line = formatLine(row);
        const place = at % line.length;
        const broken = `${line.slice(0, place)}${String.fromCharCode(unit)}${line.slice(place + 1)}`;
        for (const text of [broken, line.slice(0, place)]) {
          try {
            readRow(text);
          } catch (error) {
            assert(error instanceof RowError, String(error));
          }
        }
      }),
    );
  });
});

describe('a checksum', () => {
  test('is the sum of the first halves of SHA-256, whatever the order', () => {
    const [one, other] = [new Checksum(), new Checksum()];
    const texts = ['a', 'b', 'c'];
    for (const text of texts) one.addContent(text);
    for (const text of texts.reverse()) other.addContent(text);
    assert.equal(String(one), String(other));
    // printf a | sha256sum, and so on, summed by bc.
    const digests = [
      'ca978112ca1bbdcafac231b39a23dc4d',
      '3e23e8160039594a33894f6564e1b134',
      '2e7d2c03a9507ae265ecf5b5356885a5',
    ];
    const sum = digests.reduce((total, digest) => total + BigInt(`0x${digest}`), 0n) % 2n ** 128n;
    assert.equal(String(one), sum.toString(16).padStart(32, '0'));
    assert.equal(String(Checksum.parse(String(one))), String(one));
    assert.equal(String(new Checksum()), '0'.repeat(32));
  });

  test('wraps at 2^128', () => {
    const most = Checksum.parse('f'.repeat(32));
    most.add(Checksum.parse(`${'0'.repeat(31)}2`));
    assert.equal(String(most), `${'0'.repeat(31)}1`);
  });

  test('of a string is that of its bytes in UTF-8', () => {
    assert.equal(formatString('é'), '"é"');
    const [one, other] = [new Checksum(), new Checksum()];
    one.addContent('é');
    other.addContent(Buffer.from('é'));
    assert.equal(String(one), String(other));
  });
});
