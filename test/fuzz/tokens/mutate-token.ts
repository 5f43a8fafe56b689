// Changes a query that holds a token, after it was signed: its bytes, its names, its order, its encoding.
import type { Random } from '../../simulation/plan/random.js';
import { ODD_TEXTS } from '../texts/odd-texts.js';
import { percentEncode } from '../texts/percent-encode.js';

export type Pairs = readonly (readonly [name: string, value: string])[];
type Change = (random: Random, pairs: Pairs) => Pairs;

const NAMES = [
  'sv',
  'ss',
  'srt',
  'sp',
  'st',
  'se',
  'sip',
  'spr',
  'ses',
  'tn',
  'si',
  'spk',
  'srk',
  'epk',
  'erk',
  'sig',
];
const VALUES = [
  'raud',
  'rwdlacu',
  'sco',
  't',
  '2030-01-01T00:00:00Z',
  '2019-02-02',
  'People',
  'Other',
  'a',
  'd',
  '',
  'full',
  'bare',
  '127.0.0.1',
  'https,http',
];

const at = (random: Random, pairs: Pairs): number => random.below(pairs.length);
const replaced = (pairs: Pairs, place: number, ...others: Pairs): Pairs => [
  ...pairs.slice(0, place),
  ...others,
  ...pairs.slice(place + 1),
];

const drop: Change = (random, pairs) => replaced(pairs, at(random, pairs));
const double: Change = (random, pairs) => {
  const place = at(random, pairs);
  const [name, value] = pairs[place] ?? ['', ''];
  const other = [name, random.happens(0.3) ? value : random.pick(VALUES)] as const;
  return random.happens(0.5) ? replaced(pairs, place, other, [name, value]) : [...pairs, other];
};
const add: Change = (random, pairs) => [[random.pick(NAMES), random.pick(VALUES)], ...pairs];
const reorder: Change = (random, pairs) => {
  const left = [...pairs];
  const mixed: (readonly [string, string])[] = [];
  while (left.length > 0) mixed.push(...left.splice(random.below(left.length), 1));
  return mixed;
};
const changeValue: Change = (random, pairs) => {
  const place = at(random, pairs);
  return replaced(pairs, place, [pairs[place]?.[0] ?? '', random.pick(VALUES)]);
};
const rename: Change = (random, pairs) => {
  const place = at(random, pairs);
  const [name, value] = pairs[place] ?? ['', ''];
  return replaced(pairs, place, [
    random.pick([name.toUpperCase(), ` ${name}`, `${name}[]`, random.pick(NAMES)]),
    value,
  ]);
};
const changeCase: Change = (random, pairs) => {
  const place = at(random, pairs);
  const [name, value] = pairs[place] ?? ['', ''];
  return replaced(pairs, place, [name, random.pick([value.toLowerCase(), value.toUpperCase()])]);
};
const alter: Change = (random, pairs) => {
  const place = at(random, pairs);
  const [name, value] = pairs[place] ?? ['', ''];
  const from = random.below(value.length + 1);
  const piece = random.pick(['', random.pick(ODD_TEXTS), '\n', ' ', '\0', value.slice(from, from + 1)]);
  return replaced(pairs, place, [name, value.slice(0, from) + piece + value.slice(from + random.below(2))]);
};
/** Merges two neighbours' lines: the signed text must not come out the same. */
const join: Change = (random, pairs) => {
  const place = at(random, pairs);
  const [name, value] = pairs[place] ?? ['', ''];
  const [, next] = pairs[place + 1] ?? ['', ''];
  return replaced(pairs, place, [name, `${value}\n${next}`]);
};

const isSignature = ([name]: readonly [string, string]): boolean => name === 'sig';

/** Another spelling of a signature's bytes, or other bytes. */
const changeSignature: Change = (random, pairs) => {
  const place = pairs.findIndex(isSignature);
  if (place < 0) return pairs;
  const sig = pairs[place]?.[1] ?? '';
  const bytes = Buffer.from(sig, 'base64');
  const flipped = Buffer.from(bytes);
  const bit = random.below(256);
  flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
  const other = random.pick([
    flipped.toString('base64'),
    flipped.toString('base64'),
    bytes.toString('base64url'),
    bytes.toString('hex'),
    sig.replaceAll('=', ''),
    `${sig}AAAA`,
    sig.slice(0, random.below(sig.length)),
    Buffer.alloc(32).toString('base64'),
    'undefined',
  ]);
  return replaced(pairs, place, ['sig', other]);
};

const CHANGES: readonly Change[] = [
  drop,
  double,
  add,
  reorder,
  changeValue,
  rename,
  changeCase,
  alter,
  join,
  changeSignature,
];

const everyByte = (text: string): string =>
  [...Buffer.from(text)].map(byte => `%${byte.toString(16).padStart(2, '0')}`).join('');

/** A pair in its wire form: in one of its spellings, or damaged. */
function write(random: Random, [name, value]: readonly [string, string]): string {
  const kind = random.below(20);
  if (kind === 0) return `${everyByte(name)}=${everyByte(value)}`;
  if (kind === 1) return `${name}=${percentEncode(value).replaceAll('%20', '+').toLowerCase()}`;
  if (kind === 2) return `${name}=${percentEncode(percentEncode(value))}`;
  if (kind === 3) return `${name}=${percentEncode(value)}%`;
  return `${percentEncode(name)}=${percentEncode(value)}`;
}

/** The query of a token, sound or mutated. */
export function writeToken(random: Random, pairs: Pairs): string {
  let changed = pairs;
  if (random.happens(0.5)) {
    for (let left = random.pick([1, 1, 1, 2]); left > 0; left -= 1)
      changed = random.pick(CHANGES)(random, changed);
  }
  const isOdd = random.happens(0.15);
  const texts = changed.map(pair =>
    isOdd ? write(random, pair) : `${percentEncode(pair[0])}=${percentEncode(pair[1])}`,
  );
  return random.happens(0.02) ? texts.join('&&') : texts.join('&');
}
