// What is kept equal to the rows of an entity in addition to its indexes: lists of them, and copies in other rows. It is defined next to the entity and noted here, in the entity's plan, so that every write of such
// a row finds it, whichever API it uses. repo/write/row-derivation.ts documents what a derivation does.
import { refuseDefinition } from '../values/pattern-error.js';
import type { AnyEntity, Derivation } from './definition.js';

/** A change of one would have to bring changes of the other along, without end. */
function refuseChain(name: string, writer: Derivation, reader: Derivation): void {
  const chained = writer.writes.find(each => reader.reads.includes(each));
  if (chained !== undefined)
    refuseDefinition(
      reader.name,
      `${chained} of ${name} is a copy that ${writer.name} writes in the transaction of its source, and nothing else follows from it`,
    );
}

/** Notes that the rows of this entity have a derivation. Throws DefinitionInvalid. */
export function addDerivation({ name, plan }: AnyEntity, derivation: Derivation): void {
  if (plan.isChanging) refuseDefinition(derivation.name, `the number of buckets of ${name} is being changed`);
  for (const other of plan.derivations) {
    refuseChain(name, other, derivation);
    refuseChain(name, derivation, other);
  }
  plan.derivations.push(derivation);
}

/** Whether writes of these rows also write others. */
export const hasDerivedRows = ({ plan }: AnyEntity): boolean =>
  plan.indexes.length > 0 || plan.remoteIndexes.length > 0 || plan.derivations.length > 0;
