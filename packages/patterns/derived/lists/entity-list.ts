// A list derived from an entity: its key is made of the entity's values, its ids are the keys of the entity's rows. Maps a value to its list and its id, and reads and changes a list where it is
// stored: in rows or in a blob. list-of.ts makes definitions; list-derivation.ts keeps such lists as rows are written.
import type { CallOptions } from '../../concurrency/abort.js';
import { isSameRow } from '../../model/address.js';
import type { AnyEntity, Of } from '../../model/definition.js';
import type { Service } from '../../repo/write/service.js';
import type { RowAddress } from '../../values/pattern-error.js';
import type { Values } from '../../values/property.js';
import { type BlobList, BlobLists } from './blob-list.js';
import { ContentionCount, type ListContention } from './contention.js';
import type { IdChanges } from './id-set.js';
import type { AnyList } from './list.js';
import { ListRepo } from './list-repo.js';
import { HEAD } from './list-rows.js';

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

/** The table of lists in rows, of an entity whose rows are in `table`. */
export const tableOfList = (
  { where, owner }: Pick<EntityList, 'where' | 'owner'>,
  list: AnyList,
  table: string,
): string => (where === 'same-partition' || list.table === owner.table ? table : list.table);

/** Where the list of a key begins, without its table or container: one place for keys of the same list. */
type Place = Pick<RowAddress, 'partitionKey' | 'rowKey'>;

/** Throws KeyInvalid. */
function placeOf({ home }: EntityList, key: Values): Place {
  if (home.kind === 'blobs') return { partitionKey: '', rowKey: home.list.key.encode(key) };
  const { partition, row } = home.list.rows.plan;
  return { partitionKey: partition.encode(key), rowKey: row.encode({ ...key, listRow: HEAD }) };
}

/** Whether two keys are of one list. Throws KeyInvalid. */
export const isSameList = (list: EntityList, a: Values, b: Values): boolean =>
  isSameRow(placeOf(list, a), placeOf(list, b));

/** Whether the value is in the list that begins there. Throws KeyInvalid. */
export function isIn(list: EntityList, place: Place, value: unknown): boolean {
  const own = list.keyOf(value as Of<AnyEntity>);
  return own !== undefined && isSameRow(placeOf(list, own), place);
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

/** One list, where it is stored. */
export interface StoredList {
  readonly address: RowAddress;
  /** Undefined if the blob's name cannot be converted back to a key. */
  readonly key: Values | undefined;
  ids(options?: CallOptions): Promise<readonly string[]>;
  change(changes: IdChanges, options?: CallOptions): Promise<void>;
}

/** The list of a blob's name. */
export const listInBlob = (blobs: BlobLists, name: string, key = blobs.keyOf(name)): StoredList => ({
  address: blobs.addressOf(name),
  key,
  ids: options => blobs.ids(name, options),
  change: (changes, options) => blobs.change(name, changes, options),
});

/** How often writers of an entity's lists conflict. */
const COUNTS = new WeakMap<EntityList, ContentionCount>();

export function countsOf(list: EntityList): ContentionCount {
  const counts = COUNTS.get(list) ?? new ContentionCount(list.warn);
  COUNTS.set(list, counts);
  return counts;
}

/** Gives the list of a key. `table` is that of the entity's rows. Throws DefinitionInvalid without a client of blobs for lists in blobs. */
export function storedLists(service: Service, list: EntityList, table: string): (key: Values) => StoredList {
  const { home } = list;
  const counts = countsOf(list);
  if (home.kind === 'blobs') {
    const blobs = new BlobLists(service, home.list, counts);
    return key => listInBlob(blobs, placeOf(list, key).rowKey, key);
  }
  const repo = new ListRepo(service, home.list, { table: tableOfList(list, home.list, table), counts });
  return key => ({
    address: repo.addressOf(key as never),
    key,
    ids: options => repo.ids(key as never, options),
    change: (changes, options) => repo.change(key as never, changes, options),
  });
}
