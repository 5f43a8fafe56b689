// The condition of a query as a value, a tree of comparisons. format-filter.ts writes it as $filter, classify.ts derives its cost.
import type { TypedValue } from '../../values/typed-value.js';

/** The comparisons that the service knows. */
export type Comparison = 'eq' | 'ne' | 'gt' | 'ge' | 'lt' | 'le';

export const COMPARISONS: readonly Comparison[] = ['eq', 'ne', 'gt', 'ge', 'lt', 'le'];

/** A property by its name in the table, or a value with its type. */
export type Operand =
  | { readonly kind: 'property'; readonly name: string }
  | { readonly kind: 'value'; readonly typed: TypedValue };

/** Conditions joined by one word: two at least. */
export interface Joined {
  readonly kind: 'and' | 'or';
  readonly terms: readonly Condition[];
}

/** A property or a value that stands alone is true if it is a Boolean and true. */
export type Condition =
  | Joined
  | { readonly kind: 'not'; readonly term: Condition }
  | {
      readonly kind: 'compare';
      readonly operator: Comparison;
      readonly left: Operand;
      readonly right: Operand;
    }
  | Operand;

export const TRUE: Condition = { kind: 'value', typed: { type: 'Boolean', value: true } };

export const isTrue = (condition: Condition): boolean =>
  condition.kind === 'value' && condition.typed.value === true;

/** `constant < property` says of the property what `property > constant` says. */
export const MIRRORED: Readonly<Record<Comparison, Comparison>> = {
  eq: 'eq',
  ne: 'ne',
  gt: 'lt',
  ge: 'le',
  lt: 'gt',
  le: 'ge',
};

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

/** How many comparisons it holds: the service documents a bound. */
export function comparisonCount(condition: Condition): number {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return condition.terms.reduce((count, term) => count + comparisonCount(term), 0);
    case 'not':
      return comparisonCount(condition.term);
    default:
      return 1;
  }
}
