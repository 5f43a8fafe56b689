// Iterates over the lists of an entity for an audit: heads and chunks as rows, or blobs by name. A blob's name may not be convertible back to its values, so lists in blobs are
// identified, read and changed by name.

import type { CallOptions } from '../../concurrency/abort.js';
import { addressOfKey } from '../../model/address.js';
import { readAddress } from '../../model/row-head.js';
import type { Page, PageOptions } from '../../repo/read/results.js';
import type { AnyPatternError, RowAddress } from '../../values/pattern-error.js';
import type { Values } from '../../values/property.js';
import type { WireObject } from '../../values/read-wire.js';
import type { AuditedRows } from '../audit/audited-rows.js';
import { BlobLists } from './blob-list.js';
import { type EntityList, partsOfKey, tableOfList, textOfKey } from './entity-list.js';
import type { IdChanges } from './id-set.js';
import { storeOf } from './id-store.js';
import type { AnyList } from './list.js';
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

/** A list, a further part of one, or something else in the place of a list. */
export type WalkedItem =
  | { readonly kind: 'list'; readonly list: WalkedList }
  | { readonly kind: 'part' }
  | { readonly kind: 'unreadable'; readonly address: RowAddress; readonly fault: AnyPatternError };

export class WalkedLists {
  readonly #list: EntityList;
  readonly #rows: AuditedRows;
  /** Where its rows stand. */
  readonly #table: string;
  /** Where the entity's rows stand. */
  readonly #ownerTable: string;

  /** `table` is that of the entity's rows. */
  constructor(list: EntityList, table: string, rows: AuditedRows) {
    this.#list = list;
    this.#ownerTable = table;
    this.#table = tableOfList(list, table);
    this.#rows = rows;
  }

  /** The list of this key. */
  listOf(key: Values): WalkedList {
    const { home } = this.#list;
    const text = textOfKey(this.#list, key);
    if (home.kind === 'blobs') return this.#blob(text, key);
    const store = storeOf(this.#rows.service, this.#list, { table: this.#ownerTable });
    return {
      address: addressOfKey(home.list.rows, this.#table, { ...key, listRow: HEAD } as never),
      key,
      text,
      ids: options => store.ids(key, options),
      change: (changes, options) => store.change(key, changes, options),
    };
  }

  async *pages(options: PageOptions): AsyncGenerator<Page<WalkedItem>, void, undefined> {
    const { home } = this.#list;
    if (home.kind === 'blobs') {
      const blobs = new BlobLists(this.#rows.service, home.list);
      for await (const { items, next } of blobs.names(options))
        yield { items: items.map(name => ({ kind: 'list', list: this.#blob(name, undefined) })), next };
      return;
    }
    for await (const { items, next } of this.#rows.all(home.list.rows, this.#table).pages(options))
      yield { items: items.map(row => this.#ofRow(home.list, row)), next };
  }

  #blob(name: string, key: Values | undefined): WalkedList {
    const { home } = this.#list;
    if (home.kind !== 'blobs') throw new Error('The list stands in rows.');
    const blobs = new BlobLists(this.#rows.service, home.list);
    return {
      address: blobs.addressOf(name),
      key: key ?? blobs.keyOf(name),
      text: name,
      ids: options => blobs.idsIn(name, options),
      change: (changes, options) => blobs.changeIn(name, changes, options),
    };
  }

  #ofRow({ rows }: AnyList, row: WireObject): WalkedItem {
    const read = this.#rows.decoded(rows, this.#table, row);
    if ('fault' in read)
      return { kind: 'unreadable', address: readAddress(row, this.#table), fault: read.fault };
    const values = read.row.value as Values;
    if (values.listRow !== HEAD) return { kind: 'part' };
    const key = Object.fromEntries(partsOfKey(this.#list).map(name => [name, values[name]]));
    return { kind: 'list', list: this.listOf(key) };
  }
}
