// What is left of a condition where the keys of a row are known: for queries that are sent row by row.
import type { Point } from '../keys/key-range.js';
import { allOf, anyOf, type Comparison, type Condition, isTrue, type Operand, TRUE } from './condition.js';

const FALSE: Condition = { kind: 'value', typed: { type: 'Boolean', value: false } };

const isFalse = (condition: Condition): boolean =>
  condition.kind === 'value' && condition.typed.value === false;

/** By UTF-16 code units, as the service compares keys. */
const VERDICTS: Readonly<Record<Comparison, (a: string, b: string) => boolean>> = {
  eq: (a, b) => a === b,
  ne: (a, b) => a !== b,
  gt: (a, b) => a > b,
  ge: (a, b) => a >= b,
  lt: (a, b) => a < b,
  le: (a, b) => a <= b,
};

/** The text of a key or a literal; undefined if the keys do not determine it. */
function textOf(operand: Operand, { partitionKey, rowKey }: Point): string | undefined {
  if (operand.kind === 'value')
    return operand.typed.type === 'String' ? String(operand.typed.value) : undefined;
  if (operand.name === 'PartitionKey') return partitionKey;
  return operand.name === 'RowKey' ? rowKey : undefined;
}

/** The residual condition: without its comparisons of keys with texts, a constant if there were no others. */
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
    case 'compare': {
      const left = textOf(condition.left, point);
      const right = textOf(condition.right, point);
      if (left === undefined || right === undefined) return condition;
      return VERDICTS[condition.operator](left, right) ? TRUE : FALSE;
    }
    default:
      return condition;
  }
}
