// Group commit: what waits to be written shares one LMDB transaction and one wait for the disk. While a group is on its
// way to the disk the next one gathers; a lone change is not delayed. It knows nothing of spaces and rows.

import { StoreError } from '#store';
import type { Environment } from '../environment.js';
import type { Counters } from '../layout/counters.js';
import { EngineError } from '../lmdb/engine-error.js';
import type { LogFile } from '../wal/log-file.js';
import { WalOverlay } from '../wal/wal-overlay.js';
import type { Failure } from '../wal/write-ahead-log.js';
import { CommitMetrics } from './commit-metrics.js';
import type { DiskReserve } from './disk-reserve.js';
import { type Aborted, type Early, type OptimisticCaller, OptimisticCommits } from './optimistic-commits.js';

/** A change, made inside a write transaction. */
export interface Work<T> {
  /**
   * Gives the answer for the caller. What it throws before its first change to a tree is for its caller alone, and it
   * throws nothing later but an `EngineError`: that fails the whole transaction, which LMDB then refuses to commit.
   * Called again if the transaction was full and the work is tried on its own.
   */
  run(group: Group): T;
  /** Decides without a transaction, if this kind of work can; undefined if it needs one, and then it has noted nothing. */
  runOptimistically?(early: Early): { readonly answer: T } | undefined;
}

/** What the works of one transaction share. */
export interface Group {
  readonly counters: Counters;
  /** Bytes put so far. */
  bytes: number;
  /** A space that is known to live as far as this transaction has come, by its id. */
  livingSpace: number | undefined;
  /** False while there is no space but for changes that put nothing. */
  readonly mayGrow: boolean;
  /** Something was put. */
  didGrow: boolean;
}

/** To be called by a work before it puts anything: fails, for its caller alone, if there is no space for it. */
export function grow(group: Group): void {
  if (!group.mayGrow) throw new StoreError('full', 'No space is left on the disk to write to.');
  group.didGrow = true;
}

/** A piece of work in the background, in a transaction of its own; gives false when nothing is left to do. */
export type BackgroundTask = () => boolean;

const NONE = new WalOverlay();
const GROUP_WORKS_MAX = 1000;
/** Works that may wait: five groups. What each of them holds in memory is bounded by who adds it. */
export const WAITING_WORKS_MAX = 5000;
const GROUP_BYTES_MAX = 8 * 1024 * 1024;
/** Groups after which the background gets a turn although works wait. */
const GROUPS_BETWEEN_CHORES = 16;

export interface CommitQueueOptions {
  readonly environment: Environment;
  readonly counters: Counters;
  readonly chore: BackgroundTask;
  /** True if no other process writes to the file. Then works are decided early where they can be (early-commits.ts). */
  readonly exclusive?: boolean | undefined;
  readonly room: DiskReserve;
  /** Works that may wait; default 5,000. */
  readonly waitingMax?: number | undefined;
}

export class CommitQueue {
  readonly figures = new CommitMetrics();
  readonly #environment: Environment;
  readonly #counters: Counters;
  readonly #chore: BackgroundTask;
  readonly #early: OptimisticCommits<Waiting> | undefined;
  #earlyFailure: Failure | undefined;
  readonly #room: DiskReserve;
  readonly #waitingMax: number;
  #waiting: Waiting[] = [];
  /** The works of the transaction under way. */
  #group: Waiting[] = [];
  #shared: Group | undefined;
  /** Works at the head of `waiting` that are tried one by one because together they were too much. */
  #alone = 0;
  /** Works at the head of `waiting` that were decided early in vain: they get a transaction. */
  #owed = 0;
  #choreState: 'none' | 'ready' | 'blocked' = 'none';
  #groupsSinceChore = 0;
  #isRunning = false;
  #isStopping = false;
  #run: Promise<void> | undefined;
  #broken: EngineError | undefined;

