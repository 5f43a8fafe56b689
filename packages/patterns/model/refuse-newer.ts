// Guards rows of a newer version of an entity against replacement by this program.
import { PatternError } from '../values/pattern-error.js';
import type { AnyEntity } from './definition.js';
import type { Stored } from './stored.js';

/** Throws NewerVersion for a row that a newer program wrote: what that one knows, a replace would lose. */
export function refuseNewer(entity: AnyEntity, stored: Stored<unknown>): void {
  if (stored.version <= entity.version) return;
  const { table, partitionKey, rowKey, version } = stored;
  throw new PatternError('NewerVersion', {
    table,
    partitionKey,
    rowKey,
    known: entity.version,
    found: version,
  });
}
