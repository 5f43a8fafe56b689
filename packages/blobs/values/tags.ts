// Tags of blobs, and expressions over them: those of find by tags and of conditions (protocol: conditions#tags).

/** In the order of their keys; at most ten. */
export type Tags = readonly (readonly [key: string, value: string])[];

/** `@container` is the name of the container. */
export type TagExpression =
  | {
      readonly kind: 'compare';
      readonly key: string;
      readonly operator: '=' | '>' | '>=' | '<' | '<=' | '<>';
      readonly value: string;
    }
  | { readonly kind: 'and'; readonly left: TagExpression; readonly right: TagExpression }
  | { readonly kind: 'or'; readonly left: TagExpression; readonly right: TagExpression };

const CONTAINER = '@container';

/** A tag that the blob does not have fulfils nothing but `<>`. Values compare ordinally. */
export function matchesTags(expression: TagExpression, tags: Tags, container: string): boolean {
  if (expression.kind === 'and')
    return matchesTags(expression.left, tags, container) && matchesTags(expression.right, tags, container);
  if (expression.kind === 'or')
    return matchesTags(expression.left, tags, container) || matchesTags(expression.right, tags, container);
  const { key, operator, value } = expression;
  const own = key === CONTAINER ? container : tags.find(([name]) => name === key)?.[1];
  if (own === undefined) return operator === '<>';
  switch (operator) {
    case '=':
      return own === value;
    case '<>':
      return own !== value;
    case '<':
      return own < value;
    case '<=':
      return own <= value;
    case '>':
      return own > value;
    case '>=':
      return own >= value;
  }
}

/** The keys that it names, for find by tags, which returns their values. */
export function keysOf(expression: TagExpression): readonly string[] {
  if (expression.kind === 'compare') return expression.key === CONTAINER ? [] : [expression.key];
  return [...keysOf(expression.left), ...keysOf(expression.right)];
}
