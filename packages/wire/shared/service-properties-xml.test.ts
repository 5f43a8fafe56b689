// The service properties document against captured bodies, at both sides of each limit (protocol: service-properties).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { changeServiceProperties, defaultServiceProperties } from '#account';
import { formatServiceProperties, parseServiceProperties } from './service-properties-xml.js';

const document = (content: string) =>
  `<?xml version='1.0' encoding='utf-8'?>\n<StorageServiceProperties>${content}</StorageServiceProperties>`;
const parse = (content: string) => parseServiceProperties(Buffer.from(document(content)));
const shown = (content: string) =>
  formatServiceProperties(changeServiceProperties(defaultServiceProperties, parse(content)));
const invalidDocument = { name: 'ServiceError', code: 'InvalidXmlDocument' };
const invalidValue = { name: 'ServiceError', code: 'InvalidXmlNodeValue' };

const metrics = (retention: string) =>
  `<MinuteMetrics><Version>1.0</Version><Enabled>true</Enabled><IncludeAPIs>true</IncludeAPIs><RetentionPolicy>${retention}</RetentionPolicy></MinuteMetrics>`;
const days = (text: string) => metrics(`<Enabled>true</Enabled><Days>${text}</Days>`);
const rule = (fields: Readonly<Record<string, string>> = {}) => {
  const all: Readonly<Record<string, string>> = {
    AllowedOrigins: 'www.xyz.com',
    AllowedMethods: 'GET',
    ...fields,
  };
  const content = Object.entries(all).map(([name, text]) => `<${name}>${text}</${name}>`);
  return `<CorsRule>${content.join('')}</CorsRule>`;
};
const cors = (...rules: string[]) => `<Cors>${rules.join('')}</Cors>`;
const items = (count: number, suffix = '') =>
  Array.from({ length: count }, (_, i) => `h${i}${suffix}`).join(',');

test('the properties of a new account, byte by byte', () => {
  const expected =
    '\ufeff<?xml version="1.0" encoding="utf-8"?><StorageServiceProperties><Logging><Version>1.0</Version><Read>false</Read><Write>false</Write><Delete>false</Delete><RetentionPolicy><Enabled>false</Enabled></RetentionPolicy></Logging><HourMetrics><Version>1.0</Version><Enabled>true</Enabled><IncludeAPIs>true</IncludeAPIs><RetentionPolicy><Enabled>true</Enabled><Days>7</Days></RetentionPolicy></HourMetrics><MinuteMetrics><Version>1.0</Version><Enabled>false</Enabled><RetentionPolicy><Enabled>false</Enabled></RetentionPolicy></MinuteMetrics><Cors /></StorageServiceProperties>';
  assert.equal(formatServiceProperties(defaultServiceProperties), expected);
});

test('a captured exchange of CORS rules: header lists come back reordered, other sections stay', () => {
  const answer = shown(
    '<Cors><CorsRule><AllowedOrigins>www.xyz.com</AllowedOrigins><AllowedMethods>GET</AllowedMethods><AllowedHeaders /><ExposedHeaders /><MaxAgeInSeconds>0</MaxAgeInSeconds></CorsRule><CorsRule><AllowedOrigins>www.xyz.com,www.ab.com,www.bc.com</AllowedOrigins><AllowedMethods>GET,PUT</AllowedMethods><AllowedHeaders>x-ms-meta-data*,x-ms-meta-target*,x-ms-meta-xyz,x-ms-meta-foo</AllowedHeaders><ExposedHeaders>x-ms-meta-data*,x-ms-meta-source*,x-ms-meta-abc,x-ms-meta-bcd</ExposedHeaders><MaxAgeInSeconds>500</MaxAgeInSeconds></CorsRule></Cors>',
  );
  const rules =
    '<Cors><CorsRule><AllowedMethods>GET</AllowedMethods><AllowedOrigins>www.xyz.com</AllowedOrigins><AllowedHeaders /><ExposedHeaders /><MaxAgeInSeconds>0</MaxAgeInSeconds></CorsRule><CorsRule><AllowedMethods>GET,PUT</AllowedMethods><AllowedOrigins>www.xyz.com,www.ab.com,www.bc.com</AllowedOrigins><AllowedHeaders>x-ms-meta-xyz,x-ms-meta-foo,x-ms-meta-data*,x-ms-meta-target*</AllowedHeaders><ExposedHeaders>x-ms-meta-abc,x-ms-meta-bcd,x-ms-meta-data*,x-ms-meta-source*</ExposedHeaders><MaxAgeInSeconds>500</MaxAgeInSeconds></CorsRule></Cors>';
  assert.equal(answer, formatServiceProperties(defaultServiceProperties).replace('<Cors />', rules));
});

