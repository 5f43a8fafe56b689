// Commits decided before the right to write is there: on the rows as they will be when all that was decided before is
// durable. They are written to the log (commit-log.ts) if there is one, otherwise LMDB's own thread carries out the finished
// puts; either way this thread goes on hearing callers while the disk works, and the next write follows at once.
//
// Right for one writer only. That nobody else wrote is asked again of each write. If somebody did, or the write fails, everything that
// was decided and is not durable is decided anew inside transactions (commit-queue.ts), in the same order. No caller is answered
// before its changes, and all that its decision saw, are durable.
import { type Space, StoreError } from '#store';
import type { Environment } from '../environment.js';
import { isComparable } from '../layout/catalog.js';
import type { Counters } from '../layout/counters.js';
import type { LogFile } from '../wal/log-file.js';
import type { WalOverlay } from '../wal/wal-overlay.js';
import { type Appended, type Failure, WriteAheadLog } from '../wal/write-ahead-log.js';
import type { CommitMetrics } from './commit-metrics.js';
import { type Change, InFlightOverlay } from './in-flight-overlay.js';

/** Someone whose commit is decided early. */
export interface OptimisticCaller {
  /** Has the commit decide; false if it needs a transaction, and then nothing of it was noted. */
  decideOptimistically(early: Early): boolean;
  settle(): void;
  fail(failure: unknown): void;
}

/** What an early decision may use. */
export interface Early {
  readonly rows: InFlightOverlay;
  readonly counters: Counters;
  /** Whether this generation of the space exists. */
  isLiving(space: Space): boolean;
  /** Has the change written with all others that are noted. */
  note(change: Change): void;
}

/** What is not durable: of a write that was tried, and decided after it. In order. */
export interface Aborted<C> {
  readonly written: readonly C[];
  readonly undecided: readonly C[];
  /** Why the write failed; absent if somebody else had written. */
  readonly failure?: Failure;
}

class Batch<C> {
  readonly callers: C[] = [];
  readonly changes: Change[] = [];
  bytes = 0;
}

const BATCH_CALLERS_MAX = 1000;
const BATCH_BYTES_MAX = 8 * 1024 * 1024;
/** Worth a wait for the disk of their own: those who share one are heard before it begins, and that takes longer. */
const BYTES_AT_ONCE = 64 * 1024;

export interface OptimisticCommitsOptions<C> {
  readonly environment: Environment;
  readonly counters: Counters;
  readonly figures: CommitMetrics;
  readonly isAmple: () => boolean;
  /** What is durable cannot be brought into the tree; it is tried again. */
  readonly onStuck: (failure: Failure) => void;
  readonly abort: (given: Aborted<C>) => void;
}

export class OptimisticCommits<C extends OptimisticCaller> implements Early {
  readonly rows: InFlightOverlay;
  readonly counters: Counters;
  readonly #environment: Environment;
  readonly #figures: CommitMetrics;
  readonly #abort: (given: Aborted<C>) => void;
  readonly #onStuck: (failure: Failure) => void;
  readonly #log: WriteAheadLog;
  /** Decided, and to be written next. */
  #gathering = new Batch<C>();
  /** On its way to the disk. */
  #written: Batch<C> | undefined;
  /** Spaces known to live. */
  readonly #living = new Set<number>();
  /** The last tick in the file, if all that was written since is this object's. */
  #basis: bigint | undefined;
  #isScheduled = false;
  #writtenCount = 0;
  #whenIdle: (() => void)[] = [];

