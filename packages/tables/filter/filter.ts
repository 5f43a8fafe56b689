// The $filter expression as a value: a chain of one connective is one list, and a comparison names its property first. The wire parses it from
// text, compile-filter.ts evaluates it.
import type { EdmValue } from '../entity/edm.js';

export type ComparisonOperator = 'eq' | 'ne' | 'gt' | 'ge' | 'lt' | 'le';

/** A comparison's operand: a property of the entity or a constant. */
export type Operand =
  | { readonly kind: 'property'; readonly name: string }
  | { readonly kind: 'constant'; readonly constant: EdmValue };

export interface Comparison {
  readonly kind: 'compare';
  readonly name: string;
  readonly operator: ComparisonOperator;
  readonly other: Operand;
}

/** A property or a constant that stands alone is true if it is Edm.Boolean and true (protocol: queries#comparing). */
export type Filter =
  | { readonly kind: 'and' | 'or'; readonly terms: readonly Filter[] }
  | { readonly kind: 'not'; readonly operand: Filter }
  | Comparison
  | Operand;
