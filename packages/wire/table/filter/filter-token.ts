// The lexer of $filter: splits the text into tokens and gives literals their values (protocol: queries#literals).
// parse-filter.ts has the grammar.
import { parseDateTime, parseGuid, YEAR_ONE } from '#base';
import type { EdmValue } from '#tables';

interface Extent {
  readonly start: number;
  readonly end: number;
}

/** `other` is text that is not a token of the language, such as an unterminated string. */
export type Token =
  | (Extent & { readonly kind: 'identifier' | 'null' | 'open' | 'close' | 'equals' | 'other' | 'end' })
  | (Extent & { readonly kind: 'literal'; readonly constant: EdmValue });

const TAB = 0x09;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;
const QUOTE = 0x27;
const OPEN = 0x28;
const CLOSE = 0x29;
const MINUS = 0x2d;
const DIGIT_0 = 0x30;
const DIGIT_9 = 0x39;
const EQUALS = 0x3d;
const UNDERSCORE = 0x5f;
const ASCII_LAST = 0x7f;

const INT32_MIN = -(2 ** 31);
const INT32_MAX = 2 ** 31 - 1;
const INT64_MIN = -(2n ** 63n);
const INT64_MAX = 2n ** 63n - 1n;

const UNICODE_SPACE = /\s/;
/** C# identifiers, as property names are (protocol: data-model#property-names). */
const UNICODE_START = /[\p{L}\p{Nl}]/u;
const UNICODE_PART = /[\p{L}\p{Nl}\p{Nd}\p{Pc}\p{Mn}\p{Mc}\p{Cf}]/u;
const NUMBER = /-(?:INF|Infinity)|-?\d+(\.\d+)?([eE][+-]?\d+)?([lLdDfFmM])?/y;

function isSpace(code: number): boolean {
  return (
    code === SPACE ||
    (code >= TAB && code <= CARRIAGE_RETURN) ||
    (code > ASCII_LAST && UNICODE_SPACE.test(String.fromCharCode(code)))
  );
}

const isDigit = (code: number): boolean => code >= DIGIT_0 && code <= DIGIT_9;

function isIdentifierStart(code: number): boolean {
  if (code > ASCII_LAST) return UNICODE_START.test(String.fromCodePoint(code));
  const lower = code | 0x20;
  return (lower >= 0x61 && lower <= 0x7a) || code === UNDERSCORE;
}

const isIdentifierPart = (code: number): boolean =>
  isIdentifierStart(code) ||
  isDigit(code) ||
  (code > ASCII_LAST && UNICODE_PART.test(String.fromCodePoint(code)));

/** The end of the identifier characters that begin at `at`; `at` itself if there are none. */
function identifierEnd(text: string, at: number): number {
  for (let end = at; ; ) {
    const code = text.codePointAt(end);
    if (code === undefined || !isIdentifierPart(code)) return end;
    end += code > 0xffff ? 2 : 1;
  }
}

/** The offset after the closing quote of a string whose opening quote is at `at`; undefined if it does not close. */
function quotedEnd(text: string, at: number): number | undefined {
  for (let close = text.indexOf("'", at + 1); close !== -1; close = text.indexOf("'", close + 2)) {
    if (text.charCodeAt(close + 1) !== QUOTE) return close + 1;
  }
  return undefined;
}

const literal = (start: number, end: number, constant: EdmValue | undefined): Token =>
  constant ? { kind: 'literal', start, end, constant } : { kind: 'other', start, end };

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

const TYPED_LITERALS: ReadonlyMap<string, (text: string) => EdmValue | undefined> = new Map([
  ['datetime', dateTimeOf],
  ['guid', guidOf],
  ['x', binaryOf],
  ['binary', binaryOf],
]);

const NAMED_LITERALS: ReadonlyMap<string, EdmValue> = new Map<string, EdmValue>([
  ['NaN', { type: 'Edm.Double', value: Number.NaN }],
  ['INF', { type: 'Edm.Double', value: Number.POSITIVE_INFINITY }],
  ['Infinity', { type: 'Edm.Double', value: Number.POSITIVE_INFINITY }],
]);

/** An integer without a suffix is an Int32 if it fits, else an Int64. */
function integerOf(text: string, isInt64: boolean): EdmValue | undefined {
  const value = Number(text);
  if (!isInt64 && value >= INT32_MIN && value <= INT32_MAX) return { type: 'Edm.Int32', value: value | 0 };
  const large = BigInt(text);
  return large >= INT64_MIN && large <= INT64_MAX ? { type: 'Edm.Int64', value: large } : undefined;
}

function numberOf(found: RegExpExecArray): EdmValue | undefined {
  const [all, fraction, exponent, suffix] = found;
  if (all.startsWith('-I')) return { type: 'Edm.Double', value: Number.NEGATIVE_INFINITY };
  const digits = suffix ? all.slice(0, -1) : all;
  const isInteger = fraction === undefined && exponent === undefined;
  const isLong = suffix === 'L' || suffix === 'l';
  if (isInteger && (isLong || !suffix)) return integerOf(digits, isLong);
  const value = Number(digits);
  return isLong || !Number.isFinite(value) ? undefined : { type: 'Edm.Double', value };
}

function readNumber(text: string, start: number): Token {
  NUMBER.lastIndex = start;
  const found = NUMBER.exec(text);
  if (!found) return { kind: 'other', start, end: start + 1 };
  const end = start + found[0].length;
  const wordEnd = identifierEnd(text, end);
  return wordEnd > end ? { kind: 'other', start, end: wordEnd } : literal(start, end, numberOf(found));
}

function readString(text: string, start: number): Token {
  const end = quotedEnd(text, start);
  if (end === undefined) return { kind: 'other', start, end: text.length };
  return literal(start, end, {
    type: 'Edm.String',
    value: text.slice(start + 1, end - 1).replaceAll("''", "'"),
  });
}

function readWord(text: string, start: number): Token {
  const end = identifierEnd(text, start);
  const word = text.slice(start, end);
  const lower = word.toLowerCase();
  const typed = text.charCodeAt(end) === QUOTE ? TYPED_LITERALS.get(lower) : undefined;
  if (typed) {
    const typedEnd = quotedEnd(text, end);
    return literal(
      start,
      typedEnd ?? text.length,
      typedEnd === undefined ? undefined : typed(text.slice(end + 1, typedEnd - 1)),
    );
  }
  if (lower === 'true' || lower === 'false')
    return literal(start, end, { type: 'Edm.Boolean', value: lower === 'true' });
  if (word === 'null') return { kind: 'null', start, end };
  const named = NAMED_LITERALS.get(word);
  return named ? literal(start, end, named) : { kind: 'identifier', start, end };
}

function readEquals(text: string, start: number): Token {
  let end = start + 1;
  while (text.charCodeAt(end) === EQUALS) end++;
  return { kind: 'equals', start, end };
}

/** The first token at or after `from`; after the last one the empty token `end`. */
export function readToken(text: string, from: number): Token {
  let start = from;
  while (start < text.length && isSpace(text.charCodeAt(start))) start++;
  const code = text.codePointAt(start);
  if (code === undefined) return { kind: 'end', start, end: start };
  if (code === OPEN) return { kind: 'open', start, end: start + 1 };
  if (code === CLOSE) return { kind: 'close', start, end: start + 1 };
  if (code === QUOTE) return readString(text, start);
  if (code === EQUALS) return readEquals(text, start);
  if (code === MINUS || isDigit(code)) return readNumber(text, start);
  if (isIdentifierStart(code)) return readWord(text, start);
  return { kind: 'other', start, end: start + 1 };
}
