// The rows of an index, read as those of an entity.

import type { AnyEntity, IndexPlan } from '../../model/definition.js';
import { refuseBuilding, tableOfIndex } from '../../model/index-row.js';
import { EntityReads } from '../../repo/read/reads.js';
import type { QuerySettings } from '../../repo/read/table-query.js';

/** Throws DefinitionInvalid for an index that is being built, and for one with a table of its own of rows in another table than its entity's. */
export function hitsOf(
  { entity, table }: Pick<EntityReads<AnyEntity>, 'entity' | 'table'>,
  index: IndexPlan,
  settings: QuerySettings,
): EntityReads<AnyEntity> {
  refuseBuilding(entity, index);
  return new EntityReads(index.entity, { ...settings, table: tableOfIndex(entity, index, table) });
}
