// A cursor over JSON text that returns the texts of values as they are, without parsing the values. Invalid JSON is a RowError.
import { RowError } from './row.js';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE = 0x20;
const NUMBER_OR_WORD = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
/** Objects and arrays around a skipped value: far more than annotations have, and no stack overflows. */
const NESTING_MAX = 64;

export const COMMA = 0x2c;
export const COLON = 0x3a;
export const OPEN_BRACE = 0x7b;
export const CLOSE_BRACE = 0x7d;
export const OPEN_BRACKET = 0x5b;
export const CLOSE_BRACKET = 0x5d;

export class JsonText {
  readonly #text: string;
  #at = 0;
  /** The first backslash at or after a position, or the end. */
  #backslash = -1;
  /** Whether the last string had an escape. */
  hasEscape = false;

  constructor(text: string) {
    this.#text = text;
  }

  fail(what: string): RowError {
    return new RowError(`${what} at character ${this.#at + 1}`);
  }

  peek(): number {
    let unit = this.#text.charCodeAt(this.#at);
    while (unit <= SPACE) unit = this.#text.charCodeAt(++this.#at);
    return unit;
  }

  take(unit: number): boolean {
    if (this.peek() !== unit) return false;
    this.#at++;
    return true;
  }

  expect(unit: number): void {
    if (!this.take(unit)) throw this.fail(`${JSON.stringify(String.fromCharCode(unit))} is missing`);
  }

  /** If exactly this comes next, reads it. */
  takeText(text: string): boolean {
    if (!this.#text.startsWith(text, this.#at)) return false;
    this.#at += text.length;
    return true;
  }

  end(): void {
    if (!Number.isNaN(this.peek())) throw this.fail('there is more after the end');
  }

  /** A string with its quotes, as it is. */
  string(): string {
    const from = this.#at;
    if (this.#text.charCodeAt(from) !== QUOTE) throw this.fail('a string is missing');
    let until = this.#text.indexOf('"', from + 1);
    if (this.#backslash < from) {
      const found = this.#text.indexOf('\\', from);
      this.#backslash = found === -1 ? this.#text.length : found;
    }
    this.hasEscape = this.#backslash < until;
    if (this.hasEscape) until = this.#closing(until, from);
    if (until === -1) throw this.fail('a string does not end');
    this.#at = until + 1;
    return this.#text.slice(from, this.#at);
  }

  /** The quote that closes the string: one after an even number of backslashes. */
  #closing(found: number, from: number): number {
    let quote = found;
    while (quote !== -1) {
      let at = quote - 1;
      while (at > from && this.#text.charCodeAt(at) === BACKSLASH) at--;
      if ((quote - 1 - at) % 2 === 0) return quote;
      quote = this.#text.indexOf('"', quote + 1);
    }
    return -1;
  }

  /** A string, number or word as it is; not an object or array. */
  scalar(): string {
    const first = this.peek();
    if (first === QUOTE) return this.string();
    if (first === OPEN_BRACE || first === OPEN_BRACKET)
      throw this.fail("a property's value can't be an object or an array");
    NUMBER_OR_WORD.lastIndex = this.#at;
    if (!NUMBER_OR_WORD.test(this.#text)) throw this.fail('there is no value');
    const from = this.#at;
    this.#at = NUMBER_OR_WORD.lastIndex;
    return this.#text.slice(from, this.#at);
  }

  /** Skips a value of any kind. */
  skip(depth = 0): void {
    const opening = this.peek();
    if (opening !== OPEN_BRACE && opening !== OPEN_BRACKET) {
      this.scalar();
      return;
    }
    if (depth === NESTING_MAX) throw this.fail('values are nested too deeply');
    const closing = opening === OPEN_BRACE ? CLOSE_BRACE : CLOSE_BRACKET;
    this.#at++;
    if (this.take(closing)) return;
    do {
      if (opening === OPEN_BRACE) {
        this.peek();
        this.string();
        this.expect(COLON);
      }
      this.skip(depth + 1);
    } while (this.take(COMMA));
    this.expect(closing);
  }
}
