// What an audit compares of the lists of an entity: for each row whether its list has its id, then for each id of a list whether its row belongs there. Lists in blobs are identified by name: a blob's name may
// not be convertible back to its values.

import type { AnyEntity } from '../../model/definition.js';
import { readAddress } from '../../model/row-head.js';
import type { StoredOf } from '../../model/stored.js';
import type { Page, PageOptions } from '../../repo/read/results.js';
import type { Service } from '../../repo/write/service.js';
import type { Values } from '../../values/property.js';
import type { WireObject } from '../../values/read-wire.js';
import {
  AuditedRows,
  type AuditProgress,
  auditOf,
  conditionOf,
  type Derived,
  type Member,
  type Read,
  readOrFault,
  type Seen,
  type Wrong,
} from '../audit/audit.js';
import type { AuditOptions } from '../audit/walk.js';
import { BlobLists } from './blob-list.js';
import {
  addressOfId,
  countsOf,
  type EntityList,
  idOf,
  isIn,
  listInBlob,
  partsOfKey,
  type StoredList,
  storedLists,
  tableOfList,
} from './entity-list.js';
import { flowOf } from './list-derivation.js';
import { HEAD } from './list-rows.js';

type Ids = Read<ReadonlySet<string>>;

/** The ids of a list as the first looks at the rows of a page find them. */
interface SeenList {
  readonly ids: Promise<Ids>;
  isReported: boolean;
}

/** The list that begins in a row or is a blob, if one does, or why what is there cannot be read. */
type WalkedItem = StoredList | Wrong | undefined;

class ListIds implements Derived {
  readonly name: string;
  /** A list changes under its own ETag. */
  readonly isGuarded = false;
  readonly stock = {
    pages: (page: PageOptions) => this.#pages(page),
    membersOf: (item: WalkedItem) => this.#membersOf(item),
  };
  readonly #list: EntityList;
  readonly #listOf: (key: Values) => StoredList;
  readonly #table: string;
  readonly #rows: AuditedRows;

  constructor(list: EntityList, table: string, rows: AuditedRows) {
    this.name = list.name;
    this.#list = list;
    this.#listOf = storedLists(rows.service, list, table);
    this.#table = table;
    this.#rows = rows;
  }

  async wrongOf(row: StoredOf<AnyEntity>, seen: Seen | undefined): Promise<Wrong | undefined> {
    const key = this.#list.keyOf(row.value);
    if (key === undefined) return undefined;
    const list = this.#listOf(key);
    const place = JSON.stringify(list.address);
    const known = seen?.get(place) as SeenList | undefined;
    const looked: SeenList = known ?? { ids: this.#idsOf(list), isReported: false };
    seen?.set(place, looked);
    const ids = await looked.ids;
    const id = idOf(this.#list, row);
    if ('row' in ids) return ids.row.has(id) ? undefined : this.#wrong('missing', list, id);
    if (looked.isReported) return undefined;
    looked.isReported = true;
    return unreadable(list, ids.fault);
  }

  async *#pages(options: PageOptions): AsyncGenerator<Page<WalkedItem>, void, undefined> {
    const { home } = this.#list;
    if (home.kind === 'blobs') {
      const blobs = new BlobLists(this.#rows.service, home.list, countsOf(this.#list));
      for await (const { items, next } of blobs.names(options))
        yield { items: items.map(name => listInBlob(blobs, name)), next };
      return;
    }
    const table = tableOfList(this.#list, home.list, this.#table);
    for await (const { items, next } of this.#rows.all(home.list.rows, table).pages(options))
      yield { items: items.map(row => this.#listIn(row, home.list.rows, table)), next };
  }

  /** A list in rows begins with its head. */
  #listIn(row: WireObject, entity: AnyEntity, table: string): WalkedItem {
    const read = this.#rows.decoded(entity, table, row);
    if ('fault' in read) return unreadable({ address: readAddress(row, table), key: undefined }, read.fault);
    const values = read.row.value as Values;
    if (values.listRow !== HEAD) return undefined;
    return this.#listOf(Object.fromEntries(partsOfKey(this.#list).map(name => [name, values[name]])));
  }

  async #membersOf(list: WalkedItem): Promise<readonly (Member<AnyEntity> | Wrong)[]> {
    if (list === undefined || 'fault' in list) return list === undefined ? [] : [list];
    const { address, key } = list;
    const ids = await this.#idsOf(list);
    if ('fault' in ids) return [unreadable(list, ids.fault)];
    return [...ids.row].map(id => ({
      address,
      owner: () => addressOfId(this.#list, this.#table, key ?? {}, id),
      isOf: ({ value }) => isIn(this.#list, address, value),
      orphan: async () => {
        const now = await this.#idsOf(list);
        if ('fault' in now) return { ...unreadable(list, now.fault), id };
        return now.row.has(id) ? this.#wrong('orphan', list, id) : undefined;
      },
    }));
  }

  #wrong(fault: Wrong['fault'], list: StoredList, id: string): Wrong {
    const { address, key } = list;
    return { fault, address, key, id, repair: () => this.#settle(list, id) };
  }

  /** Until the row of the id was the same before and after the list was written. A row that cannot be read stays where it is. */
  async #settle(list: StoredList, id: string): Promise<void> {
    const owner = addressOfId(this.#list, this.#table, list.key ?? {}, id);
    const read = async () => owner && this.#rows.now(this.#list.owner, owner);
    for (let row = await read(); ; ) {
      if (row !== undefined && 'fault' in row) return;
      const isMember = row !== undefined && isIn(this.#list, list.address, row.row.value);
      await list.change(new Map([[id, isMember]]), { signal: this.#rows.options.signal });
      const again = await read();
      if (again !== undefined && 'row' in again && again.row.etag === row?.row.etag) return;
      if (again === undefined && row === undefined) return;
      row = again;
    }
  }

  #idsOf(list: StoredList): Promise<Ids> {
    return readOrFault(async () => new Set(await list.ids({ signal: this.#rows.options.signal })));
  }
}

const unreadable = (
  { address, key }: Pick<StoredList, 'address' | 'key'>,
  reason: Wrong['reason'],
): Wrong => ({ fault: 'unreadable', address, key, reason });

/** Compares the lists of this definition with the rows of their entity, which stand in `table`. */
export function auditList(
  service: Service,
  list: EntityList,
  table: string,
  options: AuditOptions,
): AsyncGenerator<AuditProgress<AnyEntity, Values>, void, undefined> {
  const { owner: entity, name } = list;
  const rows = new AuditedRows(service, options);
  const derived = [new ListIds(list, table, rows)];
  const queues = flowOf(list)?.definition.queues ?? [];
  const subject = ['lists', name, table, entity.name, conditionOf(entity)];
  return auditOf<AnyEntity, Values>({ subject, entity, table, derived, queues }, rows);
}
