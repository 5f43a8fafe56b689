// The residual condition once the keys of a row are known, so that a filter over several rows can be sent to each of them by its key.
import type { Point } from './classify.js';
import { allOf, anyOf, type Condition, isTrue, type Operand, TRUE } from './condition.js';
import { evaluate } from './evaluate.js';

const FALSE: Condition = { kind: 'value', typed: { type: 'Boolean', value: false } };

const isFalse = (condition: Condition): boolean =>
  condition.kind === 'value' && condition.typed.value === false;

const isKnown = (operand: Operand): boolean =>
  operand.kind === 'value' || operand.name === 'PartitionKey' || operand.name === 'RowKey';

/** The condition without its comparisons of keys; a constant if there were no others. */
export function givenKeys(condition: Condition, point: Point): Condition {
  switch (condition.kind) {
    case 'and': {
      const terms = condition.terms.map(term => givenKeys(term, point));
      return terms.some(isFalse) ? FALSE : allOf(terms);
    }
    case 'or': {
      const terms = condition.terms.map(term => givenKeys(term, point)).filter(term => !isFalse(term));
      const [first, ...others] = terms;
      if (first === undefined) return FALSE;
      return terms.some(isTrue) ? TRUE : anyOf([first, ...others]);
    }
    case 'not': {
      const term = givenKeys(condition.term, point);
      if (isTrue(term)) return FALSE;
      return isFalse(term) ? TRUE : { kind: 'not', term };
    }
    case 'compare':
      return isKnown(condition.left) && isKnown(condition.right) ? decided(condition, point) : condition;
    default:
      return isKnown(condition) ? decided(condition, point) : condition;
  }
}

function decided(condition: Condition, { partitionKey, rowKey }: Point): Condition {
  const keys = new Map([
    ['PartitionKey', partitionKey],
    ['RowKey', rowKey],
  ]);
  const isMet = evaluate(condition, name => {
    const value = keys.get(name);
    return value === undefined ? undefined : { type: 'String', value };
  });
  return isMet ? TRUE : FALSE;
}
