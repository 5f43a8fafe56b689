// Merge Entity and Insert Or Merge Entity: properties of the request are set, the others stay (table-rest.md 8.9).

import type { Property } from '../edm.js';
import { decodeEntity } from '../entity-codec.js';
import { encodeEntity } from '../entity-encoder.js';
import { checkEntity } from '../limits.js';
import type { EntityKey, InsertOrMergeEntity, MergeEntity } from '../operation.js';
import { type EntityDecision, requireRow } from './entity-decision.js';

/** After any write but an insert, properties come back in the ordinal order of their names (table-rest.md 8.8). */
export const inOrdinalOrder = (properties: readonly Property[]): readonly Property[] =>
  properties.toSorted((a, b) => (a.name < b.name ? -1 : 1));

/** The merged entity must keep the limits too. */
function merged(key: EntityKey, stored: Buffer, changes: readonly Property[]): Buffer {
  const properties = new Map(decodeEntity(stored).map(property => [property.name, property]));
  for (const change of changes) properties.set(change.name, change);
  const all = inOrdinalOrder([...properties.values()]);
  checkEntity(key, all);
  return encodeEntity(all);
}

export function mergeEntity(operation: MergeEntity): EntityDecision {
  return row => merged(operation.key, requireRow(row, operation.condition).value, operation.properties);
}

export function insertOrMergeEntity(operation: InsertOrMergeEntity): EntityDecision {
  return row =>
    row
      ? merged(operation.key, row.value, operation.properties)
      : encodeEntity(inOrdinalOrder(operation.properties));
}
