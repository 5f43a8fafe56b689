// Insert Entity: a new row, its properties in the order of the request (protocol: entities#insert, entities#order-of-properties).
import { encodeEntity } from '../entity/entity-encoder.js';
import type { InsertEntity } from '../operation.js';
import { TableError } from '../table-error.js';
import type { EntityDecision } from './entity-decision.js';

export function insertEntity(operation: InsertEntity): EntityDecision {
  const value = encodeEntity(operation.properties);
  return row => {
    if (row) throw new TableError('EntityAlreadyExists');
    return value;
  };
}
