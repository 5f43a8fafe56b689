// Merge Entity and Insert Or Merge Entity: properties of the request are set, the others stay (protocol: entities#merge).
import { encodeEntity } from '../entity/entity-encoder.js';
import type { InsertOrMergeEntity, MergeEntity } from '../operation.js';
import { type EntityDecision, requireRow } from './entity-decision.js';
import { inOrdinalOrder, mergeStored } from './merge-stored.js';

export function mergeEntity(operation: MergeEntity): EntityDecision {
  return row => mergeStored(operation.key, requireRow(row, operation.condition).value, operation.properties);
}

export function insertOrMergeEntity(operation: InsertOrMergeEntity): EntityDecision {
  return row =>
    row
      ? mergeStored(operation.key, row.value, operation.properties)
      : encodeEntity(inOrdinalOrder(operation.properties));
}
