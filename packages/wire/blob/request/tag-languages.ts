// The two languages of expressions over tags: of conditions, and of Find Blobs by Tags (protocol: blob-requests#tags).
import { BlobError, type TagExpression } from '#blobs';
import {
  type Comparison,
  readTagExpression,
  TagFault,
  type TagLanguage,
  type Token,
  unexpected,
  unsupported,
} from './tag-expression.js';

const CONTAINER = '@container';
const KEY_LENGTH_MAX = 128;
const VALUE_LENGTH_MAX = 256;
const UNIQUE_TAGS_MAX = 10;
const NO_CHARACTER = /[^A-Za-z0-9 +\-./:=_]/u;

const outside = (character: string, position: number): TagFault =>
  new TagFault(`'${/[ -~]/.test(character) ? character : '?'}' not permitted in tag name or value`, position);

/** Names without quotes do not begin with a digit, and are no words of the language. */
function tagOf(token: Token, words: ReadonlySet<string>): string {
  const { kind, content, position } = token;
  if (kind === 'name' && (words.has(content.toLowerCase()) || /^\d/.test(content))) throw unexpected(token);
  if (content === '' || content.length > KEY_LENGTH_MAX)
    throw new TagFault('tag must be between 1 and 128 characters in length', position);
  const [character] = NO_CHARACTER.exec(content) ?? [];
  if (character !== undefined) throw outside(character, position);
  return content;
}

const WORDS = new Set(['and', 'or']);

const CONDITION: TagLanguage = {
  hasOr: true,
  keyOf(token) {
    if (token.kind === 'parameter') throw unsupported(token);
    return tagOf(token, WORDS);
  },
  check() {},
};

/** Azure reads the last two as words too (protocol: blob-requests#tags). */
const WORDS_OF_FIND = new Set(['and', 'or', 'not', 'year', 'month']);

const SIDES: Readonly<Record<Comparison['operator'], readonly ('low' | 'high')[]>> = {
  '=': ['low', 'high'],
  '<>': [],
  '>': ['low'],
  '>=': ['low'],
  '<': ['high'],
  '<=': ['high'],
};

/** Of one expression: it remembers the tags that were compared. */
class FindLanguage implements TagLanguage {
  readonly hasOr = false;
  readonly #sides = new Map<string, Set<string>>();
  readonly #hasContainer: boolean;

  constructor(hasContainer: boolean) {
    this.#hasContainer = hasContainer;
  }

  keyOf(token: Token): string {
    if (token.kind !== 'parameter') return tagOf(token, WORDS_OF_FIND);
    if (token.text.toLowerCase() !== CONTAINER) throw unsupported(token);
    if (this.#hasContainer) throw new TagFault('Cannot have container in both uri and query');
    return CONTAINER;
  }

  check({ key, operator, value }: Comparison, sign: Token, { position }: Token): void {
    if (operator === '<>') throw unexpected(sign);
    if (value.length > VALUE_LENGTH_MAX)
      throw new TagFault('tag value must be between 0 and 256 characters in length', position);
    const [character] = NO_CHARACTER.exec(value) ?? [];
    if (character !== undefined) throw outside(character, position);
    const sides = this.#sides.get(key) ?? new Set();
    if (SIDES[operator].some(side => sides.has(side)))
      throw new TagFault("can't have multiple conditions for a single tag unless they define a range");
    for (const side of SIDES[operator]) sides.add(side);
    this.#sides.set(key, sides);
    if (this.#sides.size - (this.#sides.has(CONTAINER) ? 1 : 0) > UNIQUE_TAGS_MAX)
      throw new TagFault(`there can be at most ${UNIQUE_TAGS_MAX} unique tags in a query`);
  }
}

/** Undefined for a text that is no expression. */
export function parseTagCondition(text: string): TagExpression | undefined {
  try {
    return readTagExpression(text, CONDITION);
  } catch (error) {
    if (error instanceof TagFault) return undefined;
    throw error;
  }
}

/** `hasContainer`: the request finds blobs of one container. @throws BlobError InvalidQueryParameterValue. */
export function parseTagQuery(text: string, hasContainer: boolean): TagExpression {
  try {
    return readTagExpression(text, new FindLanguage(hasContainer));
  } catch (error) {
    if (!(error instanceof TagFault)) throw error;
    const place = error.position === undefined ? '' : ` at or near character position ${error.position}`;
    const fault = `${place}: ${error.message}`;
    throw new BlobError('InvalidQueryParameterValue:Tags', { name: 'where', value: text, fault });
  }
}
