// The repository of an entity, with reads of its lists: the entities in a list, and its ids. Writes are those of any repository, since list-derivation.ts keeps the lists for all of them.
import type { CallOptions } from '../../concurrency/abort.js';
import { allInOrder } from '../../concurrency/in-order.js';
import type { InTable } from '../../model/address.js';
import { decodeEntity } from '../../model/decode-entity.js';
import type { AnyEntity } from '../../model/definition.js';
import type { StoredOf } from '../../model/stored.js';
import { Db } from '../../repo/open.js';
import type { ManyOptions } from '../../repo/read/reads.js';
import { POINT_CONCURRENCY } from '../../repo/read/table-query.js';
import { Repo } from '../../repo/write/repo.js';
import type { Service } from '../../repo/write/service.js';
import { refuseDefinition } from '../../values/pattern-error.js';
import type { Values } from '../../values/property.js';
import type { ListContention } from './contention.js';
import { addressOfId, countsOf, type EntityList, isIn, type StoredList, storedLists } from './entity-list.js';

/** An id whose entity does not match the list: its row is gone, or has another value. */
interface StaleId {
  readonly id: string;
  readonly fault: 'gone' | 'moved';
}

/** The entities of a list as they were read. Rows that are gone or whose value has changed are left out and named. */
export interface ListMembers<E extends AnyEntity> {
  readonly rows: readonly StoredOf<E>[];
  /** For a list that a flow keeps, possible until the flow has caught up; for one in the entity's partition, only if it changed between the reads. */
  readonly stale: readonly StaleId[];
}

/** The rows of an entity and its lists. */
export class ListedRepo<E extends AnyEntity> extends Repo<E> {
  readonly #service: Service;
  readonly #lists: ReadonlyMap<EntityList, (key: Values) => StoredList>;

  constructor(db: Db, entity: E, lists: readonly EntityList<E, unknown>[], { table }: InTable = {}) {
    const service = Db.serviceOf(db);
    super(service, entity, { table });
    this.#service = service;
    const all = lists as unknown as readonly EntityList[];
    for (const { owner, name } of all)
      if (owner !== (entity as AnyEntity)) refuseDefinition(name, `it is a list of ${owner.name}`);
    this.#lists = new Map(all.map(list => [list, storedLists(service, list, this.table)]));
  }

  /** The entities in a list: one read for its ids, then each row, 16 at a time. */
  async find<K>(
    of: EntityList<E, K>,
    key: K,
    { concurrency = POINT_CONCURRENCY, signal }: ManyOptions = {},
  ): Promise<ListMembers<E>> {
    const list = of as unknown as EntityList;
    const { requests, onDrift } = this.#service;
    const { table } = this;
    const stored = this.#stored(list, key as Values);
    const ids = await stored.ids({ signal });
    const found = await allInOrder(ids, { concurrency, signal }, async (id, each) => {
      const address = addressOfId(list, table, key as Values, id);
      const answer = address && (await requests.get(address, { signal: each }));
      return answer && decodeEntity(list.owner, answer.row, { table, onDrift, etag: answer.etag });
    });
    const rows: StoredOf<E>[] = [];
    const stale: StaleId[] = [];
    for (const [at, id] of ids.entries()) {
      const row = found[at];
      if (row === undefined) stale.push({ id, fault: 'gone' });
      else if (!isIn(list, stored.address, row.value)) stale.push({ id, fault: 'moved' });
      else rows.push(row as StoredOf<E>);
    }
    return { rows, stale };
  }

  /** The ids of a list, which are keys of rows. */
  async ids<K>(list: EntityList<E, K>, key: K, options: CallOptions = {}): Promise<readonly string[]> {
    return this.#stored(list as unknown as EntityList, key as Values).ids(options);
  }

  /** Lists that this process wrote, most conflicts first. */
  contention(): readonly ListContention[] {
    return [...this.#lists.keys()].flatMap(list => countsOf(list).found());
  }

  #stored(list: EntityList, key: Values): StoredList {
    const listOf = this.#lists.get(list);
    if (listOf === undefined)
      return refuseDefinition(list.name, 'it is none of the lists of this repository');
    return listOf(key);
  }
}
