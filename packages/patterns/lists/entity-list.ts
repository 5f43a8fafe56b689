// A list that is derived of an entity: its key is made of the entity's values, its ids are the keys of the entity's rows. Pure: what the definition says of a value and of an id. listed-repo.ts
// writes such lists with the entity, list-flow.ts after it.
import { CompiledKey } from '../keys/compiled-key.js';
import { type Key, type KeyParts, keyOf, namesIn, type PartNames, partsOf } from '../keys/key.js';
import { checkTable } from '../model/check-table.js';
import type { AnyEntity, Of } from '../model/entity.js';
import type { IndexKeyNames, IndexKeyOn } from '../model/index-plan.js';
import { type RowAddress, refuseDefinition } from '../values/pattern-error.js';
import { required, type ValueOf } from '../values/property.js';
import { type BlobList, blobList } from './blob-list.js';
import { type AnyList, list, ROWS_ADVICE } from './list.js';
import type { Values } from './list-rows.js';

type KeyFor<E extends AnyEntity, K> = K | ((parts: KeyParts<E['props'], IndexKeyNames<E['props']>>) => K);

/** In the partition of the entity, written in one transaction with it: the guide's second option. */
export interface SamePartition<E extends AnyEntity, RK> {
  readonly where: 'same-partition';
  /** `p => key('last', p.lastName)`. It begins with a literal of its own. */
  readonly row: KeyFor<E, RK>;
}

/** In other partitions or in another table, kept by a flow: the guide's third option. */
export interface Elsewhere<E extends AnyEntity, PK, RK> {
  readonly where: 'elsewhere';
  /** That of the entity by default. */
  readonly table?: string;
  readonly partition: KeyFor<E, PK>;
  readonly row: KeyFor<E, RK>;
}

/** In blobs, one a list, kept by a flow: the guide's first option. */
export interface InBlobs<E extends AnyEntity, BK> {
  readonly where: 'blob';
  readonly container: string;
  /** `p => key('last', p.lastName)`: the name of a list's blob. */
  readonly blob: KeyFor<E, BK>;
}

type KeyValues<E extends AnyEntity, N> = {
  readonly [K in N & keyof E['props']]: ValueOf<E['props'][K]>;
};

/** A list of the rows of an entity that have a value in common. `K` is what names one list. */
export interface EntityList<E extends AnyEntity = AnyEntity, K = Values> {
  readonly name: string;
  readonly owner: E;
  readonly where: 'same-partition' | 'elsewhere' | 'blob';
  readonly home:
    | { readonly kind: 'rows'; readonly list: AnyList }
    | { readonly kind: 'blobs'; readonly list: BlobList };
  /** The list that a value is in; undefined if it lacks a part of the list's key. */
  keyOf(value: Of<E>): K | undefined;
  readonly warnings: readonly string[];
}

function homeOf(owner: AnyEntity, name: string, spec: Spec): EntityList['home'] {
  const parts = partsOf(owner.props) as never;
  const made = (part: string, definition: unknown): Key => keyOf(`${name}.${part}`, definition as Key, parts);
  // In a list's key they are there: a value without one is in no list.
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
  const { table = owner.table } = spec.where === 'elsewhere' ? spec : {};
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
  | Elsewhere<AnyEntity, unknown, unknown>
  | InBlobs<AnyEntity, unknown>;

/** Defines a list of an entity's rows. Throws DefinitionInvalid for what could not work. */
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
  spec: Elsewhere<E, PK, RK>,
): EntityList<E, KeyValues<E, PartNames<PK['parts']> | PartNames<RK['parts']>>>;
export function listOf<E extends AnyEntity, BK extends IndexKeyOn<E['props']>>(
  owner: E,
  name: string,
  spec: InBlobs<E, BK>,
): EntityList<E, KeyValues<E, PartNames<BK['parts']>>>;
export function listOf(owner: AnyEntity, name: string, spec: unknown): EntityList<AnyEntity, unknown> {
  const { where } = spec as Spec;
  if (owner.plan.isChanging)
    refuseDefinition(name, `the number of buckets of ${owner.name} is being changed`);
  const home = homeOf(owner, name, spec as Spec);
  const { list: inner } = home;
  const names =
    home.kind === 'rows' ? [...namesIn(home.list.partition), ...namesIn(home.list.row)] : home.list.key.names;
  const keyOfValue = (value: Values): Values | undefined =>
    names.some(each => value[each] === undefined || value[each] === null)
      ? undefined
      : Object.fromEntries(names.map(each => [each, value[each]]));
  return Object.freeze({ name: inner.name, owner, where, home, keyOf: keyOfValue, warnings: [ROWS_ADVICE] });
}

/** A list's key as one text, equal for keys of the same list. Throws KeyInvalid. */
export function textOfKey({ home }: EntityList, key: Values): string {
  if (home.kind === 'blobs') return home.list.key.encode(key);
  const { partition, row } = home.list.rows.plan;
  return `${partition.encode(key)}\n${row.encode({ ...key, listRow: 0 })}`;
}

/** No key holds it: keys have no control characters. */
const BETWEEN = '\u0000';

/** The id of a row: its row key, in its own partition, and both keys elsewhere. */
export const idOf = (
  { where }: Pick<EntityList, 'where'>,
  { partitionKey, rowKey }: Omit<RowAddress, 'table'>,
): string => (where === 'same-partition' ? rowKey : partitionKey + BETWEEN + rowKey);

/** The row of an id in a list with this key; undefined for an id of others. */
export function addressOfId(
  { where, owner }: EntityList,
  table: string,
  key: Values,
  id: string,
): RowAddress | undefined {
  if (where === 'same-partition')
    return { table, partitionKey: owner.plan.partition.encode(key), rowKey: id };
  const at = id.indexOf(BETWEEN);
  return at < 0 ? undefined : { table, partitionKey: id.slice(0, at), rowKey: id.slice(at + 1) };
}
