// What the writes of one entity share: the shape of their decision and the conditions of If-Match (protocol: entities#conditions).
import type { Row } from '#store';
import type { Condition } from '../operation.js';
import { TableError } from '../table-error.js';

/** Pure: from the row as it is, to the value it gets, or to undefined where it goes away. Throws a TableError to refuse. */
export type EntityDecision = (row: Row | undefined) => Buffer | undefined;

/** The row that a condition asks for. A missing entity is 404 whatever the condition, never 412. */
export function requireRow(row: Row | undefined, condition: Condition): Row {
  if (!row) throw new TableError('ResourceNotFound');
  if (condition.kind === 'version' && condition.version !== row.version)
    throw new TableError('UpdateConditionNotSatisfied');
  return row;
}
