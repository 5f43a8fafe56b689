// XML bodies: the properties of the service and the policies of a table, mostly valid.
import type { Random } from '../../simulation/plan/random.js';
import { ODD_NAMES } from './odd-texts.js';

const wrap = (name: string, inside: string): string => `<${name}>${inside}</${name}>`;

const retention = (random: Random): string =>
  wrap(
    'RetentionPolicy',
    random.pick([
      '<Enabled>false</Enabled>',
      '<Enabled>true</Enabled><Days>7</Days>',
      '<Days>366</Days>',
      '',
    ]),
  );

const flag = (random: Random): string => random.pick(['true', 'false', 'true', 'false', 'True', '1', '']);

function metrics(random: Random, name: string): string {
  const apis = random.happens(0.7) ? wrap('IncludeAPIs', flag(random)) : '';
  return wrap(name, `<Version>1.0</Version>${wrap('Enabled', flag(random))}${apis}${retention(random)}`);
}

function logging(random: Random): string {
  const flags = ['Delete', 'Read', 'Write'].map(name => wrap(name, flag(random))).join('');
  return wrap('Logging', `<Version>${random.pick(['1.0', '2.0', ''])}</Version>${flags}${retention(random)}`);
}

const ORIGINS = ['*', 'http://a', 'http://a,http://b', '', 'é', 'http://a\r\nX: y', 'x'.repeat(257)];
const HEADERS = ['*', 'x-ms-*', 'x-ms-*,accept', '', '__proto__', 'a\nb', 'é'];

function rule(random: Random): string {
  const fields = [
    wrap('AllowedOrigins', random.pick(ORIGINS)),
    wrap('AllowedMethods', random.pick(['GET', 'GET,PUT,MERGE', 'GET,POST', 'X', ''])),
    wrap('AllowedHeaders', random.pick(HEADERS)),
    wrap('ExposedHeaders', random.pick(HEADERS)),
    wrap('MaxAgeInSeconds', random.pick(['5', '0', '2147483647', '2147483648', '-1', 'x'])),
  ];
  return wrap('CorsRule', (random.happens(0.9) ? fields : random.some(fields, 3)).join(''));
}

const HEADS = [
  '',
  '',
  '<?xml version="1.0" encoding="utf-8"?>',
  "\ufeff<?xml version='1.0'?>\n",
  '<?xml version="1.1"?>',
];

export function someServiceProperties(random: Random): string {
  const rules = Array.from({ length: random.below(3) }, () => rule(random)).join('');
  const sections = [
    logging(random),
    metrics(random, 'HourMetrics'),
    metrics(random, 'MinuteMetrics'),
    wrap('Cors', rules),
  ];
  return (
    random.pick(HEADS) + wrap('StorageServiceProperties', random.some(sections, random.below(5)).join(''))
  );
}

const TIMES = [
  '2020-01-01',
  '2030-01-01T00:00:00.0000000Z',
  '2020-01-01T00:00Z',
  '',
  'x',
  '0001-01-01',
  '9999-12-31T23:59:59Z',
];

function identifier(random: Random): string {
  const id = wrap(
    'Id',
    random.pick(['one', 'two', '', 'é&amp;<![CDATA[<]]>', 'x'.repeat(64), 'x'.repeat(65), ...ODD_NAMES]),
  );
  const fields = [
    wrap('Start', random.pick(TIMES)),
    wrap('Expiry', random.pick(TIMES)),
    wrap('Permission', random.pick(['r', 'raud', 'ar', '', 'x'])),
  ];
  return wrap('SignedIdentifier', id + wrap('AccessPolicy', random.some(fields, random.below(4)).join('')));
}

export function someIdentifiers(random: Random): string {
  if (random.happens(0.1)) return '';
  const identifiers = Array.from({ length: random.below(random.happens(0.1) ? 8 : 3) }, () =>
    identifier(random),
  );
  return random.pick(HEADS) + wrap('SignedIdentifiers', identifiers.join(''));
}
