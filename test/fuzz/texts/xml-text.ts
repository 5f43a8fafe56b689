// XML bodies: the properties of the service and the policies of a table, mostly valid.
import fc from 'fast-check';
import { from, oneOf, seldom, several, text } from '../../random/arbitrary.js';
import { ODD_NAMES } from './odd-texts.js';

const within = (name: string, inside: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  inside.map(each => `<${name}>${each}</${name}>`);
const nothing = fc.constant('');

/** Some of them, in their order. */
const someOf = (all: readonly fc.Arbitrary<string>[]): fc.Arbitrary<string> =>
  fc.tuple(...all.map(each => seldom(50, nothing, each))).map(texts => texts.join(''));
const joined = (all: readonly fc.Arbitrary<string>[]): fc.Arbitrary<string> =>
  fc.tuple(...all).map(texts => texts.join(''));

const retention = within(
  'RetentionPolicy',
  from(['<Enabled>false</Enabled>', '<Enabled>true</Enabled><Days>7</Days>', '<Days>366</Days>', '']),
);
const flag = from(['true', 'false', 'true', 'false', 'True', '1', '']);
const apis = seldom(30, nothing, within('IncludeAPIs', flag));
const metrics = (name: string): fc.Arbitrary<string> =>
  within(name, text`<Version>1.0</Version>${within('Enabled', flag)}${apis}${retention}`);
const flags = joined(['Delete', 'Read', 'Write'].map(name => within(name, flag)));
const logging = within('Logging', text`<Version>${from(['1.0', '2.0', ''])}</Version>${flags}${retention}`);

const HEADERS = from(['*', 'x-ms-*', 'x-ms-*,accept', '', '__proto__', 'a\nb', 'é']);
const RULE = [
  within(
    'AllowedOrigins',
    from(['*', 'http://a', 'http://a,http://b', '', 'é', 'http://a\r\nX: y', 'x'.repeat(257)]),
  ),
  within('AllowedMethods', from(['GET', 'GET,PUT,MERGE', 'GET,POST', 'X', ''])),
  within('AllowedHeaders', HEADERS),
  within('ExposedHeaders', HEADERS),
  within('MaxAgeInSeconds', from(['5', '0', '2147483647', '2147483648', '-1', 'x'])),
];
const rule = within('CorsRule', seldom(10, someOf(RULE), joined(RULE)));

const head = from([
  '',
  '',
  '<?xml version="1.0" encoding="utf-8"?>',
  "\ufeff<?xml version='1.0'?>\n",
  '<?xml version="1.1"?>',
]);

const repeated = (one: fc.Arbitrary<string>, most: number): fc.Arbitrary<string> =>
  several(one, 0, most).map(all => all.join(''));

const sections = [
  logging,
  metrics('HourMetrics'),
  metrics('MinuteMetrics'),
  within('Cors', repeated(rule, 2)),
];
export const serviceProperties = text`${head}${within('StorageServiceProperties', someOf(sections))}`;

const TIME = from([
  ...['2020-01-01', '2030-01-01T00:00:00.0000000Z', '2020-01-01T00:00Z', '', 'x'],
  ...['0001-01-01', '9999-12-31T23:59:59Z'],
]);
const IDS = ['one', 'two', '', 'é&amp;<![CDATA[<]]>', 'x'.repeat(64), 'x'.repeat(65), ...ODD_NAMES];
const policy = someOf([
  within('Start', TIME),
  within('Expiry', TIME),
  within('Permission', from(['r', 'raud', 'ar', '', 'x'])),
]);
const identifier = within(
  'SignedIdentifier',
  text`${within('Id', from(IDS))}${within('AccessPolicy', policy)}`,
);
const whole = (most: number): fc.Arbitrary<string> =>
  text`${head}${within('SignedIdentifiers', repeated(identifier, most))}`;
export const identifiers = oneOf([80, whole(2)], [10, whole(7)], [10, nothing]);
