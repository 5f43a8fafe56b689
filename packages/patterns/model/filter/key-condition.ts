// Ranges of keys as conditions.
import type { KeyRange } from '../keys/key-range.js';
import { allOf, type Condition, compare } from './condition.js';

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
