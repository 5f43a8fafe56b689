// Query strings: filters by their grammar, projections, pages and their tokens, formats.
import type { Random } from '../../simulation/plan/random.js';
import { PROPERTY_NAMES, somePartition, someRow } from './entity-text.js';
import { percentEncode } from './percent-encode.js';

const OPERATORS = ['eq', 'ne', 'gt', 'ge', 'lt', 'le'] as const;
const NAMES = ['PartitionKey', 'RowKey', 'Timestamp', 'TableName', 'missing', ...PROPERTY_NAMES] as const;
const LITERALS = `'p' 'r' '' 'o''hara' 'é' 1 0 -1 5L 2147483648 1.5 1e300 1.5d 5f 5m true false NaN INF -INF
  guid'c9da6455-213d-42c9-9a79-3e9149a57833' X'0102' binary'ff' datetime'2020-01-01T00:00:00Z'
  datetime'0001-01-01T00:00:00Z'`.split(/\s+/);
const BAD_LITERALS = `null X'1' datetime'x' 1. ' "x" 9223372036854775808 5x`.split(/\s+/);
const BAD_SHARE = 0.03;

function comparison(random: Random): string {
  const name = random.pick(NAMES);
  const literal = random.pick(random.happens(BAD_SHARE) ? BAD_LITERALS : LITERALS);
  const operator = random.pick(OPERATORS);
  return random.happens(0.85) ? `${name} ${operator} ${literal}` : `${literal} ${operator} ${name}`;
}

function someFilter(random: Random, depth = 3): string {
  const kind = depth === 0 ? 0 : random.below(8);
  if (kind < 3) return comparison(random);
  if (kind === 3) return random.pick(random.happens(BAD_SHARE) ? NAMES : PROPERTY_NAMES);
  if (kind === 4) return `not (${someFilter(random, depth - 1)})`;
  if (kind === 5) return `(${someFilter(random, depth - 1)})`;
  const [left, right] = [someFilter(random, depth - 1), someFilter(random, depth - 1)];
  const connective = random.pick(['and', 'or']);
  return random.happens(0.7) ? `(${left}) ${connective} (${right})` : `${left} ${connective} ${right}`;
}

function someToken(random: Random, key: string): string {
  if (random.happens(0.1))
    return random.pick(['1!0!', '1!4!cG-', '1!5!cGs-', '2!4!cGs-', '1!4!!!!!', '1!999!cGs-', '1!-1!', key]);
  const encoded = Buffer.from(key).toString('base64').replaceAll('=', '-');
  return `1!${encoded.length}!${encoded}`;
}

type Option = (random: Random) => readonly [name: string, value: string];

const filter: Option = random => ['$filter', someFilter(random)];
const top: Option = random => [
  '$top',
  random.pick([
    '1',
    '2',
    '5',
    '1000',
    '0',
    '',
    random.pick(['1001', '-1', 'x', '1e3', '00001', '99999999999']),
  ]),
];
const select: Option = random => [
  '$select',
  random.pick([
    '*',
    '',
    ',',
    random.some(NAMES, random.below(6)).join(','),
    'n,n, text ,__proto__',
    `${'a,'.repeat(254)}a`,
    `${'a,'.repeat(255)}a`,
  ]),
];
const format: Option = random => [
  '$format',
  random.pick([
    'json',
    'application/json;odata=fullmetadata',
    'application/json;odata=nometadata',
    'atom',
    'x',
    '',
  ]),
];
const partition: Option = random => ['NextPartitionKey', someToken(random, somePartition(random))];
const row: Option = random => ['NextRowKey', someToken(random, someRow(random))];
const table: Option = random => [
  'NextTableName',
  someToken(random, random.pick(['people', 'constructor', ''])),
];
const other: Option = random =>
  random.pick([
    ['timeout', '30'],
    ['comp', 'acl'],
    ['restype', 'service'],
    ['$orderby', 'n desc'],
    ['$skip', '1'],
    ['$x', ''],
    ['__proto__', '1'],
    ['constructor', 'x'],
    ['sv', '2013-08-14'],
    ['api-version', 'x'],
  ]);

const OF_QUERIES: readonly Option[] = [
  filter,
  filter,
  filter,
  top,
  top,
  select,
  select,
  format,
  partition,
  row,
  table,
  other,
];
const OF_OTHERS: readonly Option[] = [select, format, other];

/** Encoded as most clients do, as Python's does, or not at all. */
function encode(random: Random, text: string): string {
  if (random.happens(0.05)) return text;
  const encoded = percentEncode(text);
  return random.happens(0.1) ? encoded.replaceAll('%20', '+') : encoded;
}

/** A query of some options, without the question mark. */
export function someOptions(random: Random, isQuery: boolean): string {
  const count = isQuery ? random.below(4) : random.pick([0, 0, 0, 1]);
  let text = '';
  for (let i = 0; i < count; i++) {
    const [name, value] = random.pick(isQuery ? OF_QUERIES : OF_OTHERS)(random);
    text += `${i === 0 ? '' : '&'}${encode(random, name)}=${encode(random, value)}`;
  }
  return text;
}
