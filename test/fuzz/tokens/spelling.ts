// What becomes of a token after it was signed: spellings that mean the same, and changes, which must be found.
import fc from 'fast-check';
import { below, chance, type Draw, from, several, weighted } from '../../random/arbitrary.js';
import { ODD_TEXTS } from '../requests/odd-texts.js';
import { percentEncode } from '../world.js';
import { type Fields, type Pairs, singleOf } from './token.js';

export interface Token {
  /** The signature is among them. */
  readonly pairs: Pairs;
  /** The text that is signed, of these fields. */
  readonly textOf: (fields: Fields) => string;
  /** Names that only the service's own tokens have. */
  readonly own: string;
  /** Names in any case. */
  readonly hasAnyCase: boolean;
}

interface Spelled {
  readonly query: string;
  /** As they are sent. */
  readonly fields: Fields;
  /** False if it no longer is what was signed. */
  readonly isIntact: boolean;
}

type Pair = Pairs[number];

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
  (sig, at) => sig.slice(0, at % sig.length),
  () => Buffer.alloc(32).toString('base64'),
  () => 'undefined',
];

interface Drawn {
  readonly at: number;
  readonly name: string;
  readonly value: string;
  readonly odd: string;
  readonly signature: (typeof SIGNATURES)[number];
}

type Change = (pair: Pair, drawn: Drawn, next: Pair) => Pairs;

/** In place of a pair. The last ones merge two neighbours' lines, and encode a value twice. */
const CHANGES: readonly Change[] = [
  () => [],
  ([name], { value }) => [[name, value]],
  ([name], { name: other, value }) => [
    [name, value],
    [other, value],
  ],
  (pair, { name, value }) => [[name, value], pair],
  (pair, { value }) => [[pair[0], value], pair],
  pair => [pair, pair],
  ...[0, 1].map(
    () =>
      (pair: Pair, { name, value }: Drawn): Pairs => [pair, [name, value], [name, value]],
  ),
  ([, value], { name }) => [[name, value]],
  ([name, value]) => [[name.toUpperCase(), value]],
  ([name, value]) => [[` ${name}`, value]],
  ([name, value]) => [[`${name}[]`, value]],
  ([name, value]) => [[name, value.toUpperCase()]],
  ([name, value]) => [[name, value.toLowerCase()]],
  ([name, value], { at, odd }) => [[name, value.slice(0, at % 9) + odd + value.slice((at % 9) + (at % 2))]],
  ([name, value], _, [, next]) => [[name, `${value}\n${next}`]],
  ([name, value]) => [[name, percentEncode(value)]],
];

const drawn: fc.Arbitrary<Drawn> = fc.record({
  at: below(2 ** 16),
  name: from(
    'sv ss srt sp st se sip spr ses tn si spk srk epk erk sig sr snapshot rsct skoid ske saoid scid'.split(
      ' ',
    ),
  ),
  value: from([
    ...['raud', 'rwdlacu', 'sco', 't', '2030-01-01T00:00:00Z', '2019-02-02', 'People', 'Other', 'a', 'd', ''],
    ...['full', 'constructor', '127.0.0.1', 'https,http', 'c', 'b', 'bs', 'racwdlt'],
  ]),
  odd: from(['', '', '\n', ' ', '\0', ...ODD_TEXTS.slice(0, 20)]),
  signature: from(SIGNATURES),
});
/** Undefined changes the signature. */
const change = from<Change | undefined>([...CHANGES, undefined, undefined]);

function changed(pairs: Pairs, changePair: Change | undefined, some: Drawn): Pairs {
  if (changePair === undefined)
    return pairs.map(([name, value]) => [name, name === 'sig' ? some.signature(value, some.at) : value]);
  const at = some.at % pairs.length;
  const [pair = ['', ''], next = ['', '']] = pairs.slice(at);
  return [...pairs.slice(0, at), ...changePair(pair, some, next), ...pairs.slice(at + 1)];
}

const namedIn = (pairs: Pairs, hasAnyCase: boolean): Pairs =>
  pairs.map(([name, value]) => [hasAnyCase ? name.toLowerCase() : name, value]);

/** Intact if it means the same, or only what nothing signs has changed. */
function altered(
  { pairs, textOf, own, hasAnyCase }: Token,
  draw: Draw,
): Pick<Spelled, 'isIntact'> & Pick<Token, 'pairs'> {
  const others = changed(pairs, draw(change), draw(drawn));
  const named = namedIn(others, hasAnyCase);
  const [fields, before] = [new Map([...named].reverse()), new Map(pairs)];
  const single = singleOf(fields, own);
  const isTwice = named.some(([name], at) => single.has(name) && named.findIndex(([n]) => n === name) < at);
  const isSame = textOf(fields) === textOf(before) && fields.get('sig') === before.get('sig');
  return { pairs: others, isIntact: isSame && !isTwice };
}

const everyByte = (text: string): string =>
  [...Buffer.from(text)].map(byte => `%${byte.toString(16).padStart(2, '0')}`).join('');
const plainly = ([name, value]: Pair): string => `${percentEncode(name)}=${percentEncode(value)}`;
const FORM = weighted<(pair: Pair) => string>(
  [40, plainly],
  [1, ([name, value]) => `${everyByte(name)}=${everyByte(value)}`],
  [
    1,
    pair =>
      plainly(pair)
        .replaceAll('%20', '+')
        .replace(/%../g, hex => hex.toLowerCase()),
  ],
);
const ORDER = several(below(2 ** 16), 20, 20);

/** Some are altered. */
export function spelled(token: Token, draw: Draw): Spelled {
  const { pairs, isIntact } = draw(chance(45))
    ? altered(token, draw)
    : { pairs: token.pairs, isIntact: true };
  const order = draw(chance(15)) ? draw(ORDER) : [];
  const ordered = pairs.map((pair, at) => ({ pair, at: order[at] ?? 0 })).sort((a, b) => a.at - b.at);
  const sent = ordered.map(({ pair }) => pair);
  const query = sent.map(pair => draw(FORM)(pair)).join(draw(chance(2)) ? '&&' : '&');
  // It does not decode.
  const isDamaged = draw(chance(2));
  return {
    query: isDamaged ? `${query}%` : query,
    // The first of each name counts.
    fields: new Map([...namedIn(sent, token.hasAnyCase)].reverse()),
    isIntact: isIntact && !isDamaged,
  };
}
