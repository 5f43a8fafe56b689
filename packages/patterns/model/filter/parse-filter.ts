// Parses any $filter text to a condition, for example from a log. Checks no types except those of literals; classify.ts warns of comparisons that the
// service would refuse.
import { PatternError } from '../../values/pattern-error.js';
import { COMPARISONS, type Comparison, type Condition, type Operand, TRUE } from './condition.js';
import { type FilterToken, readFilterToken } from './filter-token.js';

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
    const operator = COMPARISONS.find(each => each === word);
    return operator === undefined ? left : this.#compared(left, operator);
  }

  #compared(left: Operand, operator: Comparison): Condition {
    this.#advance();
    return { kind: 'compare', operator, left, right: this.#operand() };
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
