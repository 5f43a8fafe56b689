// The parser of the $filter language: text -> Filter (protocol: queries#filters), over the tokens of filter-token.ts.
// It refuses terms that cannot be boolean; the evaluation decides comparisons of different types.
import { type ComparisonOperator, type EdmType, type Filter, type Operand, TableError } from '#tables';
import { readToken, type Token } from './filter-token.js';

/**
 * In characters, decoded: about what a URL of Azure holds (protocol: requests#bounds). It holds in a batch too, where no URL bounds a filter,
 * because parsing, compiling and evaluating take time by its length.
 */
export const FILTER_LENGTH_MAX = 32_768;

/**
 * The maximum nesting of parentheses and `not`, which bounds the recursion over the filter. Clients add one pair of parentheses for each
 * link of a chain, and a filter of the maximal length has fewer links.
 */
export const FILTER_DEPTH_MAX = 1000;

type Connective = 'and' | 'or';

const CONNECTIVE_NAMES: Readonly<Record<Connective, string>> = { and: 'And', or: 'Or' };

const COMPARISONS: ReadonlyMap<string, ComparisonOperator> = new Map(
  (['eq', 'ne', 'gt', 'ge', 'lt', 'le'] as const).map(operator => [operator, operator]),
);

/** OData operators and functions that the Table service refuses as not implemented (protocol: queries#refused-filters). */
const UNSUPPORTED_OPERATORS: ReadonlySet<string> = new Set(['add', 'sub', 'mul', 'div', 'mod']);
const UNSUPPORTED_FUNCTIONS: ReadonlySet<string> = new Set(
  `startswith endswith substringof contains length indexof replace substring tolower toupper trim concat
   day month year hour minute second round floor ceiling cast isof any all`.split(/\s+/),
);

/** The static type of an expression; undefined for custom properties. */
function staticType(filter: Filter): EdmType | undefined {
  if (filter.kind === 'constant') return filter.constant.type;
  if (filter.kind !== 'property') return 'Edm.Boolean';
  if (filter.name === 'PartitionKey' || filter.name === 'RowKey') return 'Edm.String';
  return filter.name === 'Timestamp' ? 'Edm.DateTime' : undefined;
}

/** A custom property may be a Boolean. */
const truthType = (filter: Filter): EdmType => staticType(filter) ?? 'Edm.Boolean';

/** Refuses a term that cannot be boolean; `left` is the type of the terms before it. */
function checkTypes(kind: Connective, terms: readonly Filter[]): void {
  let left: EdmType | undefined;
  for (const term of terms) {
    const right = truthType(term);
    if (left !== undefined && (left !== 'Edm.Boolean' || right !== 'Edm.Boolean')) {
      throw new TableError('InvalidInput:FilterTypes', { left, right, operator: CONNECTIVE_NAMES[kind] });
    }
    left = right;
  }
}

/** A chain of one connective as a balanced tree, with the terms in their order. */
function joinAll(kind: Connective, terms: readonly Filter[]): Filter | undefined {
  checkTypes(kind, terms);
  let row = terms;
  while (row.length > 1) {
    const pairs: Filter[] = [];
    for (let i = 0; i < row.length; i += 2) {
      const [left, right] = [row[i], row[i + 1]];
      if (left) pairs.push(right ? { kind, left, right } : left);
    }
    row = pairs;
  }
  return row[0];
}

/** The contents of a pair of parentheses: terms joined by `and`, and those again by `or`. */
class Group {
  readonly #disjuncts: Filter[] = [];
  #conjuncts: Filter[] = [];
  /** The number of `not` before the next term. */
  negations = 0;

  add(term: Filter): void {
    if (this.negations > 0 && truthType(term) !== 'Edm.Boolean') throw new TableError('InvalidInput');
    let negated = term;
    for (; this.negations > 0; this.negations--) negated = { kind: 'not', operand: negated };
    this.#conjuncts.push(negated);
  }

