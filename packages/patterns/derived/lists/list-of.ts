// Defines a list of an entity: where it is stored, and which of the entity's values name it. From then on each write of the entity's rows updates it.

import { checkTable } from '../../model/check-table.js';
import type { AnyEntity } from '../../model/definition.js';
import type { IndexKeyNames, IndexKeyOn } from '../../model/index-plan.js';
import { CompiledKey } from '../../model/keys/compiled-key.js';
import { type Key, type KeyParts, keyOf, type PartNames, partsOf } from '../../model/keys/key.js';
import { refuseDefinition } from '../../values/pattern-error.js';
import type { Values } from '../../values/property.js';
import { required, type ValueOf } from '../../values/property.js';
import { blobList } from './blob-list.js';
import type { ListContention } from './contention.js';
import { type EntityList, partsOfKey } from './entity-list.js';
import { list, ROWS_ADVICE } from './list.js';
import { deriveList } from './list-derivation.js';

type KeyFor<E extends AnyEntity, K> = K | ((parts: KeyParts<E['props'], IndexKeyNames<E['props']>>) => K);

interface Watched {
  /** Called once for a list when at least one in twenty of its writes conflicts with another writer. */
  readonly warn?: (found: ListContention) => void;
}

/** In the entity's partition, written in one transaction with it: the guide's second option. */
interface SamePartition<E extends AnyEntity, RK> extends Watched {
  readonly where: 'same-partition';
  /** `p => key('last', p.lastName)`. It begins with a literal of its own. */
  readonly row: KeyFor<E, RK>;
}

/** In other partitions or in another table, kept by a flow: the guide's third option. */
export interface Remote<E extends AnyEntity, PK, RK> extends Watched {
  readonly where: 'remote';
  /** That of the entity by default. */
  readonly table?: string;
  readonly partition: KeyFor<E, PK>;
  readonly row: KeyFor<E, RK>;
}

/** In blobs, one a list, kept by a flow: the guide's first option. */
interface InBlobs<E extends AnyEntity, BK> extends Watched {
  readonly where: 'blob';
  readonly container: string;
  /** `p => key('last', p.lastName)`: the name of a list's blob. */
  readonly blob: KeyFor<E, BK>;
}

type KeyValues<E extends AnyEntity, N> = {
  readonly [K in N & keyof E['props']]: ValueOf<E['props'][K]>;
};

function homeOf(owner: AnyEntity, name: string, spec: Spec): EntityList['home'] {
  const parts = partsOf(owner.props) as never;
  const made = (part: string, definition: unknown): Key => keyOf(`${name}.${part}`, definition as Key, parts);
  // A list's key has all of them: a value without one is in no list.
  const props = Object.fromEntries(Object.entries(owner.props).map(([each, type]) => [each, required(type)]));
  if (spec.where === 'blob') {
    const list = blobList(
      name,
      new CompiledKey(`${name}.blob`, made('blob', spec.blob), props),
      spec.container,
    );
    return { kind: 'blobs', list };
  }
  const partition = spec.where === 'same-partition' ? owner.partition : made('partition', spec.partition);
  const { table = owner.table } = spec.where === 'remote' ? spec : {};
  const rows = list(name, {
    table,
    props,
    partition: partition as never,
    row: made('row', spec.row) as never,
    tag: owner.tag ?? false,
  });
  checkTable([owner, rows.rows]);
  return { kind: 'rows', list: rows };
}

type Spec =
  | SamePartition<AnyEntity, unknown>
  | Remote<AnyEntity, unknown, unknown>
  | InBlobs<AnyEntity, unknown>;

/** Defines a list of an entity's rows. Throws DefinitionInvalid for a definition that cannot work. */
export function listOf<E extends AnyEntity, RK extends IndexKeyOn<E['props']>>(
  owner: E,
  name: string,
  spec: SamePartition<E, RK>,
): EntityList<E, KeyValues<E, PartNames<E['partition']['parts']> | PartNames<RK['parts']>>>;
export function listOf<
  E extends AnyEntity,
  PK extends IndexKeyOn<E['props']>,
  RK extends IndexKeyOn<E['props']>,
>(
  owner: E,
  name: string,
  spec: Remote<E, PK, RK>,
): EntityList<E, KeyValues<E, PartNames<PK['parts']> | PartNames<RK['parts']>>>;
export function listOf<E extends AnyEntity, BK extends IndexKeyOn<E['props']>>(
  owner: E,
  name: string,
  spec: InBlobs<E, BK>,
): EntityList<E, KeyValues<E, PartNames<BK['parts']>>>;
export function listOf(owner: AnyEntity, name: string, spec: unknown): EntityList<AnyEntity, unknown> {
  const { where, warn } = spec as Spec;
  if (owner.plan.rebucketing !== undefined)
    refuseDefinition(name, `the number of buckets of ${owner.name} is being changed`);
  const home = homeOf(owner, name, spec as Spec);
  const { list: inner } = home;
  const names = partsOfKey({ home });
  const keyOfValue = (value: Values): Values | undefined =>
    names.some(each => value[each] === undefined || value[each] === null)
      ? undefined
      : Object.fromEntries(names.map(each => [each, value[each]]));
  const made: EntityList = Object.freeze({
    name: inner.name,
    owner,
    where,
    home,
    keyOf: keyOfValue,
    warnings: [ROWS_ADVICE],
    warn,
  });
  deriveList(made);
  return made as EntityList<AnyEntity, unknown>;
}
