// JSON bodies of entities: values of every type with and without annotations, names of every kind, now and then invalid
// ones.
import fc from 'fast-check';
import { chance, from, oneOf, seldom, several, text, weighted } from '../../random/arbitrary.js';
import { ODD_NAMES } from './odd-texts.js';

type Values = readonly (readonly [type: string, literals: string])[];

/** By type, literals with spaces in between. Without a type no annotation says it. */
const VALUES: Values = [
  ['', '1 0 -1 2147483647 3.0 1.5e300 -0.0 1E-7 123456789.123456789'],
  ['', `true false null "" "a" "B" "o'hara" "é" "\\u00e9\\n\\"\\\\" "\\ud83d\\ude00"`],
  ['Edm.Int32', '5 "5" "+7"'],
  ['Edm.Int64', '"5" 5 "-9223372036854775808"'],
  ['Edm.Double', '1 "1.5" "NaN" "-INF" "Infinity" 0.1'],
  ['Edm.Boolean', 'true "false"'],
  [
    'Edm.DateTime',
    '"2020-01-01T00:00:00Z" "2020-01-02T03:04:05.1234567Z" "1601-01-01T00:00:00Z" "9999-12-31T23:59:59.9999999Z"',
  ],
  ['Edm.Guid', '"c9da6455-213d-42c9-9a79-3e9149a57833" "C9DA6455-213D-42C9-9A79-3E9149A57833"'],
  ['Edm.Binary', '"" "AQID" "/+8="'],
  ['Edm.String', '"a" "" "\\u0000" "\\ud800"'],
];
const BAD_VALUES: Values = [
  ['', `[] {"a":[{}]} 01 1e999 nul 'a'`],
  ['Edm.Int32', '5.0 "x" "2147483648"'],
  ['Edm.Int64', '"9223372036854775808" ""'],
  ['Edm.Double', '"1e400"'],
  ['Edm.Boolean', '"x" 1'],
  ['Edm.DateTime', '"1600-01-01T00:00:00Z" "x" 5 "0000-01-01" "2020-02-30"'],
  ['Edm.Guid', '"x" ""'],
  ['Edm.Binary', '"x" "AA=A"'],
  ['Edm.String', '5 true'],
  ['Edm.Decimal', '"1"'],
];

/** Few, so that filters and projections find them. */
export const PROPERTY_NAMES = ['n', 'text', 'flag', 'when', 'Größe', '_x', 'a1', '\u{20bb7}', ...ODD_NAMES];
const BAD_NAMES = [
  ...['', '1a', 'a-b', 'a b', 'odata.etag', 'x@odata.type', 'Timestamp', 'x'.repeat(255), 'x'.repeat(256)],
];

const PARTITIONS = ['p', 'p', 'p', '', 'q', 'é', "o'hara", ...ODD_NAMES, 'p'.repeat(1_024)];
const ROWS = ['r', 'r', '', '1', '2', '10', 'a b', '\u{1f600}', "'", '%', '&=+', ...ODD_NAMES];
const BAD_KEYS = ['/', '\\', '#', '?', '\0', '\u007f', '\u0085', '\ud800', 'k'.repeat(1_025), '\n'];
const BAD_PERCENT = 2;

/** Half of the keys are the same one, so that requests find rows. */
const keyOf = (keys: readonly string[]): fc.Arbitrary<string> =>
  oneOf([50, fc.constant(keys[0] ?? '')], [49, from(keys)], [1, from(BAD_KEYS)]);

export const partition = keyOf(PARTITIONS);
export const row = keyOf(ROWS);

const valuesOf = (values: Values): fc.Arbitrary<readonly [type: string, literal: string]> =>
  oneOf(
    ...values.map(
      ([type, literals]) => [1, from(literals.split(' ')).map(literal => [type, literal] as const)] as const,
    ),
  );

const member = fc
  .tuple(
    seldom(BAD_PERCENT, from(BAD_NAMES), from(PROPERTY_NAMES)),
    seldom(BAD_PERCENT, valuesOf(BAD_VALUES), valuesOf(VALUES)),
    chance(10),
  )
  .map(([unquoted, [type, literal], isAnnotatedLast]) => {
    const name = JSON.stringify(unquoted);
    if (type === '') return `,${name}:${literal}`;
    const annotation = `${name.slice(0, -1)}@odata.type":"${type}"`;
    return isAnnotatedLast ? `,${name}:${literal},${annotation}` : `,${annotation},${name}:${literal}`;
  });

/** Several of the long ones exceed the limit of an entity. */
const LARGE = weighted([3, '1'], [1, '""'], [1, `"${'x'.repeat(5_000)}"`]);
/** Around the limit of an entity. */
const manyMembers = several(LARGE, 250, 254).map(values =>
  values.map((value, at) => `,"x${at}":${value}`).join(''),
);

/** Each with a comma before it. */
const members = oneOf([499, several(member, 0, 4).map(all => all.join(''))], [1, manyMembers]);
const keys = text`,"PartitionKey":${partition.map(key => JSON.stringify(key))},"RowKey":${row.map(key => JSON.stringify(key))}`;
const nothing = fc.constant('');
const timestamp = seldom(5, fc.constant(',"Timestamp":"2020-01-01T00:00:00Z"'), nothing);

const braced = (inside: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc
    .tuple(
      inside.map(all => all.slice(1)),
      chance(5),
    )
    .map(([all, isSpaced]) => (isSpaced ? `\ufeff {\r\n${all}\t} ` : `{${all}}`));

/** For an insert; other writes may have keys too. */
export const keyedEntity = braced(text`${keys}${timestamp}${members}`);
export const entity = braced(text`${seldom(50, keys, nothing)}${timestamp}${members}`);
