// Indexes in the partition of their entity's rows: their rows are written in one transaction with the row, so that they are never behind.

import type { AnyEntity, IndexPlan, NearKind } from '../../model/definition.js';
import { compileIndexes } from '../../model/index-plan.js';
import { refuseBuilding, tableOfIndex } from '../../model/index-row.js';
import { beginsWithLiteral } from '../../model/keys/key.js';
import { EntityReads, type ReadsIndex } from '../../repo/read/reads.js';
import type { QuerySettings } from '../../repo/read/table-query.js';
import type { RowDerivation } from '../../repo/write/derivation.js';
import { refuseDefinition, refuseValue } from '../../values/pattern-error.js';
import { indexWrites } from './index-write.js';

/** Literals distinguish the rows of an index from all others in their partition. */
const checkLiterals: NearKind['checkLiterals'] = ({ name, row: ofOwner }, index, { row }) => {
  if (!beginsWithLiteral(ofOwner))
    refuseDefinition(
      `${name}.row`,
      'the row key of an entity with indexes begins with a literal, so that queries of its rows leave out those of indexes',
    );
  if (!beginsWithLiteral(row))
    refuseDefinition(
      `${name}.${index}.row`,
      'the key of an index begins with a literal, by which its rows are told apart',
    );
};

/** The rows of an index, read as those of an entity. Throws DefinitionInvalid for an index that is being built, and for one with a table of its own of rows in another table than its entity's. */
export function hitsOf(
  { entity, table }: Pick<EntityReads<AnyEntity>, 'entity' | 'table'>,
  index: IndexPlan,
  settings: QuerySettings,
): EntityReads<AnyEntity> {
  refuseBuilding(entity, index);
  return new EntityReads(index.entity, { ...settings, table: tableOfIndex(entity, index, table) });
}

/** The kind of an index whose rows stand in the partition of the entity's row, and are written in one transaction with it: `{ kind: near, row }`. */
export const near: NearKind = /* @__PURE__ */ Object.freeze({
  kind: 'same-partition',
  name: 'indexes',
  reads: [],
  writes: [],
  compile: compileIndexes,
  checkLiterals,
  follow: ({ entity, address, before, after }) => ({
    indexWrites: indexWrites(entity, address, before, after),
  }),
  readIndex: (owner, index, settings, reading) => {
    if (reading !== undefined) refuseValue('reading', 'not given', 'rows of the index are never behind');
    return hitsOf(owner, index, settings);
  },
} satisfies NearKind & RowDerivation & ReadsIndex);
