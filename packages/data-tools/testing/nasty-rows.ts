// Rows that lossy tools damage: each type at its edges, odd names and keys, mixed types under a name. Made of texts, as
// on the wire.
import { literalOf } from '../line/literal.js';
import { compareKeys, compareText, type EdmType, type Property, type Row } from '../line/row.js';

export type Told = readonly [name: string, type: EdmType, text: string];

export function rowOf(partitionKey: string, rowKey: string, told: readonly Told[]): Row {
  const properties = told
    .map(([name, type, text]): Property => ({ name, type, literal: literalOf(type, text) }))
    .sort((a, b) => compareText(a.name, b.name));
  return { partitionKey, rowKey, timestamp: '2026-11-25T04:46:04.7724291Z', properties };
}

const EDGES: readonly Told[] = [
  ['emptyString', 'String', ''],
  ['quotes', 'String', '"a","b"'],
  ['lines', 'String', 'a\nb\r\nc\rd'],
  ['spaces', 'String', ' a\t'],
  ['separators', 'String', 'a\u2028b\u2029c\ufeffd\u0085e\u007ff'],
  ['null', 'String', '\u0000'],
  ['looksLikeNumber', 'String', '1'],
  ['formula', 'String', '=1+1'],
  ['emoji', 'String', '😀'],
  ['long', 'String', 'ü'.repeat(32_768)],
  ['true', 'Boolean', 'true'],
  ['false', 'Boolean', 'false'],
  ['int32Least', 'Int32', '-2147483648'],
  ['int32Most', 'Int32', '2147483647'],
  ['int64Least', 'Int64', '-9223372036854775808'],
  ['int64Most', 'Int64', '9223372036854775807'],
  ['int64Exact', 'Int64', '9007199254740993'],
  ['whole', 'Double', '1'],
  ['minusZero', 'Double', '-0'],
  ['zero', 'Double', '0'],
  ['nan', 'Double', 'NaN'],
  ['infinity', 'Double', 'Infinity'],
  ['minusInfinity', 'Double', '-Infinity'],
  ['least', 'Double', '5e-324'],
  ['most', 'Double', '1.7976931348623157e+308'],
  ['ticks', 'DateTime', '2020-01-02T03:04:05.1234567Z'],
  ['noFraction', 'DateTime', '2020-01-02T03:04:05Z'],
  ['first', 'DateTime', '1601-01-01T00:00:00Z'],
  ['last', 'DateTime', '9999-12-31T23:59:59.9999999Z'],
  ['guid', 'Guid', '00112233-4455-6677-8899-aabbccddeeff'],
  ['noBytes', 'Binary', ''],
  ['bytes', 'Binary', Buffer.from([0, 1, 2, 253, 254, 255]).toString('base64')],
];

/** One name, all types. */
const MIXED: readonly Told[] = [
  ['mixed', 'String', '1'],
  ['mixed', 'Boolean', 'true'],
  ['mixed', 'Int32', '1'],
  ['mixed', 'Int64', '1'],
  ['mixed', 'Double', '1'],
  ['mixed', 'DateTime', '2020-01-01T00:00:00Z'],
  ['mixed', 'Guid', '00000000-0000-0000-0000-000000000001'],
  ['mixed', 'Binary', 'AQ=='],
];

/** Names that any server keeps: identifiers, odd ones. */
const PLAIN_NAMES: readonly string[] = [
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'partitionKey',
  'rowKey',
  'timestamp',
  'etag',
  'value',
  'ä',
  '名前',
  '_',
  'A',
  'a',
  'n'.repeat(255),
];

/** Names that are not identifiers, which a file made by hand may have. */
export const ODD_NAMES: readonly string[] = [
  'a@type',
  'a@type@type',
  '"a"',
  'a,b',
  'a\nb',
  ' a ',
  'mixed@Int32',
  '\ud800',
];

const named = (names: readonly string[]): readonly Told[] =>
  names.map(name => [name, 'String', `of ${name}`]);

/** Keys that any server keeps. */
const KEYS: readonly (readonly [string, string])[] = [
  ['', ''],
  ['', 'a'],
  ['a', ''],
  ["it's", '"quoted"'],
  ['a,b', 'a;b'],
  [' ', '  '],
  ['ä', '日本'],
  ['k'.repeat(512), 'r'.repeat(512)],
  ['😀', '\uffee'],
];

/** A table that every server keeps, in the order of its keys. */
export const NASTY_ROWS: readonly Row[] = [
  rowOf('edges', 'all', EDGES),
  ...MIXED.map((told, i) => rowOf('mixed', String(i), [told])),
  rowOf('mixed', 'none', []),
  rowOf('names', 'plain', named(PLAIN_NAMES)),
  rowOf(
    'names',
    'many',
    Array.from({ length: 252 }, (_, i) => [`p${i}`, 'Int32', String(i)]),
  ),
  ...KEYS.map(([partitionKey, rowKey]) => rowOf(partitionKey, rowKey, [['x', 'Int32', '1']])),
].sort(compareKeys);

/** What a file must also hold: half surrogate pairs, including in keys and values, and names that servers refuse. */
export const NASTIER_ROWS: readonly Row[] = [
  ...NASTY_ROWS,
  rowOf('half', 'values', [
    ['high', 'String', 'a\ud800b'],
    ['low', 'String', '\udc00'],
    ['turned', 'String', '\udc00\ud800'],
  ]),
  rowOf('half \ud800', '\udfff', []),
  rowOf('names', 'odd', named(ODD_NAMES)),
].sort(compareKeys);

/**
 * What Azurite keeps of a row: it answers 500 to a row with properties named like members of every JavaScript object,
 * keeps 0 for -0, and accepts no string of 64 KiB outside of a transaction.
 */
export function keptByAzurite(row: Row): Row | undefined {
  if (row.rowKey === 'plain') return undefined;
  return { ...row, properties: row.properties.filter(({ name }) => name !== 'minusZero' && name !== 'long') };
}
