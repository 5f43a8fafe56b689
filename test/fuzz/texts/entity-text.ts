// JSON bodies of entities: values of every type with and without annotations, names of every kind, now and then invalid
// ones.
import type { Random } from '../../simulation/plan/random.js';
import { ODD_NAMES } from './odd-texts.js';

type Values = readonly (readonly [type: string | undefined, literals: readonly string[]])[];

const VALUES: Values = [
  [undefined, ['1', '0', '-1', '2147483647', '3.0', '1.5e300', '-0.0', '1E-7', '123456789.123456789']],
  [
    undefined,
    [
      'true',
      'false',
      'null',
      '""',
      '"a"',
      '"B"',
      '"o\'hara"',
      '"é"',
      '"\\u00e9\\n\\"\\\\"',
      '"\\ud83d\\ude00"',
    ],
  ],
  ['Edm.Int32', ['5', '"5"', '"+7"']],
  ['Edm.Int64', ['"5"', '5', '"-9223372036854775808"']],
  ['Edm.Double', ['1', '"1.5"', '"NaN"', '"-INF"', '"Infinity"', '0.1']],
  ['Edm.Boolean', ['true', '"false"']],
  [
    'Edm.DateTime',
    [
      '"2020-01-01T00:00:00Z"',
      '"2020-01-02T03:04:05.1234567Z"',
      '"1601-01-01T00:00:00Z"',
      '"9999-12-31T23:59:59.9999999Z"',
    ],
  ],
  ['Edm.Guid', ['"c9da6455-213d-42c9-9a79-3e9149a57833"', '"C9DA6455-213D-42C9-9A79-3E9149A57833"']],
  ['Edm.Binary', ['""', '"AQID"', '"/+8="']],
  ['Edm.String', ['"a"', '""', '"\\u0000"', '"\\ud800"']],
];
const BAD_VALUES: Values = [
  [undefined, ['[]', '{"a":[{}]}', '01', '1e999', 'nul', "'a'"]],
  ['Edm.Int32', ['5.0', '"x"', '"2147483648"']],
  ['Edm.Int64', ['"9223372036854775808"', '""']],
  ['Edm.Double', ['"1e400"']],
  ['Edm.Boolean', ['"x"', '1']],
  ['Edm.DateTime', ['"1600-01-01T00:00:00Z"', '"x"', '5', '"0000-01-01"', '"2020-02-30"']],
  ['Edm.Guid', ['"x"', '""']],
  ['Edm.Binary', ['"x"', '"AA=A"']],
  ['Edm.String', ['5', 'true']],
  ['Edm.Decimal', ['"1"']],
];

/** Few, so that filters and projections find them. */
export const PROPERTY_NAMES = [
  'n',
  'text',
  'flag',
  'when',
  'Größe',
  '_x',
  'a1',
  '\u{20bb7}',
  ...ODD_NAMES,
] as const;
const BAD_NAMES = [
  '',
  '1a',
  'a-b',
  'a b',
  'odata.etag',
  'x@odata.type',
  'Timestamp',
  'x'.repeat(255),
  'x'.repeat(256),
];

const PARTITIONS = ['p', 'p', 'p', '', 'q', 'é', "o'hara", ...ODD_NAMES, 'p'.repeat(1_024)];
const ROWS = ['r', 'r', '', '1', '2', '10', 'a b', '\u{1f600}', "'", '%', '&=+', ...ODD_NAMES];
const BAD_KEYS = ['/', '\\', '#', '?', '\0', '\u007f', '\u0085', '\ud800', 'k'.repeat(1_025), '\n'];

const BAD_SHARE = 0.02;

const someName = (random: Random): string =>
  random.pick(random.happens(BAD_SHARE) ? BAD_NAMES : PROPERTY_NAMES);

/** Half of the keys are the same one, so that requests find rows. */
const keyOf = (random: Random, keys: readonly string[]): string =>
  random.happens(0.5) ? (keys[0] ?? '') : random.pick(random.happens(BAD_SHARE) ? BAD_KEYS : keys);

export const somePartition = (random: Random): string => keyOf(random, PARTITIONS);
export const someRow = (random: Random): string => keyOf(random, ROWS);

function someMember(random: Random): string {
  const name = JSON.stringify(someName(random));
  const [type, literals] = random.pick(random.happens(BAD_SHARE) ? BAD_VALUES : VALUES);
  const member = `${name}:${random.pick(literals)}`;
  if (type === undefined) return member;
  const annotation = `${name.slice(0, -1)}@odata.type":"${type}"`;
  return random.happens(0.9) ? `${annotation},${member}` : `${member},${annotation}`;
}

/** Around the limit of an entity. */
const manyMembers = (random: Random): string =>
  Array.from({ length: random.between(250, 254) }, (_, i) => `,"x${i}":${random.pick(LARGE)}`).join('');
/** Several of them exceed the limit of an entity. */
const LARGE = ['1', '1', '1', '""', `"${'x'.repeat(5_000)}"`];

/** The members between the braces, each with a comma before it. */
function someMembers(random: Random): string {
  if (random.happens(0.002)) return manyMembers(random);
  let text = '';
  for (let left = random.below(5); left > 0; left--) text += `,${someMember(random)}`;
  return text;
}

/** With keys for an insert; other writes may have them too. */
export function someEntity(random: Random, hasKeys: boolean): string {
  const keys = hasKeys
    ? `,"PartitionKey":${JSON.stringify(somePartition(random))},"RowKey":${JSON.stringify(someRow(random))}`
    : '';
  const timestamp = random.happens(0.05) ? ',"Timestamp":"2020-01-01T00:00:00Z"' : '';
  const text = `${keys}${timestamp}${someMembers(random)}`.slice(1);
  return random.happens(0.05) ? `\ufeff {\r\n${text}\t} ` : `{${text}}`;
}
