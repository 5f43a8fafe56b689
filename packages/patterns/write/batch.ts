// An entity group transaction: operations on rows of one partition, applied all or not at all. Counts operations and bytes as they are added, so that
// the operation that exceeds a limit is the one that fails. Nothing is split here: batch-writer.ts does that for rows that need no transaction.
import type { AnyEntity, Of } from '../model/entity.js';
import type { PatchOf, Remove } from '../model/patch.js';
import type { RowRef, Stored, StoredOf } from '../model/stored.js';
import { BATCH_BYTES_MAX, BATCH_OPERATIONS_MAX, EMPTY_BYTES, partBytes } from '../transport/batch-body.js';
import { addressOf } from '../transport/row-write.js';
import type { ReadOptions } from '../transport/table-requests.js';
import { PatternError } from '../values/pattern-error.js';
import { type Deletable, OPERATIONS, type Target, type WriteResult } from './operations.js';
import { type Identity, type PlannedWrite, planConditionCheck, type Subject } from './plan-write.js';
import { newIdentity, type Service } from './service.js';
import type { IdentifiedPart } from './settled-writes.js';

/** The rows as they are now, by position: undefined for deletes, key and ETag where the write did not see all of the row. */
export type BatchResults = readonly WriteResult[];

type Planned = PlannedWrite<WriteResult>;
type Operation = Planned & IdentifiedPart;

/** The operation of which the batch was refused only because what it should delete is not there. */
function goneIn(operations: readonly Operation[], thrown: unknown): Operation | undefined {
  if (!PatternError.is(thrown, 'BatchFailed') || thrown.detail.reason !== 'NotFound') return undefined;
  const operation = operations[thrown.detail.index];
  return operation?.ifExists ? operation : undefined;
}

/** A refusal with the index that the operation has among all. */
function indexedIn(all: readonly Operation[], sent: readonly Operation[], thrown: unknown): unknown {
  if (!PatternError.is(thrown, 'BatchFailed') || sent.length === all.length) return thrown;
  const index = all.indexOf(sent[thrown.detail.index] as Operation);
  return new PatternError('BatchFailed', { ...thrown.detail, index }, { cause: thrown.cause });
}

export interface BatchTarget {
  readonly table: string;
  readonly partitionKey: string;
}

/** Operations on rows of one partition that are done all or not at all, up to a hundred. Nothing is sent before `commit`. */
export class Batch {
  readonly #service: Service;
  readonly #target: BatchTarget;
  /** One for all: whichever row is looked at tells of the batch. */
  readonly #identity: Identity;
  readonly #operations: Operation[] = [];
  readonly #rowKeys = new Set<string>();
  #bytes = EMPTY_BYTES;
  #results: BatchResults | undefined;

  constructor(service: Service, target: BatchTarget) {
    this.#service = service;
    this.#target = target;
    this.#identity = newIdentity(service);
  }

  /** What the batch has of the 100 operations and 4 MiB that it may have. */
  get size(): { readonly operations: number; readonly bytes: number } {
    return { operations: this.#operations.length, bytes: this.#bytes };
  }

  /** There is no such row yet. */
  create<E extends AnyEntity>(entity: E, value: Of<E>): this {
    return this.add(OPERATIONS.create(this.#subject(entity), value));
  }

  /** The row is there, under the condition of its ETag, and becomes this. */
  replace<E extends AnyEntity>(entity: E, target: Target<E>, value: Of<E>): this {
    return this.add(OPERATIONS.replace(this.#subject(entity), target, value));
  }

  /** The row is there, under the condition of its ETag, and gets these properties. */
  merge<E extends AnyEntity>(entity: E, target: StoredOf<E>, patch: PatchOf<E>): this;
  merge<E extends AnyEntity>(entity: E, target: RowRef<E>, patch: PatchOf<E, never>): this;
  merge<E extends AnyEntity>(entity: E, target: Target<E>, patch: PatchOf<E, null | Remove>): this {
    return this.add(OPERATIONS.merge(this.#subject(entity), target, patch));
  }

  /** Whatever row is there becomes this, or there is one. */
  upsert<E extends AnyEntity>(entity: E, value: Of<E>): this {
    return this.add(OPERATIONS.upsert(this.#subject(entity), value));
  }

  /** Whatever row is there gets these properties and keeps its others, or there is one. */
  upsertMerge<E extends AnyEntity>(entity: E, value: Of<E>): this {
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

  /** Throws TooManyOperations and TooLarge, and ValueInvalid for a row of another partition or one that is in the batch already. */
  add(planned: Planned): this {
    this.#refuseMisplaced(planned);
    const operations = this.#operations.length + 1;
    if (operations > BATCH_OPERATIONS_MAX)
      throw new PatternError('TooManyOperations', { operations, limit: BATCH_OPERATIONS_MAX });
    const part = this.#service.requests.part(planned.write);
    const bytes = this.#bytes + partBytes(part);
    if (bytes > BATCH_BYTES_MAX)
      throw new PatternError('TooLarge', {
        what: 'batch bytes',
        where: `The batch with operation ${operations}`,
        size: bytes,
        limit: BATCH_BYTES_MAX,
      });
    this.#operations.push({ ...planned, part });
    this.#rowKeys.add(addressOf(planned.write).rowKey);
    this.#bytes = bytes;
    return this;
  }

  /**
   * Applies all or nothing. Throws BatchFailed with the operation that was refused, and OutcomeUnknown if the outcome cannot be found out. After a failure it may
   * be called again; once done, it gives the same results.
   */
  async commit(options: ReadOptions = {}): Promise<BatchResults> {
    if (this.#results) return this.#results;
    const operations = [...this.#operations];
    const etags = await this.#send(operations, options);
    this.#results = operations.map(operation => operation.result(etags.get(operation)));
    return this.#results;
  }

  /** Without the deletes that may find no row, where there is none: the service refuses a batch for one. Nothing was done by then. */
  async #send(
    all: readonly Operation[],
    options: ReadOptions,
  ): Promise<ReadonlyMap<Operation, string | undefined>> {
    for (let left = all; left.length > 0; ) {
      try {
        const etags = await this.#service.writes.batch(left, options);
        return new Map(left.map((operation, at) => [operation, etags[at]]));
      } catch (thrown) {
        const gone = goneIn(left, thrown);
        if (gone === undefined) throw indexedIn(all, left, thrown);
        left = left.filter(operation => operation !== gone);
      }
    }
    return new Map();
  }

  #subject<E extends AnyEntity>(entity: E): Subject<E> {
    return { entity, table: this.#target.table, identity: this.#identity };
  }

  #refuseMisplaced({ write }: Planned): void {
    const { table, partitionKey, rowKey } = addressOf(write);
    const refuse = (property: string, expected: string, reason: string): never => {
      throw new PatternError('ValueInvalid', { property, expected, reason });
    };
    if (this.#results) refuse('batch', 'one that is not done', 'it was committed');
    const target = this.#target;
    if (table.toLowerCase() !== target.table.toLowerCase())
      refuse('table', target.table, `the row is of ${table}, and a batch is of one table`);
    if (partitionKey !== target.partitionKey)
      refuse(
        'PartitionKey',
        target.partitionKey,
        `the row is of ${partitionKey}, and a batch is of one partition`,
      );
    if (this.#rowKeys.has(rowKey))
      refuse('RowKey', 'a row that is not in the batch yet', `${rowKey} is, and a row may be there once`);
  }
}
