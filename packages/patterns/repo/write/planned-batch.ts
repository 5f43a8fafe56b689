// An entity group transaction of planned writes and of their index rows, applied all or not at all. Counts operations and bytes as they are added, so that the operation that exceeds
// a limit is the one that fails. Nothing is split here: batch-writer.ts does that for rows that need no transaction. batch.ts plans writes by their names.

import type { CallOptions } from '../../concurrency/abort.js';
import { BATCH_BYTES_MAX, BATCH_OPERATIONS_MAX, EMPTY_BYTES, partBytes } from '../../transport/batch-body.js';
import { addressOf, type RowWrite } from '../../transport/row-write.js';
import { PatternError, refuseValue } from '../../values/pattern-error.js';
import { checkSize } from '../../values/wire-property.js';
import { refusalOf } from '../optimistic.js';
import { readingOf } from './derivation.js';
import type { IndexWrite, PlannedWrite, RemoteEffect, WriteResult } from './planned-write.js';
import type { Service } from './service.js';
import { batchFailed, type IdentifiedPart } from './settled-writes.js';

/** The rows as they are now, by position: undefined for deletes, key and ETag where the write did not see all of the row. */
export type BatchResults = readonly WriteResult[];

type Planned = PlannedWrite<WriteResult>;

/** A write, and what its text counts. */
interface Counted extends IdentifiedPart {
  readonly bytes: number;
}

/** An operation that the program named. */
type Operation = Planned & IdentifiedPart;

/** A write of an index row, behind all operations that the program named. */
interface IndexOperation extends Counted {
  readonly isIndexRow: true;
  readonly indexWrite: IndexWrite;
  /** The operation that it belongs to. */
  readonly of: Operation;
}

/** The operations of a program, those of index rows, and the record of a transaction. */
type Sent = Operation | IndexOperation | IdentifiedPart;

const isIndexOperation = (operation: Sent | undefined): operation is IndexOperation =>
  operation !== undefined && 'indexWrite' in operation;

/** A refusal of an operation, or of its index row or key, by the place of the operation among all. */
function failureOf(all: readonly Sent[], of: Sent | undefined, thrown: unknown): unknown {
  if (!PatternError.is(thrown) || of === undefined) return thrown;
  return batchFailed(all.indexOf(of), of.write, thrown);
}

/** Index rows depend on the row before, and what lists and copies need has to be read, too: a batch does not read. */
function refuseReading({ deriving, readFirst, write }: Planned): void {
  const entity = deriving?.entity ?? readFirst?.entity;
  if (entity === undefined) return;
  const detail = { ...addressOf(write), entity: entity.name, op: write.kind };
  const [derivation] = readingOf(entity);
  if (derivation !== undefined)
    throw new PatternError('NotInBatch', { ...detail, derivation: derivation.name });
  if (readFirst !== undefined) throw new PatternError('RowNotRead', detail);
}

/** Operations and bytes with those of index rows. One record, if any, is enough for a transaction. */
function sizeOf(operations: number, own: number, record: number, indexRows: Iterable<IndexOperation>) {
  const size = { operations: operations + Math.sign(record), bytes: own + record };
  for (const { bytes } of indexRows) {
    size.operations++;
    size.bytes += bytes;
  }
  return size;
}

function refuseTooMuch({ operations, bytes }: PlannedBatch['size']): void {
  if (operations > BATCH_OPERATIONS_MAX)
    throw new PatternError('TooManyOperations', { operations, limit: BATCH_OPERATIONS_MAX });
  checkSize('batch bytes', `The batch with operation ${operations}`, bytes, BATCH_BYTES_MAX);
}

/** Attempts to fix a batch and send it again: an index row under concurrent writes may take several. */
const MENDS_MAX = 8;

export interface BatchTarget {
  readonly table: string;
  readonly partitionKey: string;
}

/** Operations on rows of one partition, in the order in which they were added. Nothing is sent before `commit`. */
export class PlannedBatch {
  readonly #service: Service;
  readonly #target: BatchTarget;
  /** By row key, as the index rows. */
  readonly #operations = new Map<string, Operation>();
  #indexRows: ReadonlyMap<string, IndexOperation> = new Map();
  /** Without index rows. */
  #bytes = EMPTY_BYTES;
  /** Of the transaction record; 0 where no operation needs one. */
  #recordBytes = 0;
  /** While a commit is under way, and after one that was done. */
  #committed: Promise<BatchResults> | undefined;

  constructor(service: Service, target: BatchTarget) {
    this.#service = service;
    this.#target = target;
  }

