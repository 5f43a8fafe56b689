// Delete Entity (protocol: entities#delete).
import type { DeleteEntity } from '../operation.js';
import { type EntityDecision, requireRow } from './entity-decision.js';

export function deleteEntity(operation: DeleteEntity): EntityDecision {
  return row => {
    requireRow(row, operation.condition);
    return undefined;
  };
}
