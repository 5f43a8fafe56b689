// Commits decided before the right to write is there: on the rows as they will be when all that was decided before is
// durable. LMDB's own thread then carries out the finished puts, so that this one goes on hearing callers while the disk
// works, and the next transaction follows at once.
//
// Right for one writer only. That nobody else wrote is asked again of each transaction: it happens only if the last tick
// in the file is the one that this store put there. If it is not, or the write fails, everything that was decided and is
// not durable is decided anew inside transactions (commit-queue.ts), in the same order. No caller is answered before its
// changes, and all that its decision saw, are durable.
import type { Space } from '#store';
import { isComparable } from './catalog.js';
import type { CommitFigures } from './commit-figures.js';
import type { Counters } from './counters.js';
import type { Environment } from './environment.js';
import { type Change, PendingRows } from './pending-rows.js';
import { RecentRows } from './recent-rows.js';

/** Someone whose commit is decided early. */
export interface EarlyCaller {
  /** Has the commit decide; false if it needs a transaction, and then nothing of it was noted. */
  decideEarly(early: Early): boolean;
  settle(): void;
}

/** What an early decision may use. */
export interface Early {
  readonly rows: PendingRows;
  readonly counters: Counters;
  /** Whether this generation of the space exists. */
  isLiving(space: Space): boolean;
  /** Has the change written with all others that are noted. */
  note(change: Change): void;
}

/** What is not durable: of a write that was tried, and decided after it. In order. */
export interface GivenUp<C> {
  readonly written: readonly C[];
  readonly undecided: readonly C[];
  /** Why the write failed; absent if somebody else had written. */
  readonly failure?: { readonly reason: unknown };
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

export interface EarlyCommitsOptions<C> {
  readonly environment: Environment;
  readonly counters: Counters;
  readonly figures: CommitFigures;
  readonly giveUp: (given: GivenUp<C>) => void;
}

export class EarlyCommits<C extends EarlyCaller> implements Early {
  readonly rows: PendingRows;
  readonly counters: Counters;
  readonly #environment: Environment;
  readonly #figures: CommitFigures;
  readonly #giveUp: (given: GivenUp<C>) => void;
  /** Decided, and to be written next. */
  #gathering = new Batch<C>();
  /** On its way to the disk. */
  #written: Batch<C> | undefined;
  /** Spaces known to live. */
  readonly #living = new Set<number>();
  /** The last tick in the file, if all that was written since is this object's. */
  #basis: bigint | undefined;
  #isScheduled = false;
  #whenIdle: (() => void)[] = [];

  constructor({ environment, counters, figures, giveUp }: EarlyCommitsOptions<C>) {
    this.#environment = environment;
    this.counters = counters;
    this.#figures = figures;
    this.#giveUp = giveUp;
    this.rows = new PendingRows(environment.rows, environment.longKeys.chunk, new RecentRows());
  }

  get isIdle(): boolean {
    return this.#written === undefined && this.#gathering.callers.length === 0;
  }

  /** Something is decided that is not on its way to the disk. */
  get isGathering(): boolean {
    return this.#gathering.callers.length > 0;
  }

  /** Callers whose commits are decided and not durable. */
  get waitingCount(): number {
    return this.#gathering.callers.length + (this.#written === undefined ? 0 : this.#written.callers.length);
  }

  /** Fulfilled when all that was decided is durable or given up. */
  idle(): Promise<void> {
    if (this.isIdle) return Promise.resolve();
    return new Promise(fulfil => {
      this.#whenIdle.push(fulfil);
    });
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
    this.#environment.freshen();
    if (this.#basis === undefined) {
      this.counters.load(this.#environment.catalog);
      this.#basis = this.counters.tick;
    }
    if (!caller.decideEarly(this)) return false;
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
    this.#gathering = new Batch();
    if (batch.changes.length > 0) {
      this.#written = batch;
      void this.#write(batch);
    } else {
      for (const caller of batch.callers) caller.settle();
      this.#becomeIdle();
    }
  }

  #becomeIdle(): void {
    for (const fulfil of this.#whenIdle) fulfil();
    this.#whenIdle = [];
  }

  async #write(batch: Batch<C>): Promise<void> {
    const began = performance.now();
    try {
      if (await this.#writeChanges(batch.changes)) {
        this.#figures.commit(batch.callers.length, began);
        this.#end(batch);
      } else this.#end(batch, {});
    } catch (reason) {
      this.#figures.fail();
      this.#end(batch, { failure: { reason } });
    }
  }

  #writeChanges(changes: readonly Change[]): Promise<boolean> {
    const { catalog, rows } = this.#environment;
    const basis = this.#basis ?? 0n;
    while (!isComparable(this.counters.tick)) this.counters.useTick(this.counters.tick + 1n);
    this.#basis = this.counters.tick;
    return catalog.writeIfTick(basis, () => {
      for (const { key, bytes } of changes) rows.apply(key, bytes);
      this.counters.save(catalog);
    });
  }

  #end(batch: Batch<C>, loss?: Pick<GivenUp<C>, 'failure'>): void {
    this.#written = undefined;
    for (const change of batch.changes) this.rows.forget(change);
    if (loss === undefined) {
      // The next is on its way before these are answered, whose answers call forth the one after it.
      this.#writeNext();
      for (const caller of batch.callers) caller.settle();
      return;
    }
    const { callers, changes } = this.#gathering;
    this.#gathering = new Batch();
    for (const change of changes) this.rows.forget(change);
    this.forget();
    this.#giveUp({ written: batch.callers, undecided: callers, ...loss });
    this.#becomeIdle();
  }
}
