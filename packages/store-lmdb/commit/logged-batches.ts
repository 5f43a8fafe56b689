// Commits of a process that has its directory to itself, without transactions: each is decided at once, on the rows as
// they will be when everything decided before is durable. Commits decided while a batch is being written to the
// write-ahead log form the next batch: one record, one sync, then all its callers are answered.
//
// For each batch, the log checks again that no other process writes. If one did, or if the write fails, everything that
// was decided and is not durable is returned, to be decided again inside transactions, in the same order. No caller is
// answered before its changes, and everything that its decision saw, are durable.
import { type CommitCounts, detachedString } from '#base';
import { type Decision, type ReadRows, type Reads, type Row, type Space, StoreError } from '#store';
import type { Environment } from '../environment.js';
import { type Counters, isComparable } from '../layout/catalog.js';
import { fits, ROW_HEADER_BYTES } from '../layout/rows.js';
import type { DiskReserve } from '../lmdb/disk-reserve.js';
import { EngineError } from '../lmdb/engine-error.js';
import { copiedRowOf, type Overlay } from '../overlay.js';
import { MergedCursor } from '../scan/merged-cursor.js';
import { copyRows, type KeyRange, RowCursor, scanRangeOf } from '../scan/row-cursor.js';
import {
  type Appended,
  changeBytesMax,
  type Failure,
  RECORD_BYTES_MAX,
  RecordDraft,
  WriteAheadLog,
} from '../wal/index.js';
import type { Answered, Commit, GroupParts, Submission } from './group.js';

const NONE: readonly never[] = [];

/** Decided together, and durable together. */
interface Batch {
  readonly callers: Submission[];
  readonly record: RecordDraft;
  basis: bigint;
  tick: bigint;
}

function newBatch({ memory }: WriteAheadLog): Batch {
  return { callers: [], record: new RecordDraft(memory), basis: 0n, tick: 0n };
}

/** A larger record takes longer to write, and those behind it wait. One commit may exceed this. */
const BATCH_BYTES_MAX = 1024 * 1024;

interface LoggedBatchesOptions extends GroupParts {
  readonly counts: CommitCounts;
  /**
   * Gets, in order, what was accepted and cannot be made durable: `tried` was being written when that failed, with the
   * reason if it was an error.
   */
  readonly onReturn: (
    tried: readonly Submission[],
    others: readonly Submission[],
    failure: Failure | undefined,
  ) => void;
  /** Gets the reason why the tree could not take what is durable. */
  readonly onFailure: (reason: unknown) => void;
}

export class LoggedBatches {
  readonly #counters: Counters;
  readonly overlay: Overlay;
  readonly #environment: Environment;
  readonly #reserve: DiskReserve;
  readonly #counts: CommitCounts;
  readonly #log: WriteAheadLog;
  readonly #onReturn: LoggedBatchesOptions['onReturn'];
  readonly #onFailure: LoggedBatchesOptions['onFailure'];
  /** Spaces known to exist. */
  readonly #living = new Set<number>();
  /**
   * Whether the disk had headroom when last asked: before the first decision after each checkpoint, which needs it, and
   * after each transaction.
   */
  #hasHeadroom = false;
  /** The last tick that is durable or decided, if all of them are this process's. */
  #basis: bigint | undefined;
  /** Decided last, and not full. */
  #gathering: Batch;
  /** Full batches that were decided before it, the oldest first. */
  #full: Batch[] = [];
  /** The batch being written. */
  #written: Batch | undefined;
  /** Commits that were accepted and are neither answered nor returned; for others to read. */
  inFlight = 0;
  #isScheduled = false;
  #whenIdle: (() => void)[] = [];

