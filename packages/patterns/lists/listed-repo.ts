// The rows of an entity with its lists: each write of a row changes the lists that it is in. Lists in the row's partition are changed in the same transaction, under their own ETags, and so are
// equal to the entities after each write; others are changed by a flow, whose message is sent before the write, and are equal when the flow is done.
import { Attempts, isLost, refusalOf } from '../flow/optimistic.js';
import { addressOfKey } from '../model/address.js';
import { encodeEntity } from '../model/encode-entity.js';
import type { AnyEntity, KeyOf, NewOf, Of } from '../model/entity.js';
import type { PatchOf } from '../model/patch.js';
import type { StoredOf } from '../model/stored.js';
import { Db } from '../open.js';
import { EntityReads, type ManyOptions } from '../read/reads.js';
import { addressOf } from '../transport/row-write.js';
import type { ReadOptions } from '../transport/table-requests.js';
import { PatternError, refuseDefinition } from '../values/pattern-error.js';
import { wireText } from '../values/wire-property.js';
import type { Flow } from '../workflow/flow.js';
import { type Change, mutate } from '../write/mutate.js';
import { OPERATIONS, type WriteResult } from '../write/operations.js';
import type { Identity, PlannedWrite, Subject } from '../write/plan-write.js';
import { PlannedBatch } from '../write/planned-batch.js';
import { newIdentity, querySettings, timeOfWrite } from '../write/service.js';
import type { ListContention } from './contention.js';
import { type EntityList, idOf, textOfKey } from './entity-list.js';
import { type IdStore, storeOf } from './id-store.js';
import { ROWS_ADVICE } from './list.js';
import { type ListFlowInput, listFlowInput } from './list-flow.js';
import { type ListMembers, membersOf } from './list-members.js';
import type { ListRepo } from './list-repo.js';
import type { Values } from './list-rows.js';

/** Where rows stand, and which flow keeps their lists in other places. */
export interface ListedOptions {
  /** Where the rows stand, if not in the entity's table. */
  readonly table?: string | undefined;
  /** As `listFlow` makes it: needed if a list is not in the partition of its entities. */
  readonly flow?: Flow<ListFlowInput, ListFlowInput> | undefined;
  /** How often a write is tried whose lists others change: 8 by default. */
  readonly attempts?: number | undefined;
  /** Told once of a list of whose writes one in twenty or more meets another writer. */
  readonly warn?: ((found: ListContention) => void) | undefined;
}

/** An id that goes into a list, or out of it. */
interface ListChange {
  readonly list: EntityList;
  readonly key: Values;
  readonly isIn: boolean;
}

type Plan<E extends AnyEntity, T> = (at: Subject<E>) => PlannedWrite<T>;
type InPartition = ListRepo<EntityListRows>;
type EntityListRows = Extract<EntityList['home'], { kind: 'rows' }>['list'];

/** What a write does to the lists: nothing where the list's key stays. */
function changesOf(lists: readonly EntityList[], before: unknown, after: unknown): readonly ListChange[] {
  return lists.flatMap(list => {
    const [old, now] = [before, after].map(value =>
      value === undefined ? undefined : list.keyOf(value as Of<AnyEntity>),
    );
    if (old !== undefined && now !== undefined && textOfKey(list, old) === textOfKey(list, now)) return [];
    return [
      ...(old === undefined ? [] : [{ list, key: old, isIn: false }]),
      ...(now === undefined ? [] : [{ list, key: now, isIn: true }]),
    ];
  });
}

/** The rows of an entity, written with its lists. */
export class ListedRepo<E extends AnyEntity> {
  readonly entity: E;
  readonly table: string;
  readonly #db: Db;
  readonly #reads: EntityReads<E>;
  readonly #stores: ReadonlyMap<EntityList, IdStore>;
  readonly #options: ListedOptions;

