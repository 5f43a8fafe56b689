// Changes a query that holds a token, after it was signed: its bytes, its names, its order, its encoding.
import fc from 'fast-check';
import { below, chance, from, oneOf, seldom, several, weighted } from '../../random/arbitrary.js';
import { ODD_TEXTS } from '../requests/odd-texts.js';
import { percentEncode } from '../world.js';

export type Pairs = readonly (readonly [name: string, value: string])[];
type Pair = Pairs[number];
type Change = (pairs: Pairs) => Pairs;

const NAME = from('sv ss srt sp st se sip spr ses tn si spk srk epk erk sig sr rsct skoid ske'.split(' '));
const VALUE = from([
  ...['raud', 'rwdlacu', 'sco', 't', '2030-01-01T00:00:00Z', '2019-02-02', 'People', 'Other', 'a', 'd', ''],
  ...['full', 'constructor', '127.0.0.1', 'https,http', 'c', 'b', 'bs', 'racwdlt'],
]);
const PLACES = 2 ** 16;

/** Replaces one of the pairs. */
const onPair = <T>(
  drawn: fc.Arbitrary<T>,
  change: (pair: Pair, drawn: T, next: Pair) => Pairs,
): fc.Arbitrary<Change> =>
  fc.tuple(below(PLACES), drawn).map(([place, value]) => pairs => {
    const at = place % Math.max(1, pairs.length);
    const others = change(pairs[at] ?? ['', ''], value, pairs[at + 1] ?? ['', '']);
    return [...pairs.slice(0, at), ...others, ...pairs.slice(at + 1)];
  });

const none = fc.constant(undefined);
const drop = onPair(none, () => []);
const changeValue = onPair(VALUE, ([name], value) => [[name, value]]);
const double = onPair(fc.tuple(VALUE, chance(30)), (pair, [value, isSame]) => [
  [pair[0], isSame ? pair[1] : value],
  pair,
]);
const doubleAtEnd = fc.tuple(below(PLACES), VALUE).map(
  ([place, value]): Change =>
    pairs => [...pairs, [pairs[place % pairs.length]?.[0] ?? '', value]],
);
const add = fc.tuple(NAME, VALUE).map(
  ([name, value]): Change =>
    pairs => [[name, value], ...pairs],
);
const reorder = several(below(PLACES), 16, 16).map(
  (order): Change =>
    pairs => {
      const mixed = pairs.map((pair, at) => [order[at] ?? 0, pair] as const).sort(([a], [b]) => a - b);
      return mixed.map(([, pair]) => pair);
    },
);
const SPELLINGS = [
  (name: string) => name.toUpperCase(),
  (name: string) => ` ${name}`,
  (name: string) => `${name}[]`,
];
const rename = onPair(
  seldom<(name: string) => string>(
    25,
    NAME.map(other => () => other),
    from(SPELLINGS),
  ),
  ([name, value], spell) => [[spell(name), value]],
);
const changeCase = onPair(fc.boolean(), ([name, value], isUpper) => [
  [name, isUpper ? value.toUpperCase() : value.toLowerCase()],
]);
const alter = onPair(
  fc.tuple(below(PLACES), below(2), from(['', '', '\n', ' ', '\0', ...ODD_TEXTS.slice(0, 20)])),
  ([name, value], [place, count, piece]) => {
    const at = place % (value.length + 1);
    return [[name, value.slice(0, at) + piece + value.slice(at + count)]];
  },
);
/** Merges two neighbours' lines: the signed text must not come out the same. */
const join = onPair(none, ([name, value], _, [, next]) => [[name, `${value}\n${next}`]]);

/** Other bytes, or another spelling of a signature's bytes. */
const SIGNATURES: readonly ((sig: string, at: number) => string)[] = [
  ...[0, 1].map(() => (sig: string, at: number) => {
    const flipped = Buffer.from(sig, 'base64');
    const bit = at % 256;
    flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    return flipped.toString('base64');
  }),
  sig => Buffer.from(sig, 'base64').toString('base64url'),
  sig => Buffer.from(sig, 'base64').toString('hex'),
  sig => sig.replaceAll('=', ''),
  sig => `${sig}AAAA`,
  (sig, at) => sig.slice(0, at % (sig.length + 1)),
  () => Buffer.alloc(32).toString('base64'),
  () => 'undefined',
];
const changeSignature = fc.tuple(from(SIGNATURES), below(PLACES)).map(
  ([change, at]): Change =>
    pairs =>
      pairs.map(([name, value]) => [name, name === 'sig' ? change(value, at) : value]),
);

const changes = oneOf<Change>(
  ...[drop, double, doubleAtEnd, add, reorder, changeValue, rename, changeCase, alter, join].map(
    change => [2, change] as const,
  ),
  [2, changeSignature],
);

const everyByte = (text: string): string =>
  [...Buffer.from(text)].map(byte => `%${byte.toString(16).padStart(2, '0')}`).join('');

const plainly = ([name, value]: Pair): string => `${percentEncode(name)}=${percentEncode(value)}`;
/** A pair in its wire form: in one of its spellings, or damaged. */
const odd = weighted<(pair: Pair) => string>(
  [16, plainly],
  [1, ([name, value]) => `${everyByte(name)}=${everyByte(value)}`],
  [1, ([name, value]) => `${name}=${percentEncode(value).replaceAll('%20', '+').toLowerCase()}`],
  [1, ([name, value]) => `${name}=${percentEncode(percentEncode(value))}`],
  [1, ([name, value]) => `${name}=${percentEncode(value)}%`],
);
const PAIRS_MAX = 20;

/** The query of a token, sound or mutated. */
export const writings: fc.Arbitrary<(pairs: Pairs) => string> = fc
  .tuple(
    seldom(50, several(changes, 1, 2), fc.constant<Change[]>([])),
    seldom(15, several(odd, PAIRS_MAX, PAIRS_MAX), fc.constant<(typeof plainly)[]>([])),
    weighted([49, '&'], [1, '&&']),
  )
  .map(([all, forms, between]) => pairs => {
    const changed = all.reduce((left, change) => change(left), pairs);
    return changed.map((pair, at) => (forms[at] ?? plainly)(pair)).join(between);
  });
