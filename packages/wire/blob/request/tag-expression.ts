// Expressions over tags, of find by tags and of conditions: `"key" >= 'value' AND @container = 'c'` (protocol: blob-requests#tags).
import type { TagExpression } from '#blobs';

const KEY = String.raw`"([^"]{1,128})"|(@container)\b|([A-Za-z_][\w]*)`;
const TOKEN = new RegExp(
  String.raw`\s*(?:(\()|(\))|(?:(AND|OR)\b)|(?:(?:${KEY})\s*(<>|>=|<=|=|>|<)\s*'((?:[^']|'')*)'))`,
  'iy',
);
/** Comparisons and parentheses of one expression: more than anybody writes, less than a stack holds. */
const TOKENS_MAX = 200;

type Comparison = Extract<TagExpression, { kind: 'compare' }>;
type Token = Comparison | '(' | ')' | 'and' | 'or';

const OPERATORS: ReadonlyMap<string, Comparison['operator']> = new Map(
  (['=', '>', '>=', '<', '<=', '<>'] as const).map(operator => [operator, operator]),
);

function tokensOf(text: string): readonly Token[] | undefined {
  const tokens: Token[] = [];
  let at = 0;
  while (text.slice(at).trim() !== '') {
    TOKEN.lastIndex = at;
    const found = TOKEN.exec(text);
    if (!found || tokens.length >= TOKENS_MAX) return undefined;
    const [all, open, close, word, quoted, container, bare, operator, value = ''] = found;
    if (open) tokens.push('(');
    else if (close) tokens.push(')');
    else if (word) tokens.push(word.toLowerCase() === 'and' ? 'and' : 'or');
    else {
      const known = OPERATORS.get(operator ?? '');
      if (known === undefined) return undefined;
      const key = quoted ?? container?.toLowerCase() ?? bare ?? '';
      tokens.push({ kind: 'compare', key, operator: known, value: value.replaceAll("''", "'") });
    }
    at += all.length;
  }
  return tokens;
}

/** `and` binds before `or`. */
class Reader {
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#tokens.length;
  }

  any(): TagExpression | undefined {
    return this.#chain('or', () => this.#chain('and', () => this.#one()));
  }

  #chain(kind: 'and' | 'or', next: () => TagExpression | undefined): TagExpression | undefined {
    let left = next();
    while (left !== undefined && this.#tokens[this.#at] === kind) {
      this.#at++;
      const right = next();
      left = right && { kind, left, right };
    }
    return left;
  }

  #one(): TagExpression | undefined {
    const token = this.#tokens[this.#at++];
    if (token === '(') {
      const inner = this.any();
      return this.#tokens[this.#at++] === ')' ? inner : undefined;
    }
    return typeof token === 'object' ? token : undefined;
  }
}

/** Undefined for a text that is no expression. */
export function parseTagExpression(text: string): TagExpression | undefined {
  const tokens = tokensOf(text);
  if (tokens === undefined) return undefined;
  const reader = new Reader(tokens);
  const expression = reader.any();
  return reader.isAtEnd ? expression : undefined;
}