  constructor(db: Db, entity: E, lists: readonly EntityList<E, unknown>[], options: ListedOptions = {}) {
    const { table = entity.table, warn } = options;
    const service = Db.serviceOf(db);
    this.entity = entity;
    this.table = table;
    this.#db = db;
    this.#reads = new EntityReads(entity, querySettings(service, table));
    this.#options = options;
    const all = lists as unknown as readonly EntityList[];
    this.#stores = new Map(all.map(list => [list, storeOf(service, list, { table: options.table, warn })]));
    for (const { owner, name } of all)
      if (owner !== (entity as AnyEntity)) refuseDefinition(name, `it is a list of ${owner.name}`);
    const far = all.find(({ where }) => where !== 'same-partition');
    if (far !== undefined && options.flow === undefined)
      refuseDefinition(
        far.name,
        'it is not in the partition of its entities, and needs the flow that keeps it',
      );
  }

  /** A new row, and its id in its lists. Throws AlreadyExists, and Contention if others change a list each time. */
  create(value: NewOf<E>, options: ReadOptions = {}): Promise<StoredOf<E>> {
    return this.#write(at => OPERATIONS.create(at, value), undefined, options);
  }

  /** The value instead of the row that was read: a list's new value takes the id out of one list and into another. Throws Conflict, NotFound and Contention. */
  replace(stored: StoredOf<E>, value: NewOf<E>, options: ReadOptions = {}): Promise<StoredOf<E>> {
    return this.#write(at => OPERATIONS.replace(at, stored, value), stored, options);
  }

