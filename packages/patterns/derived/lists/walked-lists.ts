// Iterates over the lists of an entity for an audit: heads and chunks as rows, or blobs by name. A blob's name may not be convertible back to its values, so lists in blobs are
// identified, read and changed by name.

import type { CallOptions } from '../../concurrency/abort.js';
import { addressOfKey } from '../../model/address.js';
import type { AnyEntity } from '../../model/definition.js';
import { readAddress } from '../../model/row-head.js';
import type { Page, PageOptions } from '../../repo/read/results.js';
import type { RowAddress } from '../../values/pattern-error.js';
import type { Values } from '../../values/property.js';
import type { WireObject } from '../../values/read-wire.js';
import type { AuditedRows } from '../audit/audited-rows.js';
import type { Wrong } from '../audit/derived.js';
import { BlobLists } from './blob-list.js';
import { type EntityList, partsOfKey, tableOfList, textOfKey } from './entity-list.js';
import type { IdChanges } from './id-set.js';
import { storeOf } from './id-store.js';
import { HEAD } from './list-rows.js';

/** A list in rows or in a blob. */
export interface WalkedList {
  readonly address: RowAddress;
  /** Undefined if the blob's name cannot be converted back to a key. */
  readonly key: Values | undefined;
  /** Its key in the form of `textOfKey`. */
  readonly text: string;
  ids(options: CallOptions): Promise<readonly string[]>;
  change(changes: IdChanges, options: CallOptions): Promise<void>;
}

/** A row or a blob of an audit's page: the list that begins there, if one does, or why what is there cannot be read. */
export type WalkedItem = readonly (WalkedList | Wrong)[];

/** The lists of an entity. */
export interface WalkedLists {
  /** The list of this key. */
  listOf(key: Values): WalkedList;
  pages(options: PageOptions): AsyncGenerator<Page<WalkedItem>, void, undefined>;
}

/** Lists in blobs, one a blob. */
function listsInBlobs(blobs: BlobLists, list: EntityList): WalkedLists {
  const named = (name: string, key = blobs.keyOf(name)): WalkedList => ({
    address: blobs.addressOf(name),
    key,
    text: name,
    ids: options => blobs.idsIn(name, options),
    change: (changes, options) => blobs.changeIn(name, changes, options),
  });
  return {
    listOf: key => named(textOfKey(list, key), key),
    async *pages(options) {
      for await (const { items, next } of blobs.names(options))
        yield { items: items.map(name => [named(name)]), next };
    },
  };
}

/** Lists in rows; each begins with a head. `table` has the entity's rows. */
function listsInRows(rows: AuditedRows, list: EntityList, entity: AnyEntity, table: string): WalkedLists {
  const own = tableOfList(list, table);
  const store = storeOf(rows.service, list, { table });
  const listOf = (key: Values): WalkedList => ({
    address: addressOfKey(entity, own, { ...key, listRow: HEAD } as never),
    key,
    text: textOfKey(list, key),
    ids: options => store.ids(key, options),
    change: (changes, options) => store.change(key, changes, options),
  });
  const itemOf = (row: WireObject): WalkedItem => {
    const read = rows.decoded(entity, own, row);
    if ('fault' in read)
      return [{ fault: 'unreadable', address: readAddress(row, own), key: undefined, reason: read.fault }];
    const values = read.row.value as Values;
    if (values.listRow !== HEAD) return [];
    return [listOf(Object.fromEntries(partsOfKey(list).map(name => [name, values[name]])))];
  };
  return {
    listOf,
    async *pages(options) {
      for await (const { items, next } of rows.all(entity, own).pages(options))
        yield { items: items.map(itemOf), next };
    },
  };
}

/** `table` is that of the entity's rows. */
export const walkedLists = (rows: AuditedRows, list: EntityList, table: string): WalkedLists =>
  list.home.kind === 'blobs'
    ? listsInBlobs(new BlobLists(rows.service, list.home.list), list)
    : listsInRows(rows, list, list.home.list.rows, table);