  constructor({ environment, counters, figures, isAmple, onStuck, abort }: OptimisticCommitsOptions<C>) {
    this.#onStuck = onStuck;
    this.#environment = environment;
    this.counters = counters;
    this.#figures = figures;
    this.#abort = abort;
    this.#log = new WriteAheadLog({
      environment,
      counters,
      isAmple,
      onApplied: failure => this.#goOn(failure),
    });
    this.rows = new InFlightOverlay(environment.rows, environment.longKeys.chunk, this.#log.recent);
  }

  /** Durable, and not in the tree yet. */
  get recent(): WalOverlay {
    return this.#log.recent;
  }

  /** Nothing waits to be durable. */
  get isIdle(): boolean {
    return this.#written === undefined && this.#gathering.callers.length === 0;
  }

  /** What is durable cannot be brought into the tree. */
  get isStuck(): boolean {
    return this.#log.isStuck;
  }

  /** Batches that were written, to the log or to the tree. */
  get writtenCount(): number {
    return this.#writtenCount;
  }

  /** Something is decided that is not on its way to the disk. */
  get isGathering(): boolean {
    return this.#gathering.callers.length > 0;
  }

  /** Callers whose commits are decided and not durable. */
  get waitingCount(): number {
    return this.#gathering.callers.length + (this.#written === undefined ? 0 : this.#written.callers.length);
  }

  /** Fulfilled when all that was decided is in the tree or given up, or with what keeps it from that. */
  async idle(): Promise<Failure | undefined> {
    while (!this.isIdle) await new Promise<void>(fulfil => this.#whenIdle.push(fulfil));
    return this.#log.drain();
  }

  /** From now on changes go to the log, whose mark is in the catalogue. */
  useLog(file: LogFile): void {
    this.#log.begin(file);
  }

  /** When idle. */
  close(): Promise<void> {
    return this.#log.close();
  }

  /** To be called when something else has written. Only when idle. */
  forget(): void {
    this.#basis = undefined;
    this.#living.clear();
  }

  /** True if the caller will be settled or given up; false if its commit needs a transaction. */
  add(caller: C): boolean {
    const batch = this.#gathering;
    if (batch.callers.length >= BATCH_CALLERS_MAX || batch.bytes >= BATCH_BYTES_MAX) return false;
    this.#environment.refreshSnapshot();
    if (this.#basis === undefined) {
      if (!this.#log.isEmpty || this.#environment.isLogForeign()) return false;
      this.counters.load(this.#environment.catalog);
      this.#basis = this.counters.tick;
    }
    if (!caller.decideOptimistically(this)) return false;
    batch.callers.push(caller);
    this.#schedule();
    return true;
  }

  isLiving(space: Space): boolean {
    if (this.#living.has(space.id)) return true;
    if (!this.#environment.catalog.isLiving(space)) return false;
    this.#living.add(space.id);
    return true;
  }

  note(change: Change): void {
    this.#gathering.changes.push(change);
    this.#gathering.bytes += change.bytes?.length ?? 0;
  }

  /** After all callers that are ready to be heard, as long as that is soon: they share a wait for the disk. */
  #schedule(): void {
    if (this.#written !== undefined) return;
    if (this.#gathering.bytes >= BYTES_AT_ONCE) {
      this.#writeNext();
      return;
    }
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      if (this.#written === undefined) this.#writeNext();
    });
  }

  #writeNext(): void {
    const batch = this.#gathering;
    if (batch.changes.length === 0) {
      this.#gathering = new Batch();
      for (const caller of batch.callers) caller.settle();
      this.#becomeIdle();
      return;
    }
    const place = this.#log.placeFor(batch.changes, batch.bytes, batch.callers.length);
    if (place === 'later') return;
    this.#gathering = new Batch();
    this.#written = batch;
    void this.#write(batch, place === 'log');
  }

  /** The tree was brought up, or could not be: what waited for that is written, or decided anew when it can be. */
  #goOn(failure: Failure | undefined): void {
    if (failure !== undefined) this.#onStuck(failure);
    if (this.#written !== undefined || !this.isGathering) return;
    if (failure !== undefined) this.#lose([]);
    else this.#writeNext();
  }

  #becomeIdle(): void {
    for (const fulfil of this.#whenIdle) fulfil();
    this.#whenIdle = [];
  }

  async #write(batch: Batch<C>, isLogged: boolean): Promise<void> {
    const began = performance.now();
    const basis = this.#basis ?? 0n;
    while (!isComparable(this.counters.tick)) this.counters.useTick(this.counters.tick + 1n);
    this.#basis = this.counters.tick;
    try {
      const decided = { basis, tick: this.counters.tick, changes: batch.changes };
      const outcome = await (isLogged ? this.#log.append(decided) : this.#log.pass(decided));
      this.#writtenCount += 1;
      if (outcome === 'unknown') this.#figures.fail();
      else if (outcome !== 'lost') this.#figures.commit(batch.callers.length, began);
      this.#end(batch, outcome);
    } catch (reason) {
      this.#figures.fail();
      this.#end(batch, 'lost', { reason });
    }
  }

  #end(batch: Batch<C>, outcome: Appended, failure?: Failure): void {
    this.#written = undefined;
    for (const change of batch.changes) this.rows.forget(change);
    // The next is on its way before these are answered, whose answers call forth the one after it.
    if (outcome === 'durable') this.#writeNext();
    if (outcome === 'unknown') this.#failUnknown(batch.callers);
    else if (outcome !== 'lost') for (const caller of batch.callers) caller.settle();
    if (outcome !== 'durable') this.#lose(outcome === 'lost' ? batch.callers : [], failure);
  }

  /** To decide anew could do twice what was done. */
  #failUnknown(callers: readonly C[]): void {
    const what = 'Another process writes here too, and whether this change was made is not known.';
    const failure = new StoreError('busy', `${this.#environment.path}: ${what}`);
    for (const caller of callers) caller.fail(failure);
  }

  /** The callers' changes are not durable, and what was decided after them was decided on rows that are not so. */
  #lose(written: readonly C[], failure?: Failure): void {
    const { callers, changes } = this.#gathering;
    this.#gathering = new Batch();
    for (const change of changes) this.rows.forget(change);
    this.forget();
    this.#abort({ written, undecided: callers, ...(failure === undefined ? {} : { failure }) });
    this.#becomeIdle();
  }
}
