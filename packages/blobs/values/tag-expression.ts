// Evaluates expressions over a blob's tags: conditions of requests, and find by tags (protocol: conditions#tags).
import type { TagExpression, Tags } from './tags.js';

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
