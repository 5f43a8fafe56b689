// What an audit compares of the lists of an entity: for each row whether its list has its id, then for each id of a list whether its row belongs there. walked-lists.ts iterates over the lists.

import type { AnyEntity, Of } from '../../model/definition.js';
import type { StoredOf } from '../../model/stored.js';
import type { Service } from '../../repo/write/service.js';
import type { Values } from '../../values/property.js';
import { type AuditProgress, auditOf } from '../audit/audit.js';
import { AuditedRows, conditionOf, type Read, readOrFault } from '../audit/audited-rows.js';
import type { Derived, Member, Seen, Stock, Wrong } from '../audit/derived.js';
import type { AuditOptions } from '../audit/walk.js';
import { addressOfId, type EntityList, idOf, textOfKey } from './entity-list.js';
import { flowOf } from './list-derivation.js';
import { type WalkedItem, type WalkedList, type WalkedLists, walkedLists } from './walked-lists.js';

type Ids = Read<ReadonlySet<string>>;

/** The ids of a list as the first looks at the rows of a page find them. */
interface SeenList {
  readonly ids: Promise<Ids>;
  isReported: boolean;
}

class ListIds implements Derived {
  readonly name: string;
  /** A list changes under its own ETag. */
  readonly isGuarded = false;
  readonly stock: Stock<AnyEntity>;
  readonly #list: EntityList;
  readonly #lists: WalkedLists;
  readonly #table: string;
  readonly #rows: AuditedRows;

  constructor(list: EntityList, table: string, rows: AuditedRows) {
    this.name = list.name;
    this.#list = list;
    this.#lists = walkedLists(rows, list, table);
    this.#table = table;
    this.#rows = rows;
    this.stock = {
      pages: page => this.#lists.pages(page),
      membersOf: (item: WalkedItem) => this.#membersOf(item),
    };
  }

  async wrongOf(row: StoredOf<AnyEntity>, seen: Seen | undefined): Promise<Wrong | undefined> {
    const key = this.#list.keyOf(row.value);
    if (key === undefined) return undefined;
    const list = this.#lists.listOf(key);
    const known = seen?.get(list.text) as SeenList | undefined;
    const looked: SeenList = known ?? { ids: this.#idsOf(list), isReported: false };
    seen?.set(list.text, looked);
    const ids = await looked.ids;
    const id = idOf(this.#list, row);
    if ('row' in ids) return ids.row.has(id) ? undefined : this.#wrong('missing', list, id);
    if (looked.isReported) return undefined;
    looked.isReported = true;
    return { fault: 'unreadable', address: list.address, key, reason: ids.fault };
  }

  async #membersOf([list]: WalkedItem): Promise<readonly (Member<AnyEntity> | Wrong)[]> {
    if (list === undefined || 'fault' in list) return list === undefined ? [] : [list];
    const { address, key } = list;
    const ids = await this.#idsOf(list);
    if ('fault' in ids) return [{ fault: 'unreadable', address, key, reason: ids.fault }];
    return [...ids.row].map(id => ({
      address,
      owner: () => addressOfId(this.#list, this.#table, key ?? {}, id),
      isOf: ({ value }) => this.#textOf(value) === list.text,
      orphan: async () => {
        const now = await this.#idsOf(list);
        if ('fault' in now) return { fault: 'unreadable', address, key, id, reason: now.fault };
        return now.row.has(id) ? this.#wrong('orphan', list, id) : undefined;
      },
    }));
  }

  #wrong(fault: Wrong['fault'], list: WalkedList, id: string): Wrong {
    const { address, key } = list;
    return { fault, address, key, id, repair: () => this.#settle(list, id) };
  }

  /** Until the row of the id was the same before and after the list was written. A row that cannot be read stays where it is. */
  async #settle(list: WalkedList, id: string): Promise<void> {
    const owner = addressOfId(this.#list, this.#table, list.key ?? {}, id);
    const read = async () => owner && this.#rows.now(this.#list.owner, owner);
    for (let row = await read(); ; ) {
      if (row !== undefined && 'fault' in row) return;
      const isIn = row !== undefined && this.#textOf(row.row.value) === list.text;
      await list.change(new Map([[id, isIn]]), { signal: this.#rows.options.signal });
      const again = await read();
      if (again !== undefined && 'row' in again && again.row.etag === row?.row.etag) return;
      if (again === undefined && row === undefined) return;
      row = again;
    }
  }

  #textOf(value: Of<AnyEntity>): string | undefined {
    const key = this.#list.keyOf(value);
    return key && textOfKey(this.#list, key);
  }

  #idsOf(list: WalkedList): Promise<Ids> {
    return readOrFault(async () => new Set(await list.ids({ signal: this.#rows.options.signal })));
  }
}

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