  constructor({ environment, counters, reserve, counts, onReturn, onFailure }: LoggedBatchesOptions) {
    this.#environment = environment;
    this.#counters = counters;
    this.#reserve = reserve;
    this.#counts = counts;
    this.#onReturn = onReturn;
    this.#onFailure = onFailure;
    this.#log = new WriteAheadLog({
      environment,
      counters,
      isAmple: () => reserve.isAmple(),
      onCheckpoint: failure => this.#goOn(failure),
    });
    this.overlay = this.#log.overlay;
    this.#gathering = newBatch(this.#log);
  }

  /** Begins the log, in a transaction of the caller. */
  begin(inTransaction: (place: () => boolean) => Promise<boolean>): Promise<void> {
    return this.#log.begin(inTransaction);
  }

  close(): Promise<void> {
    return this.#log.close();
  }

  /** True if the commit is decided, and will be answered or returned. */
  accept(submission: Submission): boolean {
    if ('run' in submission.work || !this.#isReady()) return false;
    this.#environment.snapshot.refresh();
    if (this.#basis === undefined) {
      if (!this.#log.isEmpty || this.#environment.log.isForeign()) return false;
      this.#counters.load(this.#environment.catalog);
      this.#basis = this.#counters.tick;
    }
    try {
      submission.outcome = this.#decide(submission.work);
    } catch (error) {
      if (error instanceof EngineError) return false;
      submission.outcome = { error };
    }
    if (submission.outcome === undefined) return false;
    this.#gathering.callers.push(submission);
    this.inFlight += 1;
    this.#schedule();
    return true;
  }

  /** Fulfilled when the tree has everything that was accepted, or with the reason why it cannot. */
  async settle(): Promise<Failure | undefined> {
    while (this.inFlight > 0) await new Promise<void>(fulfil => this.#whenIdle.push(fulfil));
    return this.#log.drain();
  }

  /** A transaction has ended: cached knowledge of the tree is invalid. */
  forget(): void {
    this.#basis = undefined;
    this.#living.clear();
    this.#hasHeadroom = false;
  }

  /** Undefined if the commit needs a transaction, and then it has changed nothing. */
  #decide<R>({ space, partition, reads, decide }: Commit<R>): Answered<R> | undefined {
    if (!this.#isLiving(space)) return undefined;
    const rows = this.#read(space.id, partition, reads);
    const tick = this.#counters.nextTick();
    // Another process wrote it: its ticks are not counted here, and a decision's tick is later than everything that it
    // reads.
    const isLate = (row: Row | undefined): boolean => row !== undefined && row.version >= tick;
    if (rows.keys.some(isLate) || rows.range.some(isLate)) return undefined;
    const decision = decide(rows, tick);
    return this.#change(space.id, partition, tick, decision) ? { answer: decision.result } : undefined;
  }

  #isLiving(space: Space): boolean {
    if (this.#living.has(space.id)) return true;
    if (!this.#environment.catalog.isLiving(space)) return false;
    this.#living.add(space.id);
    return true;
  }

  /** The rows as they will be once all decided changes are durable: copies, which the caller may keep. */
  #read(space: number, partition: string, { keys, range }: Reads): ReadRows {
    const changed = this.overlay.partition(space, partition);
    const rows: (Row | undefined)[] = [];
    for (const key of keys) {
      const change = changed?.get(key);
      rows.push(
        change === undefined ? this.#environment.rows.get(space, partition, key) : copiedRowOf(change),
      );
    }
    return { keys: rows, range: range === undefined ? [] : this.#readRange(space, partition, range) };
  }

  /** Makes changes, copying their values. False if they need a transaction; then it has made none. */
  #change(space: number, partition: string, version: bigint, decision: Decision<unknown>): boolean {
    const { puts = NONE, deletes = NONE } = decision;
    if (puts.length + deletes.length === 0) return true;
    // Rows under longer keys change with their subtrees.
    const { chunk } = this.#environment.rows;
    let bytes = 0;
    for (const key of deletes) {
      if (!fits(partition, key, chunk)) return false;
      bytes += changeBytesMax(partition, key, 0);
    }
    for (const { key, value } of puts) {
      if (!fits(partition, key, chunk)) return false;
      bytes += changeBytesMax(partition, key, ROW_HEADER_BYTES + value.length);
    }
    if (!this.#takes(bytes)) return false;
    this.#counters.useTick(version);
    const own = detachedString(partition);
    const rows = this.overlay.enter(space, own);
    const { record } = this.#gathering;
    for (const key of deletes) this.overlay.add(record.add([space, own, detachedString(key)], 0n), rows);
    for (const { key, value } of puts)
      this.overlay.add(record.add([space, own, detachedString(key)], version, value), rows);
    return true;
  }

  #readRange(space: number, partition: string, keys: KeyRange): Row[] {
    const range = scanRangeOf(partition, keys);
    const changes = this.overlay.within(space, range, 'latest');
    const tree = new RowCursor(this.#environment.rows, space, range);
    return copyRows(new MergedCursor(tree, changes), keys.rows);
  }

  /** Whether the current batch, or one after it, has room for this many bytes. */
  #takes(bytes: number): boolean {
    const { record } = this.#gathering;
    if (
      record.bytes + bytes > BATCH_BYTES_MAX &&
      record.changes.length > 0 &&
      isComparable(this.#counters.tick)
    ) {
      this.#full.push(this.#seal(this.#gathering));
      this.#gathering = newBatch(this.#log);
    }
    return this.#gathering.record.bytes + bytes <= RECORD_BYTES_MAX;
  }

  /** While space is short each work has its own transaction, which knows what may be put. */
  #isReady(): boolean {
    if (!this.#log.isUsable) return false;
    this.#hasHeadroom ||= !this.#reserve.isShort && this.#reserve.mayGrow();
    return this.#hasHeadroom;
  }

  /** Runs after all callers that are ready to decide, so that they share a sync. */
  #schedule(): void {
    if (this.#written !== undefined || this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      if (this.#written === undefined) this.#writeNext();
    });
  }

  #writeNext(): void {
    const batch = this.#full[0] ?? this.#gathering;
    if (batch.callers.length === 0) return;
    if (batch.record.changes.length === 0) {
      this.#gathering = newBatch(this.#log);
      this.#answer(batch);
      return;
    }
    const place = this.#log.placeFor(batch.record.bytes);
    if (place !== 'here') {
      if (place === 'nowhere') this.#abort([], undefined);
      return;
    }
    if (this.#full.shift() === undefined) {
      this.#seal(batch);
      this.#gathering = newBatch(this.#log);
    }
    this.#written = batch;
    void this.#write(batch);
  }

  /** Closes the batch: it has all its changes, and a tick that the tree can be asked for. */
  #seal(batch: Batch): Batch {
    batch.basis = this.#basis ?? 0n;
    while (!isComparable(this.#counters.tick)) this.#counters.useTick(this.#counters.tick + 1n);
    batch.tick = this.#counters.tick;
    this.#basis = batch.tick;
    return batch;
  }

  async #write(batch: Batch): Promise<void> {
    const began = performance.now();
    const outcome = await this.#log.append(batch);
    this.#written = undefined;
    if (outcome === 'durable' || outcome === 'last') this.#counts.done(batch.callers.length, began);
    if (outcome === 'durable') {
      // Write the next batch before answering this one: the answers trigger the batch after that.
      this.#writeNext();
      this.#answer(batch);
    } else this.#end(batch, outcome);
  }

  /** Neither the batch nor anything decided after it can be in the log. */
  #end(batch: Batch, outcome: Exclude<Appended, 'durable'>): void {
    for (const change of batch.record.changes) this.overlay.abort(change);
    if (outcome === 'last') {
      this.#answer(batch);
      this.#abort([], undefined);
      return;
    }
    this.#counts.failures += 1;
    if (outcome === 'unknown') {
      this.#failUnknown(batch);
      this.#abort([], undefined);
    } else {
      this.inFlight -= batch.callers.length;
      this.#abort(batch.callers, outcome === 'lost' ? undefined : outcome);
    }
  }

  #answer({ callers }: Batch): void {
    for (const caller of callers) settle(caller);
    this.#leave(callers.length);
  }

  /** Deciding again could apply changes twice. */
  #failUnknown({ callers }: Batch): void {
    const what = 'Another process writes here too, and whether this change was made is not known.';
    const failure = new StoreError('busy', `${this.#environment.path}: ${what}`);
    for (const caller of callers) fail(caller, failure);
    this.#leave(callers.length);
  }

  /** Returns, after `tried`, everything that was decided and will not be written. */
  #abort(tried: readonly Submission[], failure: Failure | undefined): void {
    const batches = [...this.#full, this.#gathering];
    this.#full = [];
    this.#gathering = newBatch(this.#log);
    for (const { record } of batches) for (const change of record.changes) this.overlay.abort(change);
    this.forget();
    const others = batches.flatMap(({ callers }) => callers);
    if (tried.length + others.length > 0) this.#onReturn(tried, others, failure);
    this.#leave(others.length);
  }

  #leave(callers: number): void {
    this.inFlight -= callers;
    if (this.inFlight > 0 || this.#whenIdle.length === 0) return;
    for (const fulfil of this.#whenIdle) fulfil();
    this.#whenIdle = [];
  }

  /** A checkpoint has ended: batches that waited for it are written, or returned. */
  #goOn(failure: Failure | undefined): void {
    this.#hasHeadroom = false;
    if (failure !== undefined) this.#onFailure(failure.reason);
    if (this.#written !== undefined || this.inFlight === 0) return;
    if (failure === undefined) this.#writeNext();
    else this.#abort([], undefined);
  }
}

export function settle({ outcome, fulfil, reject }: Submission): void {
  if (outcome !== undefined && 'answer' in outcome) fulfil(outcome.answer);
  else reject(outcome?.error);
}

/** For changes that cannot be made durable; a work that had failed on its own keeps its own error. */
export function fail({ outcome, reject }: Submission, failure: unknown): void {
  reject(outcome !== undefined && 'error' in outcome ? outcome.error : failure);
}
