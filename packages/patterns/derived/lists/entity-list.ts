// A list derived from an entity: its key is made of the entity's values, its ids are the keys of the entity's rows. Pure: maps a value to its list and its id. list-of.ts
// makes definitions; list-derivation.ts keeps such lists as rows are written.
import type { AnyEntity, Of } from '../../model/definition.js';
import type { RowAddress } from '../../values/pattern-error.js';
import type { Values } from '../../values/property.js';
import type { BlobList } from './blob-list.js';
import type { ListContention } from './contention.js';
import type { AnyList } from './list.js';

/** A list of an entity's rows that share a value. `K` is the type of a list's name. */
export interface EntityList<E extends AnyEntity = AnyEntity, K = Values> {
  readonly name: string;
  readonly owner: E;
  readonly where: 'same-partition' | 'remote' | 'blob';
  readonly home:
    | { readonly kind: 'rows'; readonly list: AnyList }
    | { readonly kind: 'blobs'; readonly list: BlobList };
  /** The list that a value is in; undefined if it lacks a part of the list's key. */
  keyOf(value: Of<E>): K | undefined;
  readonly warnings: readonly string[];
  /** Called once for a list when at least one in twenty of its writes conflicts with another writer. */
  readonly warn: ((found: ListContention) => void) | undefined;
}

/** The properties that name a list. */
export const partsOfKey = ({ home }: Pick<EntityList, 'home'>): readonly string[] =>
  home.kind === 'blobs'
    ? home.list.key.names
    : [...home.list.rows.plan.partition.names, ...home.list.rows.plan.row.names].filter(
        each => each !== 'listRow',
      );

/** The table of the lists of an entity whose rows are in `table`; for lists in blobs, the entity's table. */
export function tableOfList({ home, where, owner }: EntityList, table: string): string {
  const isBeside = home.kind === 'blobs' || where === 'same-partition' || home.list.table === owner.table;
  return isBeside ? table : home.list.table;
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

/** The row of an id in a list with this key; undefined for an id in another form. */
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
