// The parser of the $filter language: text -> Filter (protocol: queries#filters), over the tokens of filter-token.ts.
// It refuses terms that cannot be boolean; the evaluation decides comparisons of different types.
import {
  type ComparisonOperator,
  compareConstants,
  type EdmType,
  type Filter,
  type Operand,
  TableError,
} from '#tables';
import { readToken, type Token } from './filter-token.js';

/**
 * In characters, decoded: about what a URL of Azure holds (protocol: requests#bounds). It holds in a batch too, where no URL bounds a filter,
 * because parsing, compiling and evaluating take time by its length.
 */
export const FILTER_LENGTH_MAX = 32_768;

/**
 * The maximum nesting of parentheses and `not`, which bounds the recursion of the parser and over the filter. Clients add one pair of
 * parentheses for each link of a chain, and a filter of the maximal length has fewer links.
 */
export const FILTER_DEPTH_MAX = 1000;

type Connective = 'and' | 'or';

const CONNECTIVE_NAMES: Readonly<Record<Connective, string>> = { and: 'And', or: 'Or' };

/** Each operator, and the one for operands in the other order. */
const COMPARISONS: ReadonlyMap<string, readonly [ComparisonOperator, ComparisonOperator]> = new Map([
  ['eq', ['eq', 'eq']],
  ['ne', ['ne', 'ne']],
  ['gt', ['gt', 'lt']],
  ['ge', ['ge', 'le']],
  ['lt', ['lt', 'gt']],
  ['le', ['le', 'ge']],
]);

/** OData operators and functions that the Table service refuses as not implemented (protocol: queries#refused-filters). */
const UNSUPPORTED_OPERATORS: ReadonlySet<string> = new Set(['add', 'sub', 'mul', 'div', 'mod']);
const UNSUPPORTED_FUNCTIONS: ReadonlySet<string> = new Set(
  `startswith endswith substringof contains length indexof replace substring tolower toupper trim concat
   day month year hour minute second round floor ceiling cast isof any all`.split(/\s+/),
);

/** The type of a term by itself. A custom property may be a Boolean. */
function typeOf(filter: Filter): EdmType {
  if (filter.kind === 'constant') return filter.constant.type;
  if (filter.kind !== 'property') return 'Edm.Boolean';
  if (filter.name === 'PartitionKey' || filter.name === 'RowKey') return 'Edm.String';
  return filter.name === 'Timestamp' ? 'Edm.DateTime' : 'Edm.Boolean';
}

/** One term stays as it is; terms of a group with the same connective become terms of the chain. Refuses a term that cannot be boolean. */
function join(kind: Connective, [first, ...others]: readonly [Filter, ...Filter[]]): Filter {
  if (others.length === 0) return first;
  const terms: Filter[] = [];
  let left: EdmType = 'Edm.Boolean';
  for (const term of [first, ...others]) {
    const right = typeOf(term);
    if (terms.length > 0 && (left !== 'Edm.Boolean' || right !== 'Edm.Boolean'))
      throw new TableError('InvalidInput:FilterTypes', { left, right, operator: CONNECTIVE_NAMES[kind] });
    left = right;
    if (term.kind === kind) terms.push(...term.terms);
    else terms.push(term);
  }
  return { kind, terms };
}

class FilterParser {
  readonly #text: string;
  #depth = 0;
  #token: Token;

  constructor(text: string) {
    this.#text = text;
    this.#token = readToken(text, 0);
  }

  parse(): Filter {
    const filter = this.#group();
    if (this.#token.kind !== 'end') throw this.#unexpected();
    if (typeOf(filter) !== 'Edm.Boolean') throw new TableError('InvalidInput');
    return filter;
  }

  /** Terms joined by `and`, and those again by `or`. */
  #group(): Filter {
    const disjuncts: [Filter, ...Filter[]] = [this.#conjunction()];
    while (this.#take('or')) disjuncts.push(this.#conjunction());
    return join('or', disjuncts);
  }

  #conjunction(): Filter {
    const conjuncts: [Filter, ...Filter[]] = [this.#term()];
    while (this.#take('and')) conjuncts.push(this.#term());
    return join('and', conjuncts);
  }

  /** A comparison, a boolean operand or a group, with the `not` before it. */
  #term(): Filter {
    const depth = this.#depth;
    let negations = 0;
    for (; this.#take('not'); negations++) this.#descend();
    let term = this.#take('(') ? this.#restOfGroup() : this.#comparison();
    if (negations > 0 && typeOf(term) !== 'Edm.Boolean') throw new TableError('InvalidInput');
    for (; negations > 0; negations--) term = { kind: 'not', operand: term };
    this.#depth = depth;
    return term;
  }

  #descend(): void {
    if (++this.#depth > FILTER_DEPTH_MAX) throw new TableError('InvalidInput');
  }

  #restOfGroup(): Filter {
    this.#descend();
    const filter = this.#group();
    if (!this.#take(')')) throw this.#unexpected();
    return filter;
  }

  #comparison(): Filter {
    const left = this.#operand();
    const token = this.#token;
    const [operator, flipped] = (token.kind === 'word' && COMPARISONS.get(token.text)) || [];
    if (!operator || !flipped) return left;
    this.#advance();
    const right = this.#operand();
    if (left.kind === 'property') return { kind: 'compare', name: left.name, operator, other: right };
    if (right.kind === 'property')
      return { kind: 'compare', name: right.name, operator: flipped, other: left };
    const value = compareConstants(left.constant, operator, right.constant);
    return { kind: 'constant', constant: { type: 'Edm.Boolean', value } };
  }

  #operand(): Operand {
    const token = this.#token;
    if (token.kind === 'literal') {
      this.#advance();
      return { kind: 'constant', constant: token.constant };
    }
    if (token.kind !== 'word') throw this.#unexpected();
    const name = token.text;
    // Azure answers `p eq null` with the plain text of InvalidInput (seen in 2024).
    if (name === 'null') throw new TableError('InvalidInput');
    this.#advance();
    if (UNSUPPORTED_FUNCTIONS.has(name) && this.#isNext('(')) throw new TableError('NotImplemented');
    return { kind: 'property', name };
  }

  #advance(): void {
    this.#token = readToken(this.#text, this.#token.end);
  }

  #isNext(text: string): boolean {
    return this.#token.kind !== 'literal' && this.#token.text === text;
  }

  /** Consumes a word or a mark if it is the next token. */
  #take(text: string): boolean {
    if (!this.#isNext(text)) return false;
    this.#advance();
    return true;
  }

  /** The position is that after the unexpected token (protocol: queries#refused-filters). */
  #unexpected(): TableError {
    const token = this.#token;
    const text = token.kind === 'literal' ? '' : token.text;
    if (text.startsWith('=') || UNSUPPORTED_OPERATORS.has(text)) return new TableError('NotImplemented');
    return new TableError('InvalidInput:FilterSyntax', { position: token.end, filter: this.#text });
  }
}

/**
 * Parses a decoded $filter. A blank one matches every entity, as on Azure.
 * Refuses with InvalidInput:FilterSyntax (`position`, `filter`), InvalidInput:FilterTypes (`left`, `right`, `operator`),
 * InvalidInput where Azure gives no reason, NotImplemented for OData features that the service lacks, and InvalidUri:TooLong beyond
 * FILTER_LENGTH_MAX.
 */
export function parseFilter(text: string): Filter {
  if (text.length > FILTER_LENGTH_MAX) throw new TableError('InvalidUri:TooLong');
  if (text.trim() === '') return { kind: 'constant', constant: { type: 'Edm.Boolean', value: true } };
  return new FilterParser(text).parse();
}
