// The lexer of $filter: splits the text into tokens and gives literals their values (protocol: queries#literals).
// parse-filter.ts has the grammar.
import { parseDateTime, parseGuid, YEAR_ONE } from '#base';
import type { EdmValue } from '#tables';

/** `other` is text that is not a token of the language, such as an unterminated string; `end` is the offset after the token. */
export type Token =
  | { readonly kind: 'literal'; readonly end: number; readonly constant: EdmValue }
  | { readonly kind: 'word' | 'mark' | 'other' | 'end'; readonly end: number; readonly text: string };

const QUOTE = 0x27;
const INT32_MIN = -(2 ** 31);
const INT32_MAX = 2 ** 31 - 1;
const INT64_MIN = -(2n ** 63n);
const INT64_MAX = 2n ** 63n - 1n;

/** C# identifiers, as property names are (protocol: data-model#property-names). */
const PART = String.raw`[\w\p{L}\p{Nl}\p{Nd}\p{Pc}\p{Mn}\p{Mc}\p{Cf}]*`;
const WORD = String.raw`([A-Za-z_\p{L}\p{Nl}]${PART})`;
const NUMBER = String.raw`(-(?:INF|Infinity)|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?[lLdDfFmM]?)(${PART})`;
const TOKEN = new RegExp(String.raw`\s*(?:${WORD}|${NUMBER}|([()]|=+)|(')|([^])|$)`, 'uy');
const QUOTED = /'([^']*(?:''[^']*)*)('?)/y;
const SUFFIX = /[lLdDfFmM]$/;
const WHOLE = /^-?\d+$/;

const literal = (end: number, constant: EdmValue | undefined): Token =>
  constant ? { kind: 'literal', end, constant } : { kind: 'other', end, text: '' };

function binaryOf(hex: string): EdmValue | undefined {
  const value = Buffer.from(hex, 'hex');
  return value.length * 2 === hex.length ? { type: 'Edm.Binary', value } : undefined;
}

function guidOf(text: string): EdmValue | undefined {
  const value = parseGuid(text, ['D']);
  return value === undefined ? undefined : { type: 'Edm.Guid', value };
}

function dateTimeOf(text: string): EdmValue | undefined {
  const value = parseDateTime(text, YEAR_ONE);
  return value === undefined ? undefined : { type: 'Edm.DateTime', value };
}

const stringOf = (text: string): EdmValue => ({ type: 'Edm.String', value: text.replaceAll("''", "'") });

const TYPED_LITERALS: ReadonlyMap<string, (text: string) => EdmValue | undefined> = new Map([
  ['datetime', dateTimeOf],
  ['guid', guidOf],
  ['x', binaryOf],
  ['binary', binaryOf],
]);

const NAMED_LITERALS: ReadonlyMap<string, EdmValue> = new Map([
  ['NaN', { type: 'Edm.Double', value: Number.NaN }],
  ['INF', { type: 'Edm.Double', value: Number.POSITIVE_INFINITY }],
  ['Infinity', { type: 'Edm.Double', value: Number.POSITIVE_INFINITY }],
  ['-INF', { type: 'Edm.Double', value: Number.NEGATIVE_INFINITY }],
  ['-Infinity', { type: 'Edm.Double', value: Number.NEGATIVE_INFINITY }],
]);

/** An integer without a suffix is an Int32 if it fits, else an Int64. */
function numberOf(text: string): EdmValue | undefined {
  const digits = text.replace(SUFFIX, '');
  const isDouble = /[dfm]$/i.test(text) || !WHOLE.test(digits);
  const isLong = /l$/i.test(text);
  const value = Number(digits);
  if (isDouble) return isLong || !Number.isFinite(value) ? undefined : { type: 'Edm.Double', value };
  if (!isLong && value >= INT32_MIN && value <= INT32_MAX) return { type: 'Edm.Int32', value: value | 0 };
  const large = BigInt(digits);
  return large >= INT64_MIN && large <= INT64_MAX ? { type: 'Edm.Int64', value: large } : undefined;
}

function readQuoted(text: string, at: number, parse: (inside: string) => EdmValue | undefined): Token {
  QUOTED.lastIndex = at;
  const [, inside = '', close] = QUOTED.exec(text) ?? [];
  return literal(QUOTED.lastIndex, close ? parse(inside) : undefined);
}

function readWord(text: string, word: string, end: number): Token {
  const lower = word.toLowerCase();
  const typed = text.charCodeAt(end) === QUOTE ? TYPED_LITERALS.get(lower) : undefined;
  if (typed) return readQuoted(text, end, typed);
  if (lower === 'true' || lower === 'false')
    return literal(end, { type: 'Edm.Boolean', value: lower === 'true' });
  const named = NAMED_LITERALS.get(word);
  return named ? literal(end, named) : { kind: 'word', end, text: word };
}

/** The first token at or after `from`; after the last one the empty token `end`. */
export function readToken(text: string, from: number): Token {
  TOKEN.lastIndex = from;
  const [, word, number, tail, mark, quote, other] = TOKEN.exec(text) ?? [];
  const end = TOKEN.lastIndex;
  if (word !== undefined) return readWord(text, word, end);
  if (number !== undefined)
    return literal(end, tail ? undefined : (NAMED_LITERALS.get(number) ?? numberOf(number)));
  if (quote !== undefined) return readQuoted(text, end - 1, stringOf);
  if (mark !== undefined) return { kind: 'mark', end, text: mark };
  return { kind: other === undefined ? 'end' : 'other', end, text: '' };
}