  /** What the batch has of the 100 operations and 4 MiB that it may have, with the rows of indexes. */
  get size(): { readonly operations: number; readonly bytes: number } {
    const { size } = this.#operations;
    return sizeOf(size, this.#bytes, this.#recordBytes, this.#indexRows.values());
  }

  /**
   * Throws TooManyOperations and TooLarge, ValueInvalid for a row of another partition or one that is in the batch already, RowNotRead for a write that does not know which index
   * rows it changes, and NotInBatch for one of an entity with lists or copies.
   */
  add(planned: Planned): this {
    const { write, remote, rebucketing } = planned;
    rebucketing?.by.refuseBatch(rebucketing.entity);
    refuseReading(planned);
    this.#refuseMisplaced(planned);
    const { part, bytes } = this.#sent(write);
    const operation = { ...planned, part };
    const indexRows = this.#indexRowsWith(operation);
    const record = this.#recordBytes || (remote?.record ? this.#sent(remote.record).bytes : 0);
    const own = this.#bytes + bytes;
    refuseTooMuch(sizeOf(this.#operations.size + 1, own, record, indexRows.values()));
    this.#operations.set(addressOf(write).rowKey, operation);
    this.#indexRows = indexRows;
    this.#bytes = own;
    this.#recordBytes = record;
    return this;
  }

  /**
   * Applies all or nothing. Throws BatchFailed with the operation that was refused, and OutcomeUnknown if the outcome cannot be found out. After a failure it may
   * be called again. Calls at the same time share one commit, under the options of the first; once done, it gives the same results.
   */
  commit(options: CallOptions = {}): Promise<BatchResults> {
    this.#committed ??= this.#apply(options).catch((thrown: unknown) => {
      this.#committed = undefined;
      throw thrown;
    });
    return this.#committed;
  }

  async #apply(options: CallOptions): Promise<BatchResults> {
    const operations = [...this.#operations.values()];
    const all = [...operations, ...this.#indexRows.values()];
    const etags = await this.#around(operations, all, options);
    return operations.map(operation => operation.result(etags.get(operation)));
  }

  /** Rows that follow in other partitions or tables have something done before the transaction. */
  #around(
    operations: readonly Operation[],
    all: readonly Sent[],
    options: CallOptions,
  ): Promise<ReadonlyMap<Sent, string | undefined>> {
    const owners = new Map(operations.flatMap(each => (each.remote ? [[each.remote, each] as const] : [])));
    const changes = [...owners.keys()];
    const [first] = changes;
    if (first === undefined) return this.#send(all, options);
    const transaction = {
      target: { ...this.#target, rowKey: '' },
      send: (record?: RowWrite) =>
        this.#send(
          record === undefined ? all : [...all, { ...this.#sent(record), isIndexRow: true }],
          options,
        ),
      refusal: (of: RemoteEffect, thrown: unknown) => failureOf(operations, owners.get(of), thrown),
    };
    return first.around(this.#service, changes, transaction, options);
  }

  /** The write, with its text in the batch and what that counts. */
  #sent(write: RowWrite): Counted {
    const part = this.#service.requests.part(write);
    return { write, part, bytes: partBytes(part) };
  }

  /**
   * Without the deletes that may find no row, where there is none: the service refuses a batch for one. And with index rows as they have to be written, where they are not as they should
   * be. Nothing was done by then.
   */
  async #send(all: readonly Sent[], options: CallOptions): Promise<ReadonlyMap<Sent, string | undefined>> {
    let mends = 0;
    for (let left = all; left.length > 0; ) {
      try {
        const etags = await this.#service.writes.batch(left, options);
        return new Map(left.map((operation, at) => [operation, etags[at]]));
      } catch (thrown) {
        if (!PatternError.is(thrown, 'BatchFailed')) throw thrown;
        const refused = left[thrown.detail.index];
        if (refused?.ifExists && thrown.detail.reason === 'NotFound')
          left = left.filter(each => each !== refused && !(isIndexOperation(each) && each.of === refused));
        else if (isIndexOperation(refused) && mends++ < MENDS_MAX) {
          const { indexWrite, of } = refused;
          const mended = await indexWrite
            .mended(this.#service.requests, refusalOf(thrown) as PatternError, options)
            .catch((failure: unknown) => {
              throw failureOf(all, of, failure);
            });
          left = left.map(each => (each === refused ? this.#indexOperation(mended, of) : each));
        } else throw failureOf(all, isIndexOperation(refused) ? refused.of : refused, thrown.cause);
      }
    }
    return new Map();
  }

  #indexOperation(indexWrite: IndexWrite, of: Operation): IndexOperation {
    const ifExists = indexWrite.write.kind === 'delete';
    return { ...this.#sent(indexWrite.write), ifExists, isIndexRow: true, indexWrite, of };
  }

  /** The index rows of the batch with those of one more operation. */
  #indexRowsWith(operation: Operation): ReadonlyMap<string, IndexOperation> {
    const { indexWrites = [] } = operation;
    if (indexWrites.length === 0) return this.#indexRows;
    const rows = new Map(this.#indexRows);
    for (const each of indexWrites) {
      const { rowKey } = addressOf(each.write);
      const earlier = rows.get(rowKey);
      const indexWrite = earlier === undefined ? each : earlier.indexWrite.joined(each);
      const of =
        earlier !== undefined && indexWrite.owner === earlier.indexWrite.owner ? earlier.of : operation;
      rows.set(rowKey, this.#indexOperation(indexWrite, of));
    }
    return rows;
  }

  #refuseMisplaced({ write }: Planned): void {
    const { table, partitionKey, rowKey } = addressOf(write);
    if (this.#committed) refuseValue('batch', 'one that is not done', 'commit() was called');
    const target = this.#target;
    if (table.toLowerCase() !== target.table.toLowerCase())
      refuseValue('table', target.table, `the row is of ${table}`);
    if (partitionKey !== target.partitionKey)
      refuseValue('PartitionKey', target.partitionKey, `the row is of ${partitionKey}`);
    if (this.#operations.has(rowKey))
      refuseValue('RowKey', 'a row that is not in the batch yet', `${rowKey} is`);
  }
}