  constructor({ environment, counters, chore, room, exclusive = false, waitingMax }: CommitQueueOptions) {
    this.#environment = environment;
    this.#counters = counters;
    this.#chore = chore;
    this.#room = room;
    this.#waitingMax = waitingMax ?? WAITING_WORKS_MAX;
    if (exclusive)
      this.#early = new OptimisticCommits({
        environment,
        counters,
        figures: this.figures,
        isAmple: () => room.isAmple(),
        onStuck: failure => void this.#explain(failure.reason),
        abort: given => this.#releaseBuffer(given),
      });
  }

  /** Works that wait, or are on their way to the disk. */
  get depth(): number {
    return this.#waitingCount() + this.#group.length;
  }

  /** Batches of works that were decided early. */
  get earlyCount(): number {
    return this.#early?.writtenCount ?? 0;
  }

  /** From now on what is decided early goes to the log, whose mark is in the catalogue. */
  useLog(file: LogFile): void {
    this.#early?.useLog(file);
  }

  /** Durable, and not in the tree yet. */
  get recent(): WalOverlay {
    return this.#early?.recent ?? NONE;
  }

  /** LMDB has given up the file: nothing is committed any more until it is opened again. */
  get isBroken(): boolean {
    return this.#broken !== undefined;
  }

  /** Fulfilled with the work's answer when all it changed is durable; fails with `busy` if too many wait. */
  add<T>(work: Work<T>): Promise<T> {
    if (this.#waitingCount() >= this.#waitingMax) return Promise.reject(this.#overfull());
    return new Promise((fulfil, reject) => {
      const waiting = new WaitingWork(work, fulfil, reject);
      if (this.#isEarly() && this.#early?.add(waiting)) return;
      this.#waiting.push(waiting);
      this.#start();
    });
  }

  #waitingCount(): number {
    return this.#waiting.length + (this.#early?.waitingCount ?? 0);
  }

  #overfull(): StoreError {
    return new StoreError(
      'busy',
      `${this.#environment.path}: ${this.#waitingMax} writes are waiting already.`,
    );
  }

  /** There may be something to do in the background. */
  addChore(): void {
    this.#choreState = 'ready';
    this.#start();
  }

  /** Fulfilled when nothing waits any more. What the background has to do is left. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    do {
      await this.#run;
      await this.#early?.idle();
    } while (this.#isRunning);
    await this.#early?.close();
  }

  #start(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#run = this.#work();
  }

  /**
   * Works keep their order: early ones go before those that need a transaction, and none before those that wait for one.
   * While space is short every work has its transaction, which knows what may be put.
   */
  #isEarly(): boolean {
    return !this.#isRunning && this.#canBeEarly();
  }

  #canBeEarly(): boolean {
    if (this.#early === undefined || this.#choreState !== 'none' || this.#broken !== undefined) return false;
    if (this.#early.isStuck) return false;
    return this.#early.isGathering || (!this.#room.isShort && this.#room.mayGrow());
  }

  /** What early commits gave up is decided again; if it was too much together, one by one. */
  #releaseBuffer({ written, undecided, failure }: Aborted<Waiting>): void {
    this.#waiting = [...written, ...undecided, ...this.#waiting];
    this.#earlyFailure = failure;
    this.#owed = written.length + undecided.length;
    if (failure !== undefined) this.#alone = written.length;
    this.#start();
  }

  async #work(): Promise<void> {
    while (this.#waiting.length > 0 || this.#isChoreReady()) {
      this.#moveToEarly();
      if (this.#waiting.length === 0 && !this.#isChoreReady()) break;
      const failure = await this.#early?.idle();
      await this.#explainEarly();
      if (failure !== undefined) await this.#failBehind(failure);
      else if (this.#broken !== undefined) this.#failAll(this.#broken);
      else if (this.#isChoreNext()) await this.#commitChore();
      else if (this.#waiting.length > 0) await this.#commitGroup();
      this.#early?.forget();
    }
    this.#isRunning = false;
  }

  /** What waits is decided early again as soon as it can be: one work that needs a transaction does not hold up a stream. */
  #moveToEarly(): void {
    if (this.#early === undefined || this.#owed > 0 || !this.#canBeEarly()) return;
    let moved = 0;
    for (const waiting of this.#waiting) {
      if (!this.#early.add(waiting)) break;
      moved += 1;
    }
    this.#waiting = this.#waiting.slice(moved);
  }

  async #explainEarly(): Promise<void> {
    const failure = this.#earlyFailure;
    this.#earlyFailure = undefined;
    if (failure !== undefined) await this.#explain(failure.reason);
  }

  /** What is durable in the log has to get into the tree before anything is done there. */
  async #failBehind({ reason }: Failure): Promise<void> {
    const explained = await this.#explain(reason);
    if (isFull(explained) && this.#room.release()) return;
    this.#failAll(explained);
    if (this.#choreState === 'ready') this.#choreState = 'blocked';
  }

  #isChoreReady(): boolean {
    return this.#choreState === 'ready' && !this.#isStopping && this.#broken === undefined;
  }

  #isChoreNext(): boolean {
    if (!this.#isChoreReady()) return false;
    return this.#waiting.length === 0 || this.#groupsSinceChore >= GROUPS_BETWEEN_CHORES;
  }

  async #commitGroup(): Promise<void> {
    this.#groupsSinceChore += 1;
    const began = performance.now();
    try {
      await this.#environment.transaction(() => this.#runWorks());
      this.figures.commit(this.#group.length, began);
      for (const waiting of this.#group) waiting.settle();
      if (this.#shared !== undefined) this.#room.wrote(this.#shared.bytes, this.#shared.didGrow);
      if (this.#choreState === 'blocked') this.#choreState = 'ready';
    } catch (error) {
      this.figures.fail();
      this.#failGroup(await this.#explain(error));
    }
    this.#group = [];
  }

  #runWorks(): void {
    const worksMax = this.#alone > 0 ? 1 : GROUP_WORKS_MAX;
    const group: Group = {
      counters: this.#counters,
      bytes: 0,
      livingSpace: undefined,
      mayGrow: this.#room.mayGrow(),
      didGrow: false,
    };
    this.#shared = group;
    try {
      this.#counters.load(this.#environment.catalog);
      for (const waiting of this.#waiting) {
        if (this.#group.length >= worksMax || group.bytes >= GROUP_BYTES_MAX) break;
        this.#group.push(waiting);
        waiting.run(group);
      }
      this.#counters.save(this.#environment.catalog);
    } finally {
      this.#waiting = this.#waiting.slice(this.#group.length);
      this.#alone = Math.max(0, this.#alone - this.#group.length);
      this.#owed = Math.max(0, this.#owed - this.#group.length);
    }
  }

  async #commitChore(): Promise<void> {
    this.#groupsSinceChore = 0;
    try {
      let isMore = false;
      await this.#environment.transaction(() => {
        isMore = this.#chore();
      });
      this.#choreState = isMore ? 'ready' : 'none';
    } catch (error) {
      // Tried again when something else has been committed, so that a full disk is not asked over and over.
      this.#choreState = isFull(await this.#explain(error)) && this.#room.release() ? 'ready' : 'blocked';
    }
  }

  async #explain(error: unknown): Promise<unknown> {
    const { path } = this.#environment;
    const failure = await this.#environment.explain(error);
    if (!this.#environment.isSound()) {
      this.#broken = new EngineError('closed', `${path} gave up after a failed write.`, failure);
    }
    return failure;
  }

  #failGroup(failure: unknown): void {
    if (isFull(failure) && this.#makesSense()) {
      this.#alone = this.#group.length;
      this.#owed = this.#alone;
      this.#waiting = [...this.#group, ...this.#waiting];
      return;
    }
    for (const waiting of this.#group) waiting.fail(failure);
    // What fails before the first work would fail again and again: it takes with it all that waits.
    if (this.#group.length === 0) this.#failAll(failure);
  }

  /** Whether what found no space may find some if it is tried again, alone. */
  #makesSense(): boolean {
    if (this.#group.length > 1) return true;
    if (this.#group.length === 1 && this.#shared?.didGrow === false) return this.#room.release();
    this.#room.refuse();
    return false;
  }

  #failAll(failure: unknown): void {
    for (const waiting of this.#waiting) waiting.fail(failure);
    this.#waiting = [];
    this.#alone = 0;
    this.#owed = 0;
  }
}

const isFull = (failure: unknown): boolean => failure instanceof EngineError && failure.code === 'full';

/** A work that waits for a transaction, without the type of its answer. */
interface Waiting extends OptimisticCaller {
  run(group: Group): void;
}

type Outcome<T> = { readonly answer: T } | { readonly error: unknown };

class WaitingWork<T> implements Waiting {
  readonly #work: Work<T>;
  readonly #fulfil: (answer: T) => void;
  readonly #reject: (error: unknown) => void;
  #outcome: Outcome<T> | undefined;

  constructor(work: Work<T>, fulfil: (answer: T) => void, reject: (error: unknown) => void) {
    this.#work = work;
    this.#fulfil = fulfil;
    this.#reject = reject;
  }

  run(group: Group): void {
    try {
      this.#outcome = { answer: this.#work.run(group) };
    } catch (error) {
      if (error instanceof EngineError) throw error;
      this.#outcome = { error };
    }
  }

  decideOptimistically(early: Early): boolean {
    if (this.#work.runOptimistically === undefined) return false;
    try {
      this.#outcome = this.#work.runOptimistically(early);
    } catch (error) {
      if (error instanceof EngineError) return false;
      this.#outcome = { error };
    }
    return this.#outcome !== undefined;
  }

  settle(): void {
    if (this.#outcome === undefined) return;
    if ('answer' in this.#outcome) this.#fulfil(this.#outcome.answer);
    else this.#reject(this.#outcome.error);
  }

  /** The transaction failed, which is not the answer to a work that had failed by itself. */
  fail(failure: unknown): void {
    if (this.#outcome !== undefined && 'error' in this.#outcome) this.#reject(this.#outcome.error);
    else this.#reject(failure);
  }
}
