// A batch, an entity group transaction, whose operations have the names that operations.ts gives to all writes. planned-batch.ts counts and sends them.

import type { AnyEntity, NewOf } from '../../model/definition.js';
import type { PatchOf } from '../../model/patch.js';
import type { BareKey, RowRef, Stored, StoredOf } from '../../model/stored.js';
import type { ReadOptions } from '../../transport/table-requests.js';
import type { Instant } from '../../values/instant.js';
import { type Deletable, type Merged, OPERATIONS, type PatchInto, type Target } from './operations.js';
import { newIdentity, planConditionCheck, type Subject, timeOfWrite } from './plan-write.js';
import { type BatchResults, type BatchTarget, PlannedBatch } from './planned-batch.js';
import type { Identity, PlannedWrite, WriteResult } from './planned-write.js';
import type { Service } from './service.js';

/** The results of a commit: one for each operation in the chain, in order, then those of operations that were added separately. */
export type Committed<R extends BatchResults> = readonly [...R, ...BatchResults];

/**
 * Operations on rows of one partition that are done all or not at all, up to a hundred. Nothing is sent before `commit`. Each method gives the same batch, whose
 * type knows one result more.
 */
export class Batch<R extends BatchResults = BatchResults> extends PlannedBatch {
  readonly #table: string;
  /** One for all: any row of the batch shows the outcome of the whole batch. */
  readonly #identity: Identity;
  readonly #now: Instant;

  constructor(service: Service, target: BatchTarget) {
    super(service, target);
    this.#table = target.table;
    this.#identity = newIdentity(service);
    this.#now = timeOfWrite(service);
  }

  /** There is no such row yet. */
  create<E extends AnyEntity>(entity: E, value: NewOf<E>): Batch<[...R, StoredOf<E>]> {
    return this.#added(OPERATIONS.create(this.#subject(entity), value));
  }

  /** The row is there, under the condition of its ETag, and becomes this. */
  replace<E extends AnyEntity>(
    entity: E,
    target: Target<E> | BareKey<E>,
    value: NewOf<E>,
  ): Batch<[...R, StoredOf<E>]> {
    return this.#added(OPERATIONS.replace(this.#subject(entity), target as Target<E>, value));
  }

  /** The row is there, under the condition of its ETag, and gets these properties. */
  merge<E extends AnyEntity, T extends Target<E>>(
    entity: E,
    target: T | BareKey<E>,
    patch: PatchInto<E, T>,
  ): Batch<[...R, Merged<E, T>]> {
    return this.#added(OPERATIONS.merge(this.#subject(entity), target as T, patch as PatchOf<E>));
  }

  /** Whatever row is there becomes this, or there is one. */
  upsert<E extends AnyEntity>(entity: E, value: NewOf<E>): Batch<[...R, StoredOf<E>]> {
    return this.#added(OPERATIONS.upsert(this.#subject(entity), value));
  }

  /** Whatever row is there gets these properties and keeps its others, or there is one. */
  upsertMerge<E extends AnyEntity>(entity: E, value: NewOf<E>): Batch<[...R, RowRef<E>]> {
    return this.#added(OPERATIONS.upsertMerge(this.#subject(entity), value));
  }

  /** The row is there, under the condition of its ETag, and goes. */
  delete<E extends AnyEntity>(entity: E, target: Deletable<E> | BareKey<E>): Batch<[...R, undefined]> {
    return this.#added(OPERATIONS.delete(this.#subject(entity), target as Deletable<E>));
  }

  /** The same, and that there is no row is no failure: the batch is then done without this operation. */
  deleteIfExists<E extends AnyEntity>(
    entity: E,
    target: Deletable<E> | BareKey<E>,
  ): Batch<[...R, undefined]> {
    return this.#added(OPERATIONS.deleteIfExists(this.#subject(entity), target as Deletable<E>));
  }

  /** The row is as it was read, and stays so: the batch fails if it is not. */
  conditionCheck<T, N extends string>(stored: Stored<T, N>): Batch<[...R, Stored<T, N>]> {
    return this.#added(planConditionCheck(stored, this.#identity));
  }

  /**
   * Applies all or nothing. Throws BatchFailed with the operation that was refused, and OutcomeUnknown if the outcome cannot be found out. After a failure it may
   * be called again. Calls at the same time share one commit, under the options of the first; once done, it gives the same results.
   */
  override commit(options: ReadOptions = {}): Promise<Committed<R>> {
    return super.commit(options) as Promise<Committed<R>>;
  }

  #added<T extends BatchResults>(planned: PlannedWrite<WriteResult>): Batch<T> {
    this.add(planned);
    return this as unknown as Batch<T>;
  }

  #subject<E extends AnyEntity>(entity: E): Subject<E> {
    return { entity, table: this.#table, identity: this.#identity, now: this.#now };
  }
}
