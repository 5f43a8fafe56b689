// The definition of a wide entity: one that may have more properties than a row, or be larger than one, and is stored in several rows of a partition. wide-rows.ts documents their layout.

import type { AnyEntity, Entity } from '../../model/definition.js';
import type { EntitySpec } from '../../model/entity.js';
import { defined } from '../../model/entity.js';
import type { NoIndexes } from '../../model/index-plan.js';
import type { KeyOn } from '../../model/keys/key.js';
import { refuseDefinition } from '../../values/pattern-error.js';
import type { Props } from '../../values/property.js';
import { PIECE_ID, PIECE_IDS } from './wide-rows.js';

/** What a definition of a wide entity says: all that an entity's does but indexes, whose rows hold copies of one row. */
type WideSpec<P extends Props, PK extends KeyOn<P>, RK extends KeyOn<P>> = Omit<
  EntitySpec<P, PK, RK>,
  'indexes'
>;

/** Behind a symbol, so that no repository of rows takes it for an entity of one row. */
export const LOGICAL: unique symbol = Symbol('the wide entity as one');

/** The schema of an entity that stands in several rows. */
export interface WideEntity<E extends AnyEntity = AnyEntity> {
  readonly name: E['name'];
  readonly version: number;
  readonly table: string;
  /** What works but will not work well. */
  readonly warnings: readonly string[];
  readonly [LOGICAL]: E;
}

/** The row keys of further rows are that of the first with a space and a number behind it, which no key of the entity may be. */
function checkKeys(name: string, { row, plan }: AnyEntity): void {
  const subject = `${name}.row`;
  if (row.separator === ' ') refuseDefinition(subject, 'a space stands before the number of a further row');
  for (const part of row.parts)
    if (typeof part === 'string' ? part.includes(' ') : part.codec?.text === 'exact')
      refuseDefinition(
        subject,
        'a space stands before the number of a further row, and no part may hold one',
      );
  const taken = [PIECE_ID, PIECE_IDS].find(each => plan.byWire.has(each));
  if (taken !== undefined)
    refuseDefinition(name, `${taken} is a name that wide entities keep for themselves`);
  if (plan.rebucketing !== undefined)
    refuseDefinition(name, 'the number of buckets of a wide entity is not changed');
  const sealed = plan.fields.find(({ property }) => property.pieces?.onlyHere !== undefined);
  if (sealed !== undefined)
    refuseDefinition(
      name,
      `${sealed.name} is encrypted() or contentKey(), and encryption() takes entities of one row only`,
    );
}

const refuseAsRow = (name: string): never =>
  refuseDefinition(name, 'it stands in several rows, which wideRepo() alone reads and writes as one');

/** Defines a wide entity. Throws DefinitionInvalid for what could not work. */
export function wide<const N extends string, P extends Props, PK extends KeyOn<P>, RK extends KeyOn<P>>(
  name: N,
  spec: WideSpec<P, PK, RK>,
): WideEntity<Entity<N, P, PK, RK, NoIndexes>> {
  const made = defined(name, spec as EntitySpec<P, PK, RK>, true) as unknown as Entity<
    N,
    P,
    PK,
    RK,
    NoIndexes
  >;
  if (made.tag === undefined)
    refuseDefinition(name, 'the rows of a wide entity have a tag, by which they are told from others');
  checkKeys(name, made as unknown as AnyEntity);
  const { version, table, warnings } = made;
  const entity = { name, version, table, warnings, [LOGICAL]: made };
  // Types refuse it where entities of one row are taken; this does so in programs without types.
  Object.defineProperty(entity, 'plan', { get: () => refuseAsRow(name) });
  return Object.freeze(entity);
}
