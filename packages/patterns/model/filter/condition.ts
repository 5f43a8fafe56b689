// The condition of a query as a value, a tree of comparisons. format-filter.ts writes it as $filter, classify.ts derives its cost.
import type { TypedValue } from '../../values/typed-value.js';
import type { KeyRange } from '../keys/compiled-key.js';

/** The comparisons that the service knows. */
export type Comparison = 'eq' | 'ne' | 'gt' | 'ge' | 'lt' | 'le';

/** What a comparison says. */
interface Meaning {
  /** `constant < property` says of the property what `property > constant` says. */
  readonly mirrored: Comparison;
  /** Of values that are there and have one type, such as keys. */
  readonly negated: Comparison;
  /** The answer where the types do not match, whatever the values are. */
  readonly onMismatch: boolean;
  /** For an order below, at or above 0; NaN where one of the values is not a number. */
  readonly holds: (order: number) => boolean;
}

export const COMPARISONS: Readonly<Record<Comparison, Meaning>> = {
  eq: { mirrored: 'eq', negated: 'ne', onMismatch: false, holds: order => order === 0 },
  ne: { mirrored: 'ne', negated: 'eq', onMismatch: true, holds: order => order !== 0 },
  gt: { mirrored: 'lt', negated: 'le', onMismatch: false, holds: order => order > 0 },
  ge: { mirrored: 'le', negated: 'lt', onMismatch: false, holds: order => order >= 0 },
  lt: { mirrored: 'gt', negated: 'ge', onMismatch: true, holds: order => order < 0 },
  le: { mirrored: 'ge', negated: 'gt', onMismatch: true, holds: order => order <= 0 },
};

/** JavaScript orders texts by UTF-16 code units, as the service does, and a number and a bigint by their exact values. */
export const ordered = <T extends string | number | bigint>(a: T, b: T): number =>
  a < b ? -1 : a > b ? 1 : Number.isNaN(a) || Number.isNaN(b) ? Number.NaN : 0;

/** A property by its name in the table, or a value with its type. */
export type Operand =
  | { readonly kind: 'property'; readonly name: string }
  | { readonly kind: 'value'; readonly typed: TypedValue };

/** A comparison, or what stands alone: a property or a value is true if it is a Boolean and true. */
export type Leaf =
  | {
      readonly kind: 'compare';
      readonly operator: Comparison;
      readonly left: Operand;
      readonly right: Operand;
    }
  | Operand;

/** Conditions joined by one word, which are two at least; the negation of one; or a leaf. */
export type Condition =
  | { readonly kind: 'and' | 'or'; readonly terms: readonly Condition[] }
  | { readonly kind: 'not'; readonly term: Condition }
  | Leaf;

export const TRUE: Condition = { kind: 'value', typed: { type: 'Boolean', value: true } };
const FALSE: Condition = { kind: 'value', typed: { type: 'Boolean', value: false } };

export const isTrue = (condition: Condition): boolean =>
  condition.kind === 'value' && condition.typed.value === true;
const isFalse = (condition: Condition): boolean =>
  condition.kind === 'value' && condition.typed.value === false;

export const compare = (name: string, operator: Comparison, typed: TypedValue): Condition => ({
  kind: 'compare',
  operator,
  left: { kind: 'property', name },
  right: { kind: 'value', typed },
});

/** A chain of one word, without the terms that say nothing. */
export function allOf(conditions: readonly Condition[]): Condition {
  const terms = conditions
    .filter(each => !isTrue(each))
    .flatMap(each => (each.kind === 'and' ? each.terms : [each]));
  const [first = TRUE] = terms;
  return terms.length <= 1 ? first : { kind: 'and', terms };
}

export function anyOf(conditions: readonly [Condition, ...Condition[]]): Condition {
  const terms = conditions.flatMap(each => (each.kind === 'or' ? each.terms : [each]));
  return terms.length === 1 ? conditions[0] : { kind: 'or', terms };
}

/** The keys of a range. */
export function keyCondition(name: 'PartitionKey' | 'RowKey', range: KeyRange): Condition {
  const comparisons = (['eq', 'ge', 'gt', 'lt', 'le'] as const).flatMap(operator => {
    const value = range[operator];
    return value === undefined ? [] : [compare(name, operator, { type: 'String', value })];
  });
  return allOf(comparisons);
}

/** The rows whose two keys are in these ranges. */
export const keysCondition = (partition: KeyRange, row: KeyRange): Condition =>
  allOf([keyCondition('PartitionKey', partition), keyCondition('RowKey', row)]);

/** Every comparison and what stands alone. */
export function* leavesOf(condition: Condition): Generator<Leaf> {
  switch (condition.kind) {
    case 'and':
    case 'or':
      for (const term of condition.terms) yield* leavesOf(term);
      return;
    case 'not':
      yield* leavesOf(condition.term);
      return;
    default:
      yield condition;
  }
}

export const operandsOf = (leaf: Leaf): readonly Operand[] =>
  leaf.kind === 'compare' ? [leaf.left, leaf.right] : [leaf];

export const namesIn = (leaf: Leaf): readonly string[] =>
  operandsOf(leaf).flatMap(operand => (operand.kind === 'property' ? [operand.name] : []));

/**
 * What is left of a condition where some of its leaves are decided: a constant, if all are that matter. `decide` leaves others by undefined, and is not
 * asked behind a term that decides its chain: it may throw.
 */
export function residual(condition: Condition, decide: (leaf: Leaf) => boolean | undefined): Condition {
  switch (condition.kind) {
    case 'and': {
      const terms: Condition[] = [];
      for (const each of condition.terms) {
        const term = residual(each, decide);
        if (isFalse(term)) return FALSE;
        terms.push(term);
      }
      return allOf(terms);
    }
    case 'or': {
      const terms: Condition[] = [];
      for (const each of condition.terms) {
        const term = residual(each, decide);
        if (isTrue(term)) return TRUE;
        if (!isFalse(term)) terms.push(term);
      }
      const [first, ...others] = terms;
      return first === undefined ? FALSE : anyOf([first, ...others]);
    }
    case 'not': {
      const term = residual(condition.term, decide);
      if (isTrue(term)) return FALSE;
      return isFalse(term) ? TRUE : { kind: 'not', term };
    }
    default: {
      const decided = decide(condition);
      return decided === undefined ? condition : decided ? TRUE : FALSE;
    }
  }
}
