// Parses any $filter text to a condition, for example from a log: tokens, then their grammar. Checks no types except those of literals; filters.ts warns of comparisons that the
// service would refuse.
import { fromHex } from '../../values/bytes.js';
import { GUID, INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN } from '../../values/edm.js';
import { Instant } from '../../values/instant.js';
import { PatternError } from '../../values/pattern-error.js';
import type { TypedValue } from '../../values/typed-value.js';
import { COMPARISONS, type Comparison, type Condition, type Operand, TRUE } from './condition.js';

interface Extent {
  readonly start: number;
  readonly end: number;
}

/** `other` is text that cannot be a token of the language, such as an unterminated string; `reason` explains why. */
type FilterToken = Extent &
  (
    | { readonly kind: 'word'; readonly word: string }
    | { readonly kind: 'literal'; readonly typed: TypedValue }
    | { readonly kind: 'open' | 'close' | 'end' }
    | { readonly kind: 'other'; readonly reason: string }
  );

const SPACE = /\s*/y;
const NUMBER = /(?:-(?:INF|Infinity)|-?\d+(\.\d+)?([eE][+-]?\d+)?([lLdDfFmM])?)(?![\p{L}\p{Nl}\p{Nd}_])/uy;
const STRING = /'([^']*(?:''[^']*)*)'/y;
/** C# identifiers, as the names of properties are. */
const WORD = /[\p{L}\p{Nl}_][\p{L}\p{Nl}\p{Nd}\p{Pc}\p{Mn}\p{Mc}\p{Cf}]*/uy;
const HEX = /^(?:[0-9a-fA-F]{2})*$/;

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text) ?? undefined;
}

/** A whole number without a suffix is as large as it must be. */
function wholeNumber(digits: string, isLong: boolean): TypedValue | undefined {
  const value = BigInt(digits);
  if (!isLong && value >= INT32_MIN && value <= INT32_MAX) return { type: 'Int32', value: Number(value) };
  return value >= INT64_MIN && value <= INT64_MAX ? { type: 'Int64', value } : undefined;
}

function numberValue([all, fraction, exponent, suffix]: RegExpExecArray): TypedValue | undefined {
  if (all.startsWith('-I')) return { type: 'Double', value: Number.NEGATIVE_INFINITY };
  const digits = suffix === undefined ? all : all.slice(0, -1);
  const isWhole = fraction === undefined && exponent === undefined;
  const isLong = suffix === 'L' || suffix === 'l';
  if (isWhole && (isLong || suffix === undefined)) return wholeNumber(digits, isLong);
  const value = Number(digits);
  return isLong || !Number.isFinite(value) ? undefined : { type: 'Double', value };
}

function readNumber(text: string, start: number): FilterToken {
  const found = matchAt(NUMBER, text, start);
  const typed = found && numberValue(found);
  const end = start + (found?.[0].length ?? 1);
  return typed
    ? { kind: 'literal', start, end, typed }
    : { kind: 'other', start, end, reason: 'is not a number of the service' };
}

function timeValue(text: string): TypedValue | undefined {
  try {
    return { type: 'DateTime', value: Instant.parse(text) };
  } catch (thrown) {
    if (PatternError.is(thrown)) return undefined;
    throw thrown;
  }
}

function guidValue(text: string): TypedValue | undefined {
  const value = text.toLowerCase();
  return GUID.test(value) ? { type: 'Guid', value } : undefined;
}

const binaryValue = (hex: string): TypedValue | undefined =>
  HEX.test(hex) ? { type: 'Binary', value: fromHex(hex) } : undefined;

/** Words that stand right before a string and give it a type. */
const MARKS: ReadonlyMap<string, (text: string) => TypedValue | undefined> = new Map([
  ['datetime', timeValue],
  ['guid', guidValue],
  ['x', binaryValue],
  ['binary', binaryValue],
]);

const NAMED: ReadonlyMap<string, TypedValue> = new Map<string, TypedValue>([
  ['NaN', { type: 'Double', value: Number.NaN }],
  ['INF', { type: 'Double', value: Number.POSITIVE_INFINITY }],
  ['Infinity', { type: 'Double', value: Number.POSITIVE_INFINITY }],
]);

function readString(text: string, start: number, quote: number, mark: string): FilterToken {
  const found = matchAt(STRING, text, quote);
  if (found === undefined)
    return { kind: 'other', start, end: text.length, reason: 'is a string that does not end' };
  const end = quote + found[0].length;
  const value = (found[1] ?? '').replaceAll("''", "'");
  const typed: TypedValue | undefined =
    mark === '' ? { type: 'String', value } : MARKS.get(mark.toLowerCase())?.(value);
  return typed
    ? { kind: 'literal', start, end, typed }
    : { kind: 'other', start, end, reason: `is not a value of ${mark}` };
}

