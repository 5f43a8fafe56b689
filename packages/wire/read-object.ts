// Reads a JSON object of plain members as Azure's reader does: numbers keep the way in which they are written,
// because `3` is an Int32 and `3.0` a Double (table-rest.md 5.6). Typing the members is entity-properties.ts's matter.
import { isUtf8 } from 'node:buffer';
import { TableError } from '#tables';

/** `number` keeps its text; `other` is an object or an array, which no property may be. */
export interface Member {
  readonly name: string;
  readonly kind: 'string' | 'number' | 'boolean' | 'null' | 'other';
  readonly text: string;
}

const NESTING_MAX = 32;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const SPACE = /[ \t\r\n]*/y;
/** A string without escapes, up to and with its closing quote. */
const PLAIN_STRING = /"([^"\\\u0000-\u001f]*)"/y;
const malformed = () => new TableError('InvalidInput:Body');

class JsonReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (!found) return undefined;
    this.#at = pattern.lastIndex;
    return found[1] ?? found[0];
  }

  skipSpace(): void {
    const unit = this.#text.charCodeAt(this.#at);
    if (unit <= 0x20) this.#match(SPACE);
  }

  /** Takes one character if it is the next. */
  take(character: string): boolean {
    this.skipSpace();
    if (this.#text[this.#at] !== character) return false;
    this.#at++;
    return true;
  }

  expect(character: string): void {
    if (!this.take(character)) throw malformed();
  }

  expectEnd(): void {
    this.skipSpace();
    if (this.#at !== this.#text.length) throw malformed();
  }

  string(): string {
    this.skipSpace();
    const plain = this.#match(PLAIN_STRING);
    if (plain !== undefined) return plain;
    return this.#escapedString();
  }

  /** By hand: an expression with alternatives would need memory for each character of a long string. */
  #escapedString(): string {
    if (this.#text[this.#at] !== '"') throw malformed();
    let until = this.#at + 1;
    for (let unit = this.#text.charCodeAt(until); unit !== QUOTE; unit = this.#text.charCodeAt(until)) {
      if (Number.isNaN(unit)) throw malformed();
      until += unit === BACKSLASH ? 2 : 1;
    }
    const literal = this.#text.slice(this.#at, until + 1);
    this.#at = until + 1;
    try {
      return String(JSON.parse(literal));
    } catch {
      throw malformed();
    }
  }

  #word(word: string): boolean {
    if (!this.#text.startsWith(word, this.#at)) return false;
    this.#at += word.length;
    return true;
  }

  value(name: string, depth: number): Member {
    this.skipSpace();
    const first = this.#text[this.#at];
    if (first === '"') return { name, kind: 'string', text: this.string() };
    if (first === '{' || first === '[') {
      this.#skipNested(depth);
      return { name, kind: 'other', text: '' };
    }
    for (const word of ['true', 'false'] as const)
      if (this.#word(word)) return { name, kind: 'boolean', text: word };
    if (this.#word('null')) return { name, kind: 'null', text: '' };
    const number = this.#match(NUMBER);
    if (number === undefined) throw malformed();
    return { name, kind: 'number', text: number };
  }

  #skipNested(depth: number): void {
    if (depth >= NESTING_MAX) throw malformed();
    if (this.take('{')) readMembers(this, depth + 1, () => undefined);
    else {
      this.expect('[');
      if (this.take(']')) return;
      do this.value('', depth + 1);
      while (this.take(','));
      this.expect(']');
    }
  }
}

/** Reads members up to and with the closing brace; the opening one is taken already. */
function readMembers(reader: JsonReader, depth: number, found: (member: Member) => void): void {
  if (reader.take('}')) return;
  do {
    const name = reader.string();
    reader.expect(':');
    found(reader.value(name, depth));
  } while (reader.take(','));
  reader.expect('}');
}

/**
 * The members of a JSON object in the order of the text, duplicates and all.
 * @throws TableError InvalidInput:Body for what is no JSON object in UTF-8.
 */
export function readObject(body: Buffer): Member[] {
  if (!isUtf8(body)) throw malformed();
  const text = body.toString('utf8');
  const reader = new JsonReader(text.startsWith('\ufeff') ? text.slice(1) : text);
  const members: Member[] = [];
  reader.expect('{');
  readMembers(reader, 1, member => members.push(member));
  reader.expectEnd();
  return members;
}
