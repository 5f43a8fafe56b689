// Compares the lists of an entity with its rows: for each row whether its list has its id, then for each id of a list whether its row belongs there. Others may write during the audit, so each finding is
// re-checked before it is reported, and once more after its repair. walked-lists.ts iterates over the lists.

import { allInOrder } from '../../concurrency/in-order.js';
import type { AnyEntity, Of } from '../../model/definition.js';
import { POINT_CONCURRENCY } from '../../repo/read/table-query.js';
import type { Service } from '../../repo/write/service.js';
import type { WireObject } from '../../values/read-wire.js';
import { AuditedRows, conditionOf, readOrFault, unreadable, unreadableRow } from '../audit/audited-rows.js';
import { type AnyFinding, type CheckResult, recheck } from '../audit/recheck.js';
import { type AuditOptions, type Progress, phase, walk } from '../audit/walk.js';
import { addressOfId, type EntityList, idOf, textOfKey } from './entity-list.js';
import { flowOf } from './list-derivation.js';
import type { Values } from './list-rows.js';
import { type WalkedItem, type WalkedList, WalkedLists } from './walked-lists.js';

/** Options of an audit of lists. */
export interface ListAuditOptions extends AuditOptions {
  /** The table of the entity's rows, if not its own. */
  readonly table?: string | undefined;
}

export type ListFault = 'missing' | 'orphan' | 'unreadable';

/**
 * A fault of a list: an id that should be in it is `missing`, one that should not be is an `orphan`. A list holds only ids, no data of the rows, so none is stale. An `unreadable` finding is a row of the
 * entity, or a list, that the audit could not read. The address is that of the row or the list; for a list in a blob, its container and the blob's name.
 */
export interface ListFinding extends AnyFinding {
  readonly fault: ListFault;
  /** Undefined if unknown. */
  readonly id: string | undefined;
  /** Of the list; undefined if unknown. */
  readonly key: Values | undefined;
}

/** The state of an audit of lists after a page: it reads the entity's rows first, then the lists, and counts their rows or blobs. */
export interface ListAuditProgress extends Progress<ListFinding, 'entities' | 'lists'> {}

/** An id that is in a list and should not be, or the reverse. */
interface Suspect {
  readonly list: WalkedList;
  readonly id: string;
}

export class ListAudit {
  readonly #service: Service;
  readonly #list: EntityList;
  readonly #lists: WalkedLists;
  readonly #table: string;
  readonly #options: ListAuditOptions;
  readonly #rows: AuditedRows;

  constructor(service: Service, list: EntityList, options: ListAuditOptions) {
    this.#service = service;
    this.#list = list;
    this.#table = options.table ?? list.owner.table;
    this.#options = options;
    this.#rows = new AuditedRows(service, options);
    this.#lists = new WalkedLists(service, list, this.#table, this.#rows);
  }

