// An entity group transaction: operations on rows of one partition, applied all or not at all. Counts operations and bytes as they are added, so that
// the operation that exceeds a limit is the one that fails. Nothing is split here: batch-writer.ts does that for rows that need no transaction.
import type { AnyEntity, Of, PatchOf } from '../model/entity.js';
import type { Projected, Stored } from '../model/stored.js';
import { BATCH_BYTES_MAX, BATCH_OPERATIONS_MAX, EMPTY_BYTES, partBytes } from '../transport/batch-body.js';
import { addressOf } from '../transport/row-write.js';
import type { ReadOptions } from '../transport/table-requests.js';
import { PatternError } from '../values/pattern-error.js';
import {
  type Identity,
  type PlannedWrite,
  planConditionCheck,
  planDelete,
  planMerge,
  planNew,
  planReplace,
} from './plan-write.js';
import { newIdentity, type Service } from './service.js';
import type { IdentifiedPart } from './settled-writes.js';

/** The rows as they are now, by position; undefined for deletes. */
export type BatchResults = readonly (Stored<unknown> | undefined)[];

type Planned = PlannedWrite<Stored<unknown> | undefined>;

export interface BatchTarget {
  readonly table: string;
  readonly partitionKey: string;
}

export interface BatchOverwrite {
  /** Whatever row is there becomes this, or there is one. */
  put<E extends AnyEntity>(entity: E, value: Of<E>): Batch;
}

/** Operations on rows of one partition that are done all or not at all, up to a hundred. Nothing is sent before `commit`. */
export class Batch {
  /** Unconditional writes. */
  readonly overwrite: BatchOverwrite = {
    put: (entity, value) => this.add(planNew('put', entity, value, this.#identity, this.#target.table)),
  };
  readonly #service: Service;
  readonly #target: BatchTarget;
  /** One for all: whichever row is looked at tells of the batch. */
  readonly #identity: Identity;
  readonly #operations: (Planned & IdentifiedPart)[] = [];
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

  /** There is no row with these keys yet. */
  create<E extends AnyEntity>(entity: E, value: Of<E>): this {
    return this.add(planNew('create', entity, value, this.#identity, this.#target.table));
  }

  /** The row is as it was read, and becomes this. */
  replace<E extends AnyEntity>(entity: E, stored: Stored<Of<E>>, value: Of<E>): this {
    return this.add(planReplace(entity, stored, value, this.#identity));
  }

  /** The row is as it was read, and gets these properties. */
  merge<E extends AnyEntity>(entity: E, stored: Stored<Of<E>>, patch: PatchOf<E>): this {
    return this.add(planMerge(entity, stored, patch, this.#identity));
  }

  /** The row is as it was read, and goes. */
  delete(stored: Stored<unknown> | Projected<unknown>): this {
    return this.add(planDelete(stored, stored.etag));
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
    if (operations.length === 0) return [];
    const etags = await this.#service.writes.batch(operations, options);
    this.#results = operations.map(({ result }, at) => result(etags[at]));
    return this.#results;
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
