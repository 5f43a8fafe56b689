// Checks names of tables, and entities that share one: no row of one can have the keys of another, and their rows are distinguishable. entity.ts checks each entity, and index-plan.ts its indexes.

import { refuseDefinition } from '../values/pattern-error.js';
import type { AnyEntity } from './definition.js';
import { areDisjoint } from './keys/compiled-key.js';

const TABLE_NAME = /^[A-Za-z][A-Za-z0-9]{2,62}$/;

/** Throws DefinitionInvalid. */
export function checkTableName(subject: string, table: string): void {
  if (!TABLE_NAME.test(table) || table.toLowerCase() === 'tables')
    refuseDefinition(subject, `${table} is not a name that a table may have`);
}

function checkPair(a: AnyEntity, b: AnyEntity): void {
  const refuse = (reason: string): never => {
    refuseDefinition(`${a.name} and ${b.name} in ${a.table}`, reason);
  };
  if (a.table.toLowerCase() !== b.table.toLowerCase()) return;
  if (a.name === b.name) refuse('two entities of a table have one name');
  if (a.tag !== b.tag) refuse('entities of one table say what they are by the same property');
  if (!areDisjoint(a.plan.partition, b.plan.partition) && !areDisjoint(a.plan.row, b.plan.row))
    refuse('both may have the same keys; begin one of the keys with a literal of its own');
}

/** The entity, and its index rows as entities of their own. */
const withIndexes = (entity: AnyEntity): readonly AnyEntity[] => [
  entity,
  ...[...entity.plan.indexes, ...entity.plan.remoteIndexes].map(index => index.entity),
];

/** Throws DefinitionInvalid if entities of one table could get into each other's way. Those of different tables never do. */
export function checkTable(entities: readonly AnyEntity[]): void {
  for (const [at, a] of entities.entries())
    for (const b of entities.slice(at + 1))
      if (a !== b)
        for (const one of withIndexes(a)) for (const other of withIndexes(b)) checkPair(one, other);
}