  run(): AsyncGenerator<ListAuditProgress, void, undefined> {
    const { owner, name } = this.#list;
    const queues = flowOf(this.#list)?.definition.queues ?? [];
    const phases = [
      phase('entities' as const, this.#rows.all(owner, this.#table), rows => this.#checkedRows(rows)),
      phase('lists' as const, this.#lists, items => this.#checkedLists(items)),
    ];
    const subject = JSON.stringify(['lists', name, this.#table, owner.name, conditionOf(owner)]);
    return walk<ListFinding, 'entities' | 'lists'>(this.#service, { subject, phases, queues }, this.#options);
  }

  async #checkedRows(rows: readonly WireObject[]): Promise<readonly ListFinding[]> {
    const findings: ListFinding[] = [];
    const wanted = new Map<string, { readonly key: Values; readonly ids: string[] }>();
    for (const row of rows) {
      const read = this.#rows.decoded(this.#list.owner, this.#table, row);
      if ('fault' in read) {
        const strange = unreadableRow(row, this.#table, read.fault);
        findings.push({ ...strange, id: undefined, key: undefined });
        continue;
      }
      const id = idOf(this.#list, read.row);
      const own = await readOrFault(() => this.#keyOf(read.row.value));
      if ('fault' in own) findings.push({ ...unreadable(read.row, own.fault), id, key: undefined });
      else if (own.row !== undefined) {
        const { ids } = wanted.get(own.row.text) ?? { ids: [] };
        wanted.set(own.row.text, { key: own.row.key, ids: [...ids, id] });
      }
    }
    const found = await this.#forEach(
      [...wanted.values()],
      async ({ key, ids }): Promise<readonly (Suspect | ListFinding)[]> => {
        const list = this.#lists.listOf(key);
        const there = await this.#idsOf(list);
        if ('fault' in there) return [{ ...unreadable(list.address, there.fault), id: undefined, key }];
        return ids.filter(id => !there.row.has(id)).map(id => ({ list, id }));
      },
    );
    return [...findings, ...(await this.#recheckAll(found))];
  }

  async #checkedLists(items: readonly WalkedItem[]): Promise<readonly ListFinding[]> {
    const findings: ListFinding[] = [];
    for (const item of items) {
      if (item.kind === 'part') continue;
      if (item.kind === 'unreadable') {
        findings.push({ ...unreadable(item.address, item.fault), id: undefined, key: undefined });
        continue;
      }
      const { list } = item;
      const ids = await this.#idsOf(list);
      if ('fault' in ids) {
        findings.push({ ...unreadable(list.address, ids.fault), id: undefined, key: list.key });
        continue;
      }
      const suspects = await this.#forEach([...ids.row], async id =>
        (await this.#check(list, id)).isWanted ? [] : [{ list, id }],
      );
      findings.push(...(await this.#recheckAll(suspects)));
    }
    return findings;
  }

  async #forEach<T, R>(items: readonly T[], work: (item: T) => Promise<readonly R[]>): Promise<readonly R[]> {
    const { concurrency = POINT_CONCURRENCY, signal } = this.#options;
    return (await allInOrder(items, { concurrency, signal }, work)).flat();
  }

  #recheckAll(found: readonly (Suspect | ListFinding)[]): Promise<readonly ListFinding[]> {
    return this.#forEach(found, async each => {
      if (!('list' in each)) return [each];
      const finding = await recheck(() => this.#checkSuspect(each), this.#options.repair);
      return finding === undefined ? [] : [finding];
    });
  }

  async #checkSuspect({ list, id }: Suspect): Promise<CheckResult<ListFinding>> {
    const before = await this.#check(list, id);
    const ids = await this.#idsOf(list);
    const { key, address } = list;
    if ('fault' in ids) return { finding: { ...unreadable(address, ids.fault), id, key } };
    const isThere = ids.row.has(id);
    // Unknown for a row that cannot be read; the phase over the rows reported it.
    if (before.isUnreadable || isThere === before.isWanted) return 'right';
    if ((await this.#check(list, id)).etag !== before.etag) return 'changed';
    const fault = isThere ? 'orphan' : 'missing';
    const { signal } = this.#options;
    const changes = new Map([[id, before.isWanted]]);
    return {
      finding: { ...address, fault, id, key, isRepaired: false, reason: undefined },
      repair: () => list.change(changes, { signal }),
    };
  }

  async #idsOf(list: WalkedList) {
    const { signal } = this.#options;
    return readOrFault(async (): Promise<ReadonlySet<string>> => new Set(await list.ids({ signal })));
  }

  /** Whether the row of the id belongs in the list. */
  async #check(list: WalkedList, id: string): Promise<Checked> {
    const address = addressOfId(this.#list, this.#table, list.key ?? {}, id);
    const read = address && (await this.#rows.now(this.#list.owner, address));
    if (read === undefined) return { isWanted: false, isUnreadable: false, etag: undefined };
    if ('fault' in read) return { isWanted: true, isUnreadable: true, etag: undefined };
    const own = await readOrFault(() => this.#keyOf(read.row.value));
    if ('fault' in own) return { isWanted: true, isUnreadable: true, etag: undefined };
    return { isWanted: own.row?.text === list.text, isUnreadable: false, etag: read.row.etag };
  }

  #keyOf(value: unknown): { readonly key: Values; readonly text: string } | undefined {
    const key = this.#list.keyOf(value as Of<AnyEntity>);
    return key && { key, text: textOfKey(this.#list, key) };
  }
}

interface Checked {
  readonly isWanted: boolean;
  readonly isUnreadable: boolean;
  readonly etag: string | undefined;
}