test('retention is 1 to 365 days', () => {
  assert.equal(parse(days('1')).minuteMetrics?.retentionDays, 1);
  assert.equal(parse(days('365')).minuteMetrics?.retentionDays, 365);
  for (const text of ['0', '366', '4294967296'])
    assert.throws(() => parse(days(text)), invalidDocument, text);
  for (const text of ['', '-1', '1.5', 'week', '0x10', '1e2'])
    assert.throws(() => parse(days(text)), invalidValue, text);
  assert.throws(() => parse(metrics('<Enabled>true</Enabled>')), invalidDocument);
});

test('at most five rules', () => {
  assert.equal(parse(cors(...Array(5).fill(rule()))).cors?.length, 5);
  assert.throws(() => parse(cors(...Array(6).fill(rule()))), invalidDocument);
});

test('64 origins, 64 literal and 2 prefixed headers, not one more', () => {
  for (const name of ['AllowedOrigins', 'AllowedHeaders', 'ExposedHeaders']) {
    assert.ok(parse(cors(rule({ [name]: items(64) }))), name);
    assert.throws(() => parse(cors(rule({ [name]: items(65) }))), invalidValue, name);
  }
  for (const name of ['AllowedHeaders', 'ExposedHeaders']) {
    assert.ok(parse(cors(rule({ [name]: `${items(64)},${items(2, '*')}` }))), name);
    assert.throws(() => parse(cors(rule({ [name]: items(3, '*') }))), invalidValue, name);
  }
});

test('items have at most 256 characters, all rules together 2 KiB', () => {
  for (const name of ['AllowedOrigins', 'AllowedHeaders', 'ExposedHeaders']) {
    assert.ok(parse(cors(rule({ [name]: 'x'.repeat(256) }))), name);
    assert.throws(() => parse(cors(rule({ [name]: 'x'.repeat(257) }))), invalidValue, name);
  }
  // Of each rule, `GET` and the age of `0` count four.
  const long = Array(7).fill('x'.repeat(255)).join(',');
  const two = (last: number) =>
    cors(
      rule({ AllowedOrigins: long }),
      rule({ AllowedOrigins: 'x'.repeat(251), AllowedHeaders: 'x'.repeat(last) }),
    );
  const used = 7 * 255 + 4 + 251 + 4;
  assert.ok(parse(two(2048 - used)));
  assert.throws(() => parse(two(2048 - used + 1)), invalidDocument);
});

test('methods', () => {
  const methods = 'DELETE,GET,HEAD,MERGE,POST,OPTIONS,PUT,PATCH,TRACE,CONNECT';
  assert.deepEqual(
    parse(cors(rule({ AllowedMethods: methods }))).cors?.[0]?.allowedMethods,
    methods.split(','),
  );
  assert.deepEqual(parse(cors(rule({ AllowedMethods: ' GET , PUT ' }))).cors?.[0]?.allowedMethods, [
    'GET',
    'PUT',
  ]);
  for (const text of ['', ',', 'get', 'GET;PUT', 'FETCH']) {
    assert.throws(() => parse(cors(rule({ AllowedMethods: text }))), invalidValue, text);
  }
});

