// The repository of one entity: reads by key, and writes on condition that the row is unchanged since it was read. operations.ts has the writes by their
// names.

import type { CallOptions } from '../../concurrency/abort.js';
import { addressOfKey, type InTable } from '../../model/address.js';
import type { AnyEntity, KeyOf, NewOf, Of } from '../../model/definition.js';
import { encodeEntity } from '../../model/encode-entity.js';
import type { PatchOf } from '../../model/patch.js';
import { asRead, type BareKey, type RowRef, type StoredOf } from '../../model/stored.js';
import { wireText } from '../../values/wire-property.js';
import { EntityReads } from '../read/reads.js';
import type { QueryOptions } from '../read/table-query.js';
import { type Change, type MutableRow, type MutateOptions, mutate, refuseOtherKey } from './mutate.js';
import { type Deletable, type Merged, OPERATIONS, type PatchInto, type Target } from './operations.js';
import { newIdentity, planConditionCheck, type Subject, subjectOf, timeOfWrite } from './plan-write.js';
import type { Identity, PlannedWrite } from './planned-write.js';
import { querySettings, refuseOperationIdProperty, type Service } from './service.js';
import { writePlanned } from './write-planned.js';

/** Where a repository's rows stand, and how they are queried. */
export interface RepoOptions extends InTable {
  /** Options of these queries, in place of those of all queries. */
  readonly queries?: QueryOptions | undefined;
}

/** How sure a delete is of being the only one. */
export interface DeleteOptions extends CallOptions {
  /**
   * Of two clients that delete the same row only one succeeds, also when requests are retried. Costs a second request:
   * a deleted row holds no operation id, so one is written into the row first.
   */
  readonly exactlyOnce?: boolean;
}

/** The rows of an entity: reads, and writes, which operations.ts names. */
export class Repo<E extends AnyEntity> extends EntityReads<E> {
  readonly #service: Service;

  constructor(service: Service, entity: E, { table = entity.table, queries }: RepoOptions = {}) {
    super(entity, querySettings(service, table, queries));
    refuseOperationIdProperty(service, entity);
    this.#service = service;
  }

  /** A new row. Throws AlreadyExists. */
  async create(value: NewOf<E>, options: CallOptions = {}): Promise<StoredOf<E>> {
    return this.#done(OPERATIONS.create(this.#subject(), value), options);
  }

  /**
   * The value instead of the row that was read; properties that are not the entity's stay. By `{ key, etag }` they are lost, for they were not
   * read. Throws Conflict and NotFound.
   */
  async replace(
    target: Target<E> | BareKey<E>,
    value: NewOf<E>,
    options: CallOptions = {},
  ): Promise<StoredOf<E>> {
    return this.#done(OPERATIONS.replace(this.#subject(), target as Target<E>, value), options);
  }

  /**
   * Changes some properties; only changed ones go over the wire. `undefined` leaves a property as it is; `null` and `remove` remove it, where
   * the row was read. Throws Conflict and NotFound.
   */
  async merge<T extends Target<E>>(
    target: T | BareKey<E>,
    patch: PatchInto<E, T>,
    options: CallOptions = {},
  ): Promise<Merged<E, T>> {
    const planned = OPERATIONS.merge(this.#subject(), target as T, patch as PatchOf<E>);
    return this.#done(planned, options) as Promise<Merged<E, T>>;
  }

  /** Insert Or Replace: whatever row is there becomes the value, and what else it had is lost; or there is a new row. */
  async upsert(value: NewOf<E>, options: CallOptions = {}): Promise<StoredOf<E>> {
    return this.#done(OPERATIONS.upsert(this.#subject(), value), options);
  }

  /** Insert Or Merge: whatever row is there gets the value's properties and keeps its others; or there is a new row, which may lack the defaults that were not given. */
  async upsertMerge(value: NewOf<E>, options: CallOptions = {}): Promise<RowRef<E>> {
    return this.#done(OPERATIONS.upsertMerge(this.#subject(), value), options);
  }

  /** Throws Conflict and NotFound. */
  async delete(
    target: Deletable<E> | BareKey<E>,
    { exactlyOnce = false, ...options }: DeleteOptions = {},
  ): Promise<void> {
    const planned = OPERATIONS.delete(this.#subject(), target as Deletable<E>);
    if (!exactlyOnce) return this.#done(planned, options);
    const check = planConditionCheck(target as StoredOf<E>, newIdentity(this.#service));
    const { rebucketing } = planned;
    const checked = await this.#done({ ...check, ...(rebucketing && { rebucketing }) }, options);
    return this.#done(OPERATIONS.delete(this.#subject(), checked), options);
  }

  /** Afterwards there is no such row, whether or not there was one. Throws Conflict, where the ETag is not `*`. */
  async deleteIfExists(target: Deletable<E> | BareKey<E>, options: CallOptions = {}): Promise<void> {
    return this.#done(OPERATIONS.deleteIfExists(this.#subject(), target as Deletable<E>), options);
  }

  /**
   * Applies `change` to the row under optimistic concurrency, with any number of other writers. `change` gets undefined if there is no row, and may be called more than
   * once; if it gives undefined, or what it got, unchanged, nothing is written. Throws Contention.
   */
  async mutate(
    key: KeyOf<E>,
    change: Change<Of<E>, NewOf<E>>,
    options: MutateOptions = {},
  ): Promise<StoredOf<E> | undefined> {
    return mutate(this.#mutable(key), change, this.#service, options);
  }

  #subject(identity?: Identity): Subject<E> {
    return subjectOf(this.#service, this.entity, this.table, identity);
  }

  #done<T>(planned: PlannedWrite<T>, options: CallOptions): Promise<T> {
    return writePlanned(this.#service, planned, options);
  }

  #mutable(key: KeyOf<E>): MutableRow<Of<E>, NewOf<E>, E['name']> {
    const { entity, table } = this;
    const address = addressOfKey(entity, table, key);
    const now = timeOfWrite(this.#service);
    const textOf = (value: NewOf<E>): string => wireText(encodeEntity(entity, value, { now }));
    return {
      address,
      read: options => this.get(key, options),
      write: (stored, value, identity, options) => {
        const subject = this.#subject(identity);
        const planned = stored
          ? OPERATIONS.replace(subject, stored, value)
          : OPERATIONS.create(subject, value);
        const { write } = planned;
        if (write.kind === 'create') refuseOtherKey(address, write.row);
        return this.#done(planned, options);
      },
      valueAsRead: stored => asRead(stored).value,
      isSame: (a, b) => textOf(a) === textOf(b),
    };
  }
}
