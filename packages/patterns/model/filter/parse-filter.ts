// Parses any $filter text to a condition, for example from a log: tokens, then their grammar. Checks no types except those of literals; filters.ts warns of comparisons that the
// service would refuse.
import { fromHex } from '../../values/bytes.js';
import { isInt32, isInt64 } from '../../values/check-value.js';
import { type EdmType, GUID } from '../../values/edm.js';
import { Instant } from '../../values/instant.js';
import { PatternError } from '../../values/pattern-error.js';
import type { BagValue, TypedValue } from '../../values/typed-value.js';
import { COMPARISONS, type Comparison, type Condition, type Operand, TRUE } from './condition.js';

/** A value, if it is one of the type; otherwise the next rule is asked. */
const ifIs = <T extends BagValue>(is: (value: T) => boolean, value: T): T | undefined =>
  is(value) ? value : undefined;

function timeOf(text: string): Instant | undefined {
  try {
    return Instant.parse(text);
  } catch (thrown) {
    if (PatternError.is(thrown)) return undefined;
    throw thrown;
  }
}

/** How literals are written, and what each means. A whole number without a suffix is as large as it must be. */
const LITERALS: readonly (readonly [RegExp, EdmType, (text: string) => BagValue | undefined])[] = [
  [/^'((?:[^']|'')*)'$/, 'String', text => text.replaceAll("''", "'")],
  [/^(-?\d+)$/, 'Int32', text => ifIs(isInt32, Number(text) || 0)],
  [/^(-?\d+)[lL]?$/, 'Int64', text => ifIs(isInt64, BigInt(text))],
  [
    /^(?!-?\d+$)(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)[dDfFmM]?$/,
    'Double',
    text => ifIs(Number.isFinite, Number(text)),
  ],
  [/^(NaN|-?INF|-?Infinity)$/, 'Double', text => Number(text.replace('INF', 'Infinity'))],
  [/^(true|false)$/i, 'Boolean', text => text.toLowerCase() === 'true'],
  [/^datetime'(.*)'$/is, 'DateTime', timeOf],
  [/^guid'(.*)'$/is, 'Guid', text => ifIs(value => GUID.test(value), text.toLowerCase())],
  [/^(?:x|binary)'((?:[0-9a-f]{2})*)'$/i, 'Binary', fromHex],
];

function literalOf(text: string): TypedValue | undefined {
  for (const [written, type, read] of LITERALS) {
    const [, content] = written.exec(text) ?? [];
    const value = content === undefined ? undefined : read(content);
    if (value !== undefined) return { type, value };
  }
  return undefined;
}

const SPACE = /\s*/y;
/** A string, with a word right before it that gives it a type; it may lack its end. */
const STRING = /(?:datetime|guid|x|binary)?'[^']*(?:''[^']*)*'?/iy;
/** A parenthesis, what begins as a number, or a name: C# identifiers, as the names of properties are. */
const OTHER =
  /[()]|[-\d](?:[eE][-+]|[\p{L}\p{Nl}\p{Nd}_.])*|[\p{L}\p{Nl}_][\p{L}\p{Nl}\p{Nd}\p{Pc}\p{Mn}\p{Mc}\p{Cf}]*|./suy;
const NAME = /^[\p{L}\p{Nl}_][^']*$/u;

interface FilterToken {
  readonly start: number;
  /** As it stands: `(`, `and`, `5L`; empty at the end. */
  readonly text: string;
  readonly typed: TypedValue | undefined;
}

function matchAt(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

/** The first token at or after `from`. */
function tokenAt(filter: string, from: number): FilterToken {
  const start = from + (matchAt(SPACE, filter, from)?.length ?? 0);
  const text = matchAt(STRING, filter, start) ?? matchAt(OTHER, filter, start) ?? '';
  return { start, text, typed: literalOf(text) };
}

/** Why the text is no token of the language; undefined if it is one. */
function faultOf({ text, typed }: FilterToken): string | undefined {
  if (typed !== undefined || /^[()]?$/.test(text)) return undefined;
  const [, mark] = /^(\w*)'(?:[^']|'')*'$/.exec(text) ?? [];
  if (mark !== undefined) return `is not a value of ${mark}`;
  if (text.includes("'")) return 'is a string that does not end';
  if (/^[-\d]/.test(text)) return 'is not a number of the service';
  return NAME.test(text) ? undefined : 'is nothing that a filter may hold';
}

/** Maximum nesting of parentheses and `not`. Clients add one pair of parentheses for each link of a chain; an address of 32 KiB holds fewer. */
export const FILTER_DEPTH_MAX = 1000;

const UNSUPPORTED: ReadonlySet<string> = new Set(['add', 'sub', 'mul', 'div', 'mod', 'null']);

class FilterParser {
  readonly #filter: string;
  #token: FilterToken;
  #depth = 0;

  constructor(filter: string) {
    this.#filter = filter;
    this.#token = tokenAt(filter, 0);
  }

  parse(): Condition {
    const condition = this.#chain('or');
    if (this.#token.text !== '') this.#refuse('is not expected here');
    return condition;
  }

  /** `and` binds closer than `or`; a chain of either is one condition. */
  #chain(kind: 'and' | 'or'): Condition {
    const read = (): Condition => (kind === 'or' ? this.#chain('and') : this.#term());
    const first = read();
    const terms = [first];
    while (this.#take(kind)) terms.push(read());
    return terms.length === 1 ? first : { kind, terms };
  }

  #term(): Condition {
    const isNegated = this.#take('not');
    if (!isNegated && !this.#take('(')) return this.#comparison();
    if (++this.#depth > FILTER_DEPTH_MAX) this.#refuse(`is nested deeper than ${FILTER_DEPTH_MAX}`);
    const term = isNegated ? this.#term() : this.#chain('or');
    if (!isNegated && !this.#take(')')) this.#refuse("is where a ')' should be");
    this.#depth--;
    return isNegated ? { kind: 'not', term } : term;
  }

  #comparison(): Condition {
    const left = this.#operand();
    const { text } = this.#token;
    if (!Object.hasOwn(COMPARISONS, text)) return left;
    this.#take(text);
    return { kind: 'compare', operator: text as Comparison, left, right: this.#operand() };
  }

  #operand(): Operand {
    const { text, typed } = this.#token;
    if (typed === undefined && !NAME.test(text)) this.#refuse('is neither a property nor a value');
    if (UNSUPPORTED.has(text)) this.#refuse('is nothing that the service knows');
    this.#take(text);
    if (typed !== undefined) return { kind: 'value', typed };
    if (this.#token.text === '(') this.#refuse('begins a call, and the service has no functions');
    return { kind: 'property', name: text };
  }

  #take(text: string): boolean {
    if (this.#token.text !== text) return false;
    this.#token = tokenAt(this.#filter, this.#token.start + text.length);
    return true;
  }

  #refuse(otherwise: string): never {
    const { start: position, text } = this.#token;
    const filter = this.#filter;
    const reason = `${text || 'the end'} ${faultOf(this.#token) ?? otherwise}`;
    const sentence = `At ${position} of the filter: ${reason}. It is: ${filter}`;
    throw new PatternError('FilterInvalid', { filter, position, reason }, { sentence });
  }
}

/** The condition that the text means; a blank one takes every row. Throws FilterInvalid. */
export function parseFilter(text: string): Condition {
  return text.trim() === '' ? TRUE : new FilterParser(text).parse();
}