  /** Starts the next operand of `or`. */
  beginDisjunct(): void {
    const conjunction = joinAll('and', this.#conjuncts);
    if (conjunction) this.#disjuncts.push(conjunction);
    this.#conjuncts = [];
  }

  /** The whole group; undefined if it is empty. */
  filter(): Filter | undefined {
    this.beginDisjunct();
    return joinAll('or', this.#disjuncts);
  }
}

/** Open groups are kept in a list instead of the call stack, which a request could exhaust. */
class FilterParser {
  readonly #text: string;
  readonly #outer: Group[] = [];
  #group = new Group();
  #depth = 0;
  #token: Token;

  constructor(text: string) {
    this.#text = text;
    this.#token = readToken(text, 0);
  }

  parse(): Filter {
    do {
      this.#readTerm();
    } while (this.#readConnective());
    const filter = this.#group.filter();
    if (this.#token.kind !== 'end' || this.#outer.length > 0 || !filter) throw this.#unexpected();
    if (truthType(filter) !== 'Edm.Boolean') throw new TableError('InvalidInput');
    return filter;
  }

  /** A comparison or a boolean operand, with the `not` and the opening parentheses before it and the closing ones after it. */
  #readTerm(): void {
    for (;;) {
      if (this.#takeWord('not')) {
        this.#group.negations++;
      } else if (this.#token.kind === 'open') {
        this.#advance();
        this.#outer.push(this.#group);
        this.#group = new Group();
      } else break;
      if (++this.#depth > FILTER_DEPTH_MAX) throw new TableError('InvalidInput');
    }
    this.#add(this.#readComparison());
    while (this.#token.kind === 'close') {
      const inside = this.#group.filter();
      const outer = this.#outer.pop();
      if (!inside || !outer) throw this.#unexpected();
      this.#advance();
      this.#depth--;
      this.#group = outer;
      this.#add(inside);
    }
  }

  #add(term: Filter): void {
    this.#depth -= this.#group.negations;
    this.#group.add(term);
  }

  #readConnective(): boolean {
    if (this.#takeWord('and')) return true;
    if (!this.#takeWord('or')) return false;
    this.#group.beginDisjunct();
    return true;
  }

  #readComparison(): Filter {
    const left = this.#readOperand();
    const operator = this.#token.kind === 'identifier' ? COMPARISONS.get(this.#word()) : undefined;
    if (!operator) return left;
    this.#advance();
    return { kind: 'compare', operator, left, right: this.#readOperand() };
  }

  #readOperand(): Operand {
    const token = this.#token;
    if (token.kind === 'literal') {
      this.#advance();
      return { kind: 'constant', constant: token.constant };
    }
    // Azure answers `p eq null` with the plain text of InvalidInput (seen in 2024).
    if (token.kind === 'null') throw new TableError('InvalidInput');
    if (token.kind !== 'identifier') throw this.#unexpected();
    const name = this.#word();
    this.#advance();
    if (this.#token.kind === 'open' && UNSUPPORTED_FUNCTIONS.has(name))
      throw new TableError('NotImplemented');
    return { kind: 'property', name };
  }

  #advance(): void {
    this.#token = readToken(this.#text, this.#token.end);
  }

  #word(): string {
    return this.#text.slice(this.#token.start, this.#token.end);
  }

  #takeWord(word: string): boolean {
    if (this.#token.kind !== 'identifier' || this.#word() !== word) return false;
    this.#advance();
    return true;
  }

  /** The position is that after the unexpected token (protocol: queries#refused-filters). */
  #unexpected(): TableError {
    const { kind, end } = this.#token;
    const isOperator =
      kind === 'equals' || (kind === 'identifier' && UNSUPPORTED_OPERATORS.has(this.#word()));
    if (isOperator) return new TableError('NotImplemented');
    return new TableError('InvalidInput:FilterSyntax', { position: end, filter: this.#text });
  }
}

/**
 * Parses a decoded $filter. A blank one matches every entity, as on Azure. Chains of one connective
 * become balanced trees, so that recursion over them is bounded by FILTER_DEPTH_MAX and the logarithm of their lengths.
 * Refuses with InvalidInput:FilterSyntax (`position`, `filter`), InvalidInput:FilterTypes (`left`, `right`, `operator`),
 * InvalidInput where Azure gives no reason, NotImplemented for OData features that the service lacks, and InvalidUri:TooLong beyond
 * FILTER_LENGTH_MAX.
 */
export function parseFilter(text: string): Filter {
  if (text.length > FILTER_LENGTH_MAX) throw new TableError('InvalidUri:TooLong');
  if (text.trim() === '') return { kind: 'constant', constant: { type: 'Edm.Boolean', value: true } };
  return new FilterParser(text).parse();
}