test('rules without header lists and age, and with a star', () => {
  assert.deepEqual(parse(cors(rule({ AllowedOrigins: '*' }))).cors, [
    {
      allowedOrigins: ['*'],
      allowedMethods: ['GET'],
      allowedHeaders: [],
      exposedHeaders: [],
      maxAgeSeconds: 0,
    },
  ]);
  assert.throws(
    () => parse(cors('<CorsRule><AllowedOrigins>*</AllowedOrigins></CorsRule>')),
    invalidDocument,
  );
  assert.throws(() => parse(cors(rule({ AllowedOrigins: '' }))), invalidValue);
  assert.ok(parse(cors(rule({ MaxAgeInSeconds: '2147483647' }))));
  for (const text of ['2147483648', '-1', 'x']) {
    assert.throws(() => parse(cors(rule({ MaxAgeInSeconds: text }))), invalidValue, text);
  }
});

test('unknown, repeated and misplaced elements', () => {
  for (const content of [
    '<DefaultServiceVersion>2018-03-28</DefaultServiceVersion>',
    '<StaticWebsite/>',
    '<Cors/><Cors/>',
    'text',
    '<Cors>text</Cors>',
    '<Cors><Rule/></Cors>',
    '<Logging/>',
    '<Logging><Read>true</Read><Write>true</Write></Logging>',
    `${days('7').replace('<Version>1.0</Version>', '<Version>1.0</Version><Version>1.0</Version>')}`,
  ]) {
    assert.throws(() => parse(content), invalidDocument, content);
  }
  assert.throws(() => parse(days('7').replace('1.0', '3')), invalidValue);
  assert.throws(() => parseServiceProperties(Buffer.alloc(0)), invalidDocument);
  assert.throws(() => parseServiceProperties(Buffer.from('<Other/>')), invalidDocument);
});

test('of two errors the first in the document is reported', () => {
  assert.throws(() => parse(`${days('366')}${cors(rule({ AllowedMethods: 'x' }))}`), invalidDocument);
  assert.throws(() => parse(cors(rule({ AllowedOrigins: items(65) }), rule({ Other: '' }))), invalidValue);
  // Structure is checked before values: six rules are refused as six.
  assert.throws(() => parse(cors(...Array(6).fill(rule({ AllowedOrigins: items(65) })))), invalidDocument);
});

test('a written document reads back', () => {
  const name = fc.stringMatching(/^[a-z&<-]{1,8}$/);
  const retentionDays = fc.option(fc.integer({ min: 1, max: 365 }), { nil: undefined });
  const flags = { version: fc.constant('1.0'), retentionDays };
  const plain = { noNullPrototype: true } as const;
  const logging = fc.record(
    { ...flags, read: fc.boolean(), write: fc.boolean(), delete: fc.boolean() },
    plain,
  );
  const measured = fc
    .record({ ...flags, enabled: fc.boolean(), includeApis: fc.boolean() })
    .map(fields => ({ ...fields, includeApis: fields.enabled && fields.includeApis }));
  const corsRule = fc.record(
    {
      allowedOrigins: fc.array(name, { minLength: 1, maxLength: 3 }),
      allowedMethods: fc.constantFrom(['GET'], ['PUT', 'MERGE']),
      allowedHeaders: fc.array(name, { maxLength: 3 }),
      exposedHeaders: fc.constantFrom([], ['a', 'b*'], ['*']),
      maxAgeSeconds: fc.nat(),
    },
    plain,
  );
  const rules = fc.array(corsRule, { maxLength: 5 });
  const properties = fc.record(
    { logging, hourMetrics: measured, minuteMetrics: measured, cors: rules },
    plain,
  );
  fc.assert(
    fc.property(properties, expected => {
      assert.deepEqual(parseServiceProperties(Buffer.from(formatServiceProperties(expected))), expected);
    }),
  );
});
