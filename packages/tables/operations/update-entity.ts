// Update Entity and Insert Or Replace Entity: the new properties replace all the old ones (protocol: entities#update).
import { encodeEntity } from '../entity/entity-encoder.js';
import type { InsertOrReplaceEntity, UpdateEntity } from '../operation.js';
import { type EntityDecision, requireRow } from './entity-decision.js';
import { inOrdinalOrder } from './merge-stored.js';

export function insertOrReplaceEntity(operation: InsertOrReplaceEntity): EntityDecision {
  const value = encodeEntity(inOrdinalOrder(operation.properties));
  return () => value;
}

export function updateEntity(operation: UpdateEntity): EntityDecision {
  const value = encodeEntity(inOrdinalOrder(operation.properties));
  return row => {
    requireRow(row, operation.condition);
    return value;
  };
}
