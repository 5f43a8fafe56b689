// A batch, an entity group transaction, whose operations have the names that operations.ts gives to all writes. planned-batch.ts counts and sends them.
import type { AnyEntity, NewOf } from '../model/entity.js';
import type { PatchOf, Remove } from '../model/patch.js';
import type { RowRef, Stored, StoredOf } from '../model/stored.js';
import type { Instant } from '../values/instant.js';
import { type Deletable, OPERATIONS, type Target } from './operations.js';
import { type Identity, planConditionCheck, type Subject } from './plan-write.js';
import { type BatchTarget, PlannedBatch } from './planned-batch.js';
import { newIdentity, type Service, timeOfWrite } from './service.js';

/** Operations on rows of one partition that are done all or not at all, up to a hundred. Nothing is sent before `commit`. */
export class Batch extends PlannedBatch {
  readonly #table: string;
  /** One for all: whichever row is looked at tells of the batch. */
  readonly #identity: Identity;
  readonly #now: Instant;

  constructor(service: Service, target: BatchTarget) {
    super(service, target);
    this.#table = target.table;
    this.#identity = newIdentity(service);
    this.#now = timeOfWrite(service);
  }

  /** There is no such row yet. */
  create<E extends AnyEntity>(entity: E, value: NewOf<E>): this {
    return this.add(OPERATIONS.create(this.#subject(entity), value));
  }

  /** The row is there, under the condition of its ETag, and becomes this. */
  replace<E extends AnyEntity>(entity: E, target: Target<E>, value: NewOf<E>): this {
    return this.add(OPERATIONS.replace(this.#subject(entity), target, value));
  }

  /** The row is there, under the condition of its ETag, and gets these properties. */
  merge<E extends AnyEntity>(entity: E, target: StoredOf<E>, patch: PatchOf<E>): this;
  merge<E extends AnyEntity>(entity: E, target: RowRef<E>, patch: PatchOf<E, never>): this;
  merge<E extends AnyEntity>(entity: E, target: Target<E>, patch: PatchOf<E, null | Remove>): this {
    return this.add(OPERATIONS.merge(this.#subject(entity), target, patch));
  }

  /** Whatever row is there becomes this, or there is one. */
  upsert<E extends AnyEntity>(entity: E, value: NewOf<E>): this {
    return this.add(OPERATIONS.upsert(this.#subject(entity), value));
  }

  /** Whatever row is there gets these properties and keeps its others, or there is one. */
  upsertMerge<E extends AnyEntity>(entity: E, value: NewOf<E>): this {
    return this.add(OPERATIONS.upsertMerge(this.#subject(entity), value));
  }

  /** The row is there, under the condition of its ETag, and goes. */
  delete<E extends AnyEntity>(entity: E, target: Deletable<E>): this {
    return this.add(OPERATIONS.delete(this.#subject(entity), target));
  }

  /** The same, and that there is no row is no failure: the batch is then done without this operation. */
  deleteIfExists<E extends AnyEntity>(entity: E, target: Deletable<E>): this {
    return this.add(OPERATIONS.deleteIfExists(this.#subject(entity), target));
  }

  /** The row is as it was read, and stays so: the batch fails if it is not. */
  conditionCheck(stored: Stored<unknown>): this {
    return this.add(planConditionCheck(stored, this.#identity));
  }

  #subject<E extends AnyEntity>(entity: E): Subject<E> {
    return { entity, table: this.#table, identity: this.#identity, now: this.#now };
  }
}
