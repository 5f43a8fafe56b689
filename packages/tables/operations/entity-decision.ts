// The decision of a single-entity write: its type, and the conditions of If-Match (protocol: entities#conditions).
import type { Row } from '#store';
import type { Condition } from '../operation.js';
import { TableError } from '../table-error.js';

/** Pure: maps the current row to its new value, or to undefined for a delete. Throws a TableError to refuse. */
export type EntityDecision = (row: Row | undefined) => Buffer | undefined;

/** The row, if the condition holds. A missing entity is 404 under every condition, never 412. */
export function requireRow(row: Row | undefined, condition: Condition): Row {
  if (!row) throw new TableError('ResourceNotFound');
  if (condition.kind === 'version' && condition.version !== row.version)
    throw new TableError('UpdateConditionNotSatisfied');
  return row;
}
