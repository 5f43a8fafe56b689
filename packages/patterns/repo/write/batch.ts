// A batch, an entity group transaction, whose operations have the names that operations.ts gives to all writes. planned-batch.ts counts and sends them.

import type { CallOptions } from '../../concurrency/abort.js';
import type { AnyEntity, NewOf } from '../../model/definition.js';
import type { PatchOf } from '../../model/patch.js';
import type { BareKey, RowRef, Stored, StoredOf } from '../../model/stored.js';
import type { Instant } from '../../values/instant.js';
import { type Deletable, type Merged, OPERATIONS, type PatchInto, type Target } from './operations.js';
import { newIdentity, planConditionCheck, type Subject, timeOfWrite } from './plan-write.js';
import { type BatchResults, type BatchTarget, PlannedBatch } from './planned-batch.js';
import type { Identity, PlannedWrite, WriteResult } from './planned-write.js';
import type { Service } from './service.js';

/** The results of a commit: one for each operation in the chain, in order, then those of operations that were added separately. */
export type Committed<R extends BatchResults> = readonly [...R, ...BatchResults];

/**
 * Up to a hundred operations on rows of one partition, all or nothing. Nothing is sent before `commit`. Each method returns the same batch, with one more result
 * in its type.
 */
export class Batch<R extends BatchResults = BatchResults> extends PlannedBatch {
  readonly #table: string;
  /** Shared: any row of the batch shows the outcome of the whole. */
  readonly #identity: Identity;
  readonly #now: Instant;

  constructor(service: Service, target: BatchTarget) {
    super(service, target);
    this.#table = target.table;
    this.#identity = newIdentity(service);
    this.#now = timeOfWrite(service);
  }

  /** Inserts a row that must not exist. */
  create<E extends AnyEntity>(entity: E, value: NewOf<E>): Batch<[...R, StoredOf<E>]> {
    return this.#added(OPERATIONS.create(this.#subject(entity), value));
  }

  /** Replaces a row under its ETag. */
  replace<E extends AnyEntity>(
    entity: E,
    target: Target<E> | BareKey<E>,
    value: NewOf<E>,
  ): Batch<[...R, StoredOf<E>]> {
    return this.#added(OPERATIONS.replace(this.#subject(entity), target as Target<E>, value));
  }

  /** Merges properties into a row under its ETag. */
  merge<E extends AnyEntity, T extends Target<E>>(
    entity: E,
    target: T | BareKey<E>,
    patch: PatchInto<E, T>,
  ): Batch<[...R, Merged<E, T>]> {
    return this.#added(OPERATIONS.merge(this.#subject(entity), target as T, patch as PatchOf<E>));
  }

  /** Insert Or Replace, without a condition. */
  upsert<E extends AnyEntity>(entity: E, value: NewOf<E>): Batch<[...R, StoredOf<E>]> {
    return this.#added(OPERATIONS.upsert(this.#subject(entity), value));
  }

  /** Insert Or Merge, without a condition. */
  upsertMerge<E extends AnyEntity>(entity: E, value: NewOf<E>): Batch<[...R, RowRef<E>]> {
    return this.#added(OPERATIONS.upsertMerge(this.#subject(entity), value));
  }

  /** Deletes a row under its ETag. */
  delete<E extends AnyEntity>(entity: E, target: Deletable<E> | BareKey<E>): Batch<[...R, undefined]> {
    return this.#added(OPERATIONS.delete(this.#subject(entity), target as Deletable<E>));
  }

  /** Deletes a row under its ETag if it exists; otherwise the batch is sent without this operation. */
  deleteIfExists<E extends AnyEntity>(
    entity: E,
    target: Deletable<E> | BareKey<E>,
  ): Batch<[...R, undefined]> {
    return this.#added(OPERATIONS.deleteIfExists(this.#subject(entity), target as Deletable<E>));
  }

  /** Fails the batch unless the row is as it was read. */
  conditionCheck<T, N extends string>(stored: Stored<T, N>): Batch<[...R, Stored<T, N>]> {
    return this.#added(planConditionCheck(stored, this.#identity));
  }

  /**
   * Applies all or nothing. Throws BatchFailed with the refused operation, and OutcomeUnknown if the outcome cannot be determined. It may be called again after a
   * failure. Concurrent calls share one commit, under the options of the first; after success it returns the same results.
   */
  override commit(options: CallOptions = {}): Promise<Committed<R>> {
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