  /** Some properties of the row that was read. Throws Conflict, NotFound and Contention. */
  merge(stored: StoredOf<E>, patch: PatchOf<E>, options: ReadOptions = {}): Promise<StoredOf<E>> {
    return this.#write(
      at => OPERATIONS.merge(at, stored, patch) as PlannedWrite<StoredOf<E>>,
      stored,
      options,
    );
  }

  /** The row that was read goes, and its id from all lists. Throws Conflict, NotFound and Contention. */
  async delete(stored: StoredOf<E>, options: ReadOptions = {}): Promise<void> {
    await this.#write<WriteResult>(at => OPERATIONS.delete(at, stored), stored, options);
  }

  /** Read, change, write, as `mutate` of a repository. */
  mutate(
    key: KeyOf<E>,
    change: Change<Of<E>, NewOf<E>>,
    options: ReadOptions = {},
  ): Promise<StoredOf<E> | undefined> {
    const service = Db.serviceOf(this.#db);
    const textOf = (value: NewOf<E>): string =>
      wireText(encodeEntity(this.entity, value, { now: timeOfWrite(service) }));
    const row = {
      address: addressOfKey(this.entity, this.table, key),
      read: (options: ReadOptions) => this.get(key, options),
      write: (stored: StoredOf<E> | undefined, value: NewOf<E>, _: Identity, options: ReadOptions) =>
        stored === undefined ? this.create(value, options) : this.replace(stored, value, options),
      isSame: (a: NewOf<E>, b: NewOf<E>) => textOf(a) === textOf(b),
    };
    return mutate<Of<E>, NewOf<E>, E['name']>(row, change, {
      attempts: this.#attempts(options),
      checksPurity: false,
      signal: options.signal,
      identity: newIdentity(service),
    });
  }

  get(key: KeyOf<E>, options: ReadOptions = {}): Promise<StoredOf<E> | undefined> {
    return this.#reads.get(key, options);
  }

  /** The entities of a list: its ids by one read, then each row, 16 at a time. */
  find<K>(list: EntityList<E, K>, key: K, options: ManyOptions = {}): Promise<ListMembers<E>> {
    const own = list as unknown as EntityList;
    return membersOf(Db.serviceOf(this.#db), own, this.#store(own), this.table, key as Values, options);
  }

  /** The ids of a list, which are keys of rows. */
  ids<K>(list: EntityList<E, K>, key: K, options: ReadOptions = {}): Promise<readonly string[]> {
    return this.#store(list as unknown as EntityList).ids(key as Values, options);
  }

  /** Lists that this wrote, those first whose writers met most often. */
  contention(): readonly ListContention[] {
    return [...this.#stores.values()].flatMap(store => store.contention());
  }

  #store(list: EntityList): IdStore {
    return (
      this.#stores.get(list) ?? refuseDefinition(list.name, 'it is none of the lists of this repository')
    );
  }

  async #write<T extends WriteResult>(
    plan: Plan<E, T>,
    before: StoredOf<E> | undefined,
    options: ReadOptions,
  ): Promise<T> {
    const service = Db.serviceOf(this.#db);
    const planned = plan(this.#subject(this.#db, newIdentity(service)));
    const result = planned.result(undefined);
    const after = result !== undefined && 'value' in result ? result.value : undefined;
    const changes = changesOf([...this.#stores.keys()], before?.value, after);
    const far = changes.filter(({ list }) => list.where !== 'same-partition');
    const near = changes.filter(({ list }) => list.where === 'same-partition');
    const { flow } = this.#options;
    if (far.length === 0 || flow === undefined) return this.#together(this.#db, plan, near, options);
    const { table } = this;
    const values: unknown = after ?? before?.value;
    const input = listFlowInput(this.entity, table, values as Values, far);
    const { signal } = options;
    const deletes = after === undefined;
    return flow.write(this.#db, input, db => this.#together(db, plan, near, options), {
      deletes,
      ...(signal && { signal }),
    });
  }

  /** The row and the lists of its partition, all or nothing; again if another writer changed a list since it was read. */
  async #together<T extends WriteResult>(
    db: Db,
    plan: Plan<E, T>,
    changes: readonly ListChange[],
    options: ReadOptions,
  ): Promise<T> {
    const service = Db.serviceOf(db);
    const attempts = this.#attempts(options);
    const identity = newIdentity(service);
    for (;;) {
      const planned = plan(this.#subject(db, identity));
      const batch = new PlannedBatch(service, addressOf(planned.write)).add(planned);
      for (const each of changes)
        for (const write of await this.#plannedList(each, planned, identity, options)) batch.add(write);
      try {
        const [result] = await batch.commit(options);
        for (const { list, key } of changes) this.#rowsOf(list).count(key as never, false);
        return result as T;
      } catch (thrown) {
        if (!PatternError.is(thrown, 'BatchFailed')) throw thrown;
        if (thrown.detail.index === 0 || !isLost(thrown)) throw refusalOf(thrown);
        const lost = this.#changeOf(changes, thrown.detail.rowKey) ?? changes[0];
        if (lost === undefined) throw thrown;
        const rows = this.#rowsOf(lost.list);
        rows.count(lost.key as never, true);
        await attempts.next(rows.addressOf(lost.key as never), undefined, ROWS_ADVICE);
      }
    }
  }

  /** The list that has this row: its head, or a chunk behind it. */
  #changeOf(changes: readonly ListChange[], rowKey: string): ListChange | undefined {
    return changes.find(({ list, key }) => {
      const { rowKey: head } = this.#rowsOf(list).addressOf(key as never);
      return rowKey.startsWith(head.slice(0, -'0000'.length)) && rowKey.length === head.length;
    });
  }

  #plannedList(
    { list, key, isIn }: ListChange,
    { write }: PlannedWrite<unknown>,
    identity: Identity,
    options: ReadOptions,
  ): Promise<readonly PlannedWrite<WriteResult>[]> {
    const id = idOf(list, addressOf(write));
    return this.#rowsOf(list).planned(key as never, new Map([[id, isIn]]), identity, options);
  }

  #rowsOf(list: EntityList): InPartition {
    return this.#store(list) as unknown as InPartition;
  }

  #attempts({ signal }: ReadOptions): Attempts {
    const { surroundings } = Db.serviceOf(this.#db);
    return new Attempts(surroundings, { attempts: this.#options.attempts, signal });
  }

  #subject(db: Db, identity: Identity): Subject<E> {
    return { entity: this.entity, table: this.table, identity, now: timeOfWrite(Db.serviceOf(db)) };
  }
}