function readWord(text: string, start: number, word: string): FilterToken {
  const end = start + word.length;
  if (text[end] === "'" && MARKS.has(word.toLowerCase())) return readString(text, start, end, word);
  const lower = word.toLowerCase();
  const typed: TypedValue | undefined =
    lower === 'true' || lower === 'false' ? { type: 'Boolean', value: lower === 'true' } : NAMED.get(word);
  return typed ? { kind: 'literal', start, end, typed } : { kind: 'word', start, end, word };
}

/** The first token at or after `from`; `end`, with no length, behind the last. */
function readFilterToken(text: string, from: number): FilterToken {
  const start = from + (matchAt(SPACE, text, from)?.[0].length ?? 0);
  const first = text[start];
  if (first === undefined) return { kind: 'end', start, end: start };
  if (first === '(' || first === ')')
    return { kind: first === '(' ? 'open' : 'close', start, end: start + 1 };
  if (first === "'") return readString(text, start, start, '');
  if (/[-0-9]/.test(first)) return readNumber(text, start);
  const word = matchAt(WORD, text, start)?.[0];
  return word === undefined
    ? { kind: 'other', start, end: start + 1, reason: 'is nothing that a filter may hold' }
    : readWord(text, start, word);
}

/** Maximum nesting of parentheses and `not`. Clients add one pair of parentheses for each link of a chain; an address of 32 KiB holds fewer. */
export const FILTER_DEPTH_MAX = 1000;

const UNSUPPORTED: ReadonlySet<string> = new Set(['add', 'sub', 'mul', 'div', 'mod', 'null']);

class FilterParser {
  readonly #text: string;
  #token: FilterToken;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
    this.#token = readFilterToken(text, 0);
  }

  parse(): Condition {
    const condition = this.#disjunction();
    if (this.#token.kind !== 'end') this.#refuse('is not expected here');
    return condition;
  }

  #disjunction(): Condition {
    return this.#chain('or', () => this.#chain('and', () => this.#term()));
  }

  /** `and` binds closer than `or`; a chain of either is one condition. */
  #chain(kind: 'and' | 'or', read: () => Condition): Condition {
    const first = read();
    const terms = [first];
    while (this.#take(kind)) terms.push(read());
    return terms.length === 1 ? first : { kind, terms };
  }

  #term(): Condition {
    if (this.#take('not')) return this.#deeper(() => ({ kind: 'not', term: this.#term() }));
    if (this.#token.kind !== 'open') return this.#comparison();
    return this.#deeper(() => {
      this.#advance();
      const inside = this.#disjunction();
      if (this.#token.kind !== 'close') this.#refuse("is where a ')' should be");
      this.#advance();
      return inside;
    });
  }

  #deeper(read: () => Condition): Condition {
    if (++this.#depth > FILTER_DEPTH_MAX) this.#refuse(`is nested deeper than ${FILTER_DEPTH_MAX}`);
    const condition = read();
    this.#depth--;
    return condition;
  }

  #comparison(): Condition {
    const left = this.#operand();
    const word = this.#token.kind === 'word' ? this.#token.word : '';
    if (!Object.hasOwn(COMPARISONS, word)) return left;
    this.#advance();
    return { kind: 'compare', operator: word as Comparison, left, right: this.#operand() };
  }

  #operand(): Operand {
    const token = this.#token;
    if (token.kind === 'literal') {
      this.#advance();
      return { kind: 'value', typed: token.typed };
    }
    if (token.kind !== 'word') return this.#refuse('is neither a property nor a value');
    if (UNSUPPORTED.has(token.word)) this.#refuse('is nothing that the service knows');
    this.#advance();
    if (this.#token.kind === 'open') this.#refuse('begins a call, and the service has no functions');
    return { kind: 'property', name: token.word };
  }

  #advance(): void {
    this.#token = readFilterToken(this.#text, this.#token.end);
  }

  #take(word: string): boolean {
    if (this.#token.kind !== 'word' || this.#token.word !== word) return false;
    this.#advance();
    return true;
  }

  #refuse(reason: string): never {
    const token = this.#token;
    const why = token.kind === 'other' ? token.reason : reason;
    const found = token.kind === 'end' ? 'the end' : this.#text.slice(token.start, token.end);
    const detail = { filter: this.#text, position: token.start, reason: `${found} ${why}` };
    const sentence = `At ${detail.position} of the filter: ${detail.reason}. It is: ${detail.filter}`;
    throw new PatternError('FilterInvalid', detail, { sentence });
  }
}

/** The condition that the text means; a blank one takes every row. Throws FilterInvalid. */
export function parseFilter(text: string): Condition {
  return text.trim() === '' ? TRUE : new FilterParser(text).parse();
}
