// Query strings: filters by their grammar, projections, pages and their tokens, formats.
import fc from 'fast-check';
import { from, oneOf, seldom, several, text, weighted } from '../../random/arbitrary.js';
import { PROPERTY_NAMES, partition, row } from './entity-text.js';
import { percentEncode } from './percent-encode.js';

const OPERATOR = from(['eq', 'ne', 'gt', 'ge', 'lt', 'le']);
const NAMES = ['PartitionKey', 'RowKey', 'Timestamp', 'TableName', 'missing', ...PROPERTY_NAMES];
const LITERALS = `'p' 'r' '' 'o''hara' 'é' 1 0 -1 5L 2147483648 1.5 1e300 1.5d 5f 5m true false NaN INF -INF
  guid'c9da6455-213d-42c9-9a79-3e9149a57833' X'0102' binary'ff' datetime'2020-01-01T00:00:00Z'
  datetime'0001-01-01T00:00:00Z'`.split(/\s+/);
const BAD_LITERALS = `null X'1' datetime'x' 1. ' "x" 9223372036854775808 5x`.split(' ');
const BAD_PERCENT = 3;

const name = from(NAMES);
const literal = seldom(BAD_PERCENT, from(BAD_LITERALS), from(LITERALS));
const comparison = seldom(15, text`${literal} ${OPERATOR} ${name}`, text`${name} ${OPERATOR} ${literal}`);
const flag = seldom(BAD_PERCENT, name, from(PROPERTY_NAMES));
const connective = from(['and', 'or']);

function filterOf(depth: number): fc.Arbitrary<string> {
  if (depth === 0) return comparison;
  const inner = filterOf(depth - 1);
  const both = seldom(30, text`${inner} ${connective} ${inner}`, text`(${inner}) ${connective} (${inner})`);
  return oneOf([3, comparison], [1, flag], [1, text`not (${inner})`], [1, text`(${inner})`], [2, both]);
}

const BAD_TOKENS = ['1!0!', '1!4!cG-', '1!5!cGs-', '2!4!cGs-', '1!4!!!!!', '1!999!cGs-', '1!-1!', 'p'];
const tokenOf = (key: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  seldom(
    10,
    from(BAD_TOKENS),
    key.map(plain => {
      const encoded = Buffer.from(plain).toString('base64').replaceAll('=', '-');
      return `1!${encoded.length}!${encoded}`;
    }),
  );

type Option = fc.Arbitrary<readonly [name: string, value: string]>;
const option = (named: string, value: fc.Arbitrary<string>): Option =>
  value.map(each => [named, each] as const);

const BAD_TOPS = ['1001', '-1', 'x', '1e3', '00001', '99999999999'];
const SELECTS = ['*', '', ',', 'n,n, text ,__proto__', `${'a,'.repeat(254)}a`, `${'a,'.repeat(255)}a`];
const TYPE = 'application/json;odata=';
const select = option(
  '$select',
  seldom(
    17,
    fc.subarray(NAMES, { maxLength: 5 }).map(names => names.join(',')),
    from(SELECTS),
  ),
);
const format = option('$format', from(['json', `${TYPE}fullmetadata`, `${TYPE}nometadata`, 'atom', 'x', '']));
const other: Option = from([
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
] as const);

const ofQuery: Option = oneOf(
  [3, option('$filter', filterOf(3))],
  [2, option('$top', seldom(15, from(BAD_TOPS), from(['1', '2', '5', '1000', '0', ''])))],
  [2, select],
  [1, format],
  [1, option('NextPartitionKey', tokenOf(partition))],
  [1, option('NextRowKey', tokenOf(row))],
  [1, option('NextTableName', tokenOf(from(['people', 'constructor', ''])))],
  [1, other],
);
const ofOthers: Option = oneOf([1, select], [1, format], [1, other]);

/** As most clients encode, as Python's does, or not at all. */
const ENCODINGS = weighted<(plain: string) => string>(
  [17, percentEncode],
  [2, plain => percentEncode(plain).replaceAll('%20', '+')],
  [1, plain => plain],
);

const queryOf = (options: Option, most: number): fc.Arbitrary<string> =>
  several(fc.tuple(options, ENCODINGS), 0, most).map(all =>
    all.map(([[each, value], encode]) => `${encode(each)}=${encode(value)}`).join('&'),
  );

/** Without the question mark. */
export const queryOptions = queryOf(ofQuery, 3);
export const otherOptions = seldom(25, queryOf(ofOthers, 1), fc.constant(''));
