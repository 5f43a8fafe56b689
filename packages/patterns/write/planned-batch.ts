// An entity group transaction of planned writes, applied all or not at all. Counts operations and bytes as they are added, so that the operation that exceeds
// a limit is the one that fails. Nothing is split here: batch-writer.ts does that for rows that need no transaction. batch.ts plans writes by their names.
import { BATCH_BYTES_MAX, BATCH_OPERATIONS_MAX, EMPTY_BYTES, partBytes } from '../transport/batch-body.js';
import { addressOf } from '../transport/row-write.js';
import type { ReadOptions } from '../transport/table-requests.js';
import { PatternError } from '../values/pattern-error.js';
import type { WriteResult } from './operations.js';
import type { PlannedWrite } from './plan-write.js';
import type { Service } from './service.js';
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

/** A batch is of one partition, and the row may stand in another. */
function refuseSpread({ spread }: Planned): void {
  if (spread !== undefined)
    throw new PatternError('BucketsChanging', {
      entity: spread.entity,
      reason: 'a batch is of one partition, and its rows may stand in several; write them one by one',
    });
}

export interface BatchTarget {
  readonly table: string;
  readonly partitionKey: string;
}

/** Operations on rows of one partition, in the order in which they were added. Nothing is sent before `commit`. */
export class PlannedBatch {
  readonly #service: Pick<Service, 'requests' | 'writes'>;
  readonly #target: BatchTarget;
  readonly #operations: Operation[] = [];
  readonly #rowKeys = new Set<string>();
  #bytes = EMPTY_BYTES;
  #results: BatchResults | undefined;

  constructor(service: Pick<Service, 'requests' | 'writes'>, target: BatchTarget) {
    this.#service = service;
    this.#target = target;
  }

  /** What the batch has of the 100 operations and 4 MiB that it may have. */
  get size(): { readonly operations: number; readonly bytes: number } {
    return { operations: this.#operations.length, bytes: this.#bytes };
  }

  /** Throws TooManyOperations and TooLarge, and ValueInvalid for a row of another partition or one that is in the batch already. */
  add(planned: Planned): this {
    refuseSpread(planned);
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
