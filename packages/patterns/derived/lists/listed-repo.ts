// The repository of an entity, with reads of its lists: the entities in a list, and its ids. Writes are those of any repository, since list-derivation.ts keeps the lists for all of them.
import type { CallOptions } from '../../concurrency/abort.js';
import type { InTable } from '../../model/address.js';
import type { AnyEntity } from '../../model/definition.js';
import { Db } from '../../repo/open.js';
import type { ManyOptions } from '../../repo/read/reads.js';
import { Repo } from '../../repo/write/repo.js';
import type { Service } from '../../repo/write/service.js';
import { refuseDefinition } from '../../values/pattern-error.js';
import type { Values } from '../../values/property.js';
import type { ListContention } from './contention.js';
import type { EntityList } from './entity-list.js';
import { type IdStore, storeOf } from './id-store.js';
import { countsOf } from './list-derivation.js';
import { type ListMembers, membersOf } from './list-members.js';

/** The rows of an entity and its lists. */
export class ListedRepo<E extends AnyEntity> extends Repo<E> {
  readonly #service: Service;
  readonly #stores: ReadonlyMap<EntityList, IdStore>;

  constructor(db: Db, entity: E, lists: readonly EntityList<E, unknown>[], { table }: InTable = {}) {
    const service = Db.serviceOf(db);
    super(service, entity, { table });
    this.#service = service;
    const all = lists as unknown as readonly EntityList[];
    for (const { owner, name } of all)
      if (owner !== (entity as AnyEntity)) refuseDefinition(name, `it is a list of ${owner.name}`);
    this.#stores = new Map(all.map(list => [list, storeOf(service, list, { table })]));
  }

  /** The entities in a list: one read for its ids, then each row, 16 at a time. */
  find<K>(list: EntityList<E, K>, key: K, options: ManyOptions = {}): Promise<ListMembers<E>> {
    const own = list as unknown as EntityList;
    return membersOf(this.#service, own, this.#store(own), this.table, key as Values, options);
  }

  /** The ids of a list, which are keys of rows. */
  ids<K>(list: EntityList<E, K>, key: K, options: CallOptions = {}): Promise<readonly string[]> {
    return this.#store(list as unknown as EntityList).ids(key as Values, options);
  }

  /** Lists that this process wrote, most conflicts first. */
  contention(): readonly ListContention[] {
    return [...this.#stores.keys()].flatMap(list => countsOf(list).found());
  }

  #store(list: EntityList): IdStore {
    return (
      this.#stores.get(list) ?? refuseDefinition(list.name, 'it is none of the lists of this repository')
    );
  }
}
