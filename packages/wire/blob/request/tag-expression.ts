// Reads expressions over tags. Conditions (`x-ms-if-tags`) and Find Blobs by Tags have a language each: the first has OR and `<>`, the
// second has `@container` and limits (protocol: blob-requests#tags).
import type { TagExpression } from '#blobs';

const TOKEN =
  /\s*(?:(?<mark>[()])|(?<operator><>|>=|<=|=|>|<)|"(?<quoted>[^"]*)"|'(?<value>(?:[^']|'')*)'|(?<parameter>@\w*)|(?<name>\w+)|(?<other>\S))/y;
const KINDS = ['mark', 'operator', 'quoted', 'value', 'parameter', 'name', 'other'] as const;
/** Parts and parentheses of one expression: more than anybody writes, less than a stack holds. */
const TOKENS_MAX = 600;
const DEPTH_MAX = 99;

export type Comparison = Extract<TagExpression, { kind: 'compare' }>;

export interface Token {
  readonly kind: (typeof KINDS)[number] | 'end';
  /** As it was written. */
  readonly text: string;
  /** Without its quotes. */
  readonly content: string;
  /** Of its first character, which counts from 1. */
  readonly position: number;
}

/** What sets the two languages apart. */
export interface TagLanguage {
  readonly hasOr: boolean;
  /** @throws TagFault */
  keyOf(token: Token): string;
  /** Takes a comparison that is well-formed. @throws TagFault */
  check(comparison: Comparison, sign: Token, value: Token): void;
}

/** An expression that cannot be read, and where. */
export class TagFault extends Error {
  readonly position: number | undefined;

  constructor(message: string, position?: number) {
    super(message);
    this.position = position;
  }
}

/** The message becomes a phrase of the status line. */
const shown = (text: string): string => text.slice(0, 100).replace(/[^ -~]/g, '?');

export const unexpected = ({ kind, text, position }: Token): TagFault =>
  new TagFault(kind === 'end' ? 'unexpected end of query' : `unexpected '${shown(text)}'`, position);

export const unsupported = ({ text, position }: Token): TagFault =>
  new TagFault(`unsupported parameter '${shown(text)}'`, position);

const OPERATORS: ReadonlyMap<string, Comparison['operator']> = new Map(
  (['=', '>', '>=', '<', '<=', '<>'] as const).map(operator => [operator, operator]),
);

function tokensOf(text: string): readonly Token[] {
  const tokens: Token[] = [];
  const { length } = text.trimEnd();
  for (let at = 0; at < length; ) {
    TOKEN.lastIndex = at;
    const groups = TOKEN.exec(text)?.groups ?? {};
    const kind = KINDS.find(name => groups[name] !== undefined) ?? 'other';
    const content = groups[kind] ?? '';
    const begin = TOKEN.lastIndex - content.length - (kind === 'quoted' || kind === 'value' ? 2 : 0);
    const token = { kind, content, text: text.slice(begin, TOKEN.lastIndex), position: begin + 1 };
    if (tokens.length === TOKENS_MAX) throw unexpected(token);
    tokens.push(token);
    at = TOKEN.lastIndex;
  }
  return tokens;
}

/** `and` binds before `or`. */
class Reader {
  readonly #tokens: readonly Token[];
  readonly #language: TagLanguage;
  readonly #end: Token;
  #at = 0;
  #depth = 0;

  constructor(text: string, language: TagLanguage) {
    this.#tokens = tokensOf(text);
    this.#language = language;
    this.#end = { kind: 'end', text: '', content: '', position: text.length + 1 };
  }

  whole(): TagExpression {
    const expression = this.#any();
    if (this.#peek().kind !== 'end') throw unexpected(this.#peek());
    return expression;
  }

  #peek(): Token {
    return this.#tokens[this.#at] ?? this.#end;
  }

  #take(): Token {
    const token = this.#peek();
    this.#at++;
    return token;
  }

  #any(): TagExpression {
    const all = () => this.#chain('and', () => this.#one());
    return this.#language.hasOr ? this.#chain('or', all) : all();
  }

  #chain(kind: 'and' | 'or', next: () => TagExpression): TagExpression {
    let left = next();
    while (this.#peek().kind === 'name' && this.#peek().text.toLowerCase() === kind) {
      this.#at++;
      left = { kind, left, right: next() };
    }
    return left;
  }

  #one(): TagExpression {
    const first = this.#take();
    if (first.kind !== 'mark' || first.text === ')') return this.#comparison(first);
    this.#depth++;
    if (this.#depth > DEPTH_MAX) throw unexpected(first);
    const inner = this.#any();
    const close = this.#take();
    if (close.kind !== 'mark' || close.text === '(') throw unexpected(close);
    this.#depth--;
    return inner;
  }

  #comparison(first: Token): Comparison {
    if (first.kind !== 'quoted' && first.kind !== 'name' && first.kind !== 'parameter')
      throw unexpected(first);
    const key = this.#language.keyOf(first);
    const sign = this.#take();
    const operator = sign.kind === 'operator' ? OPERATORS.get(sign.text) : undefined;
    if (operator === undefined) throw new TagFault('expected an operator', first.position);
    const value = this.#take();
    if (value.kind !== 'value') throw new TagFault('expecting tag value', value.position);
    const comparison: Comparison = {
      kind: 'compare',
      key,
      operator,
      value: value.content.replaceAll("''", "'"),
    };
    this.#language.check(comparison, sign, value);
    return comparison;
  }
}

/** @throws TagFault */
export const readTagExpression = (text: string, language: TagLanguage): TagExpression =>
  new Reader(text, language).whole();
