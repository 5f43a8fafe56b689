// The order in which a store's changes are decided and made durable. Works wait in one queue. A process that has its
// directory to itself first offers each to the batches of the log (logged-batches.ts), which decide it at once; works
// that need LMDB's tree itself, and everything while there is no log, are committed in groups (group.ts). While
// one group is being written the next one gathers; a lone work is not delayed. Before a group begins, the log's changes
// go into the tree, so the two never overtake each other.
import { CommitCounts } from '#base';
import { StoreError } from '#store';
import { EngineError } from '../lmdb/engine-error.js';
import { Overlay } from '../overlay.js';
import type { Failure } from '../wal/index.js';
import { type BackgroundTask, TaskTurns } from './background-task.js';
import {
  type Commit,
  type CommittedGroup,
  commitGroup,
  type GroupParts,
  type Submission,
  type Work,
} from './group.js';
import { fail, LoggedBatches, settle } from './logged-batches.js';

export interface CommitStatistics {
  /** Of groups and batches; works of those that failed were rejected or retried. */
  readonly counts: CommitCounts;
  /** Works that wait, or are being written. */
  readonly depth: number;
  /** LMDB has failed the file: nothing can be committed until it is opened again. */
  readonly hasGivenUp: boolean;
}

/** Commits and works that may wait. The caller that adds one bounds the memory it holds. */
const WAITING_WORKS_MAX = 5000;
/** Groups before a log is begun: a store that writes less does not need its 8 MiB. */
const LOG_AFTER = 8;

interface CommitOrderOptions extends GroupParts {
  readonly task: BackgroundTask;
  /** Works that may wait or be written; default 5,000. */
  readonly waitingMax?: number | undefined;
  /** No other process writes, and each answer needs a sync. */
  readonly isLogged: boolean;
  /** Groups before the log is begun. */
  readonly logAfter?: number | undefined;
}

export class CommitOrder {
  /** What is durable and not in the tree, for readers. */
  readonly overlay: Overlay;
  readonly #parts: GroupParts;
  readonly #runTask: BackgroundTask;
  readonly #waitingMax: number;
  readonly #logAfter: number;
  readonly #counts = new CommitCounts();
  readonly #log: LoggedBatches | undefined;
  readonly #task = new TaskTurns();
  /** For the next groups, with those of the group being written at the head. */
  #waiting: Submission[] = [];
  /** Works at the head of `#waiting` that are retried one by one because together they were too much. */
  #oneByOne = 0;
  /** Works at the head of `#waiting` that the log could not make durable: they must use a transaction. */
  #givenBack = 0;
  #logFailure: Failure | undefined;
  /** A group is about to begin or in progress: what is decided without a transaction would overtake it. */
  #isBusy = false;
  #isRunning = false;
  #run: Promise<void> | undefined;
  #groupCount = 0;
  #beginning: Promise<void> | undefined;
  #broken: EngineError | undefined;

  constructor(options: CommitOrderOptions) {
    const { environment, counters, reserve, task, isLogged } = options;
    const { waitingMax = WAITING_WORKS_MAX, logAfter = LOG_AFTER } = options;
    this.#parts = { environment, counters, reserve };
    this.#runTask = task;
    this.#waitingMax = waitingMax;
    this.#logAfter = logAfter;
    if (isLogged)
      this.#log = new LoggedBatches({
        environment,
        counters,
        reserve,
        counts: this.#counts,
        onReturn: (tried, others, failure) => this.#takeBack(tried, others, failure),
        onFailure: reason => void this.#explain(reason),
      });
    this.overlay = this.#log?.overlay ?? new Overlay();
  }

  /**
   * Fulfilled with the decision's result when all its changes are durable, or with undefined if the space is gone;
   * fails with `busy` if too many wait.
   */
  commit<R>(work: Commit<R>): Promise<R | undefined> {
    if (this.#depth >= this.#waitingMax) return this.#refuse();
    return new Promise((fulfil, reject) => {
      const submission: Submission = { work, fulfil, reject, outcome: undefined };
      // It must overtake nothing.
      if (this.#waiting.length === 0 && !this.#isBusy && this.#log?.accept(submission)) return;
      this.#enqueue(submission);
      if (this.#log !== undefined && this.#groupCount >= this.#logAfter) void this.begin();
    });
  }

  /** Fulfilled with the work's answer when all its changes are durable; fails as `commit` does. */
  submit<T>(work: Work<T>): Promise<T> {
    return this.#depth >= this.#waitingMax ? this.#refuse() : this.#enter(work);
  }

  /** Call when there may be something to do in the background. */
  wake(): void {
    this.#task.wake();
    this.#start();
  }

  /** Groups that were begun. */
  get groupCount(): number {
    return this.#groupCount;
  }

  statistics(): CommitStatistics {
    return {
      counts: this.#counts,
      depth: this.#depth,
      hasGivenUp: this.#broken !== undefined,
    };
  }

  /**
   * Fulfilled when nothing waits any more and the tree has everything that is durable, or cannot take it. Background
   * tasks are left undone.
   */
  async drain(): Promise<void> {
    do {
      while (this.#isRunning) await this.#run;
      await this.#log?.settle();
    } while (this.#depth > 0);
  }

  /** Drains; the data file is then the whole store. */
  async close(): Promise<void> {
    await this.#beginning;
    this.#task.stop();
    await this.drain();
    await this.#log?.close();
  }

  /** Begins a log, once. Without one a store is only slower. */
  begin(): Promise<void> {
    // It waits however many wait: it is tried once, and makes the queue shorter.
    this.#beginning ??= this.#log?.begin(place => this.#enter({ run: place })) ?? Promise.resolve();
    return this.#beginning;
  }

  get #depth(): number {
    return this.#waiting.length + (this.#log?.inFlight ?? 0);
  }

  #refuse(): Promise<never> {
    const what = `${this.#parts.environment.path}: ${this.#waitingMax} writes are waiting already.`;
    return Promise.reject(new StoreError('busy', what));
  }

  #enter<T>(work: Work<T>): Promise<T> {
    return new Promise((fulfil, reject) => this.#enqueue({ work, fulfil, reject, outcome: undefined }));
  }

  #enqueue(submission: Submission): void {
    this.#waiting.push(submission);
    this.#start();
  }

  #start(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#run = this.#work();
  }

  async #work(): Promise<void> {
    while (this.#waiting.length > 0 || this.#task.isReady) {
      this.#moveToLog();
      if (this.#task.isNext(this.#waiting.length)) await this.#commitTask();
      else if (this.#waiting.length > 0) await this.#commitNext();
    }
    this.#isRunning = false;
  }

  /**
   * Returns to deciding without a transaction as soon as possible: one work that needs a transaction does not hold up a
   * stream.
   */
  #moveToLog(): void {
    if (this.#log === undefined || this.#givenBack > 0 || this.#broken !== undefined) return;
    let moved = 0;
    for (const submission of this.#waiting) {
      if (!this.#log.accept(submission)) break;
      moved += 1;
    }
    this.#waiting = this.#waiting.slice(moved);
  }

  async #commitNext(): Promise<void> {
    this.#isBusy = true;
    const failure = await this.#log?.settle();
    const logFailure = this.#logFailure;
    this.#logFailure = undefined;
    if (logFailure !== undefined) await this.#explain(logFailure.reason);
    if (failure !== undefined) await this.#failBehind(failure);
    else if (this.#broken !== undefined) this.#failAll(this.#broken);
    else await this.#commitGroup();
    this.#log?.forget();
    this.#isBusy = this.#broken !== undefined;
  }

  /** Changes that are durable in the log have to reach the tree before anything else is done there. */
  async #failBehind({ reason }: Failure): Promise<void> {
    const explained = await this.#explain(reason);
    if (isFull(explained) && this.#parts.reserve.release()) return;
    this.#failAll(explained);
    this.#task.block();
  }

  async #commitGroup(): Promise<void> {
    this.#groupCount += 1;
    const began = performance.now();
    const group = await commitGroup(this.#parts, this.#waiting, this.#oneByOne > 0 ? 1 : undefined);
    this.#task.countGroup(group.failure === undefined);
    if (group.failure === undefined) {
      this.#counts.done(group.count, began);
      for (const submission of this.#leave(group.count)) settle(submission);
      this.#parts.reserve.wrote(group.bytes, group.didGrow);
    } else {
      this.#counts.failures += 1;
      this.#failGroup(group, await this.#explain(group.failure.reason));
    }
  }

  #failGroup(group: CommittedGroup, failure: unknown): void {
    if (isFull(failure) && this.#makesSense(group)) {
      this.#oneByOne = Math.max(this.#oneByOne, group.count);
      this.#givenBack = Math.max(this.#givenBack, group.count);
      return;
    }
    for (const submission of this.#leave(group.count)) fail(submission, failure);
    // A failure before the first work would repeat for each work: it rejects everything that waits.
    if (group.count === 0) this.#failAll(failure);
  }

  /** Whether a work that found no space may find some when it is retried alone. */
  #makesSense({ count, didGrow }: CommittedGroup): boolean {
    if (count > 1) return true;
    if (count === 1 && !didGrow) return this.#parts.reserve.release();
    this.#parts.reserve.refuse();
    return false;
  }

  #failAll(failure: unknown): void {
    for (const submission of this.#leave(this.#waiting.length)) fail(submission, failure);
  }

  /** Removes works from the head of the queue, and returns them. */
  #leave(count: number): readonly Submission[] {
    this.#oneByOne = Math.max(0, this.#oneByOne - count);
    this.#givenBack = Math.max(0, this.#givenBack - count);
    return this.#waiting.splice(0, count);
  }

  /** Changes only rows of dropped spaces, which no work and no record of the log touches. So it waits for neither. */
  async #commitTask(): Promise<void> {
    try {
      let isMore = false;
      await this.#parts.environment.transaction(() => {
        isMore = this.#runTask();
      });
      this.#task.end(isMore);
    } catch (error) {
      if (isFull(await this.#explain(error)) && this.#parts.reserve.release()) this.#task.end(true);
      else this.#task.block();
    }
  }

  /**
   * Takes back, in order, what the log accepted and could not make durable, to be decided again. If `tried` was too
   * much together, one by one.
   */
  #takeBack(tried: readonly Submission[], others: readonly Submission[], failure: Failure | undefined): void {
    this.#waiting = [...tried, ...others, ...this.#waiting];
    this.#givenBack = tried.length + others.length;
    this.#logFailure = failure;
    if (failure !== undefined) this.#oneByOne = tried.length;
    this.#start();
  }

  /** The reason for a failure, as an `EngineError` if it came from LMDB. Finds out whether LMDB has failed the file. */
  async #explain(error: unknown): Promise<unknown> {
    const { path } = this.#parts.environment;
    const failure = await this.#parts.environment.explain(error);
    if (!this.#parts.environment.isSound()) {
      this.#broken = new EngineError('closed', `${path} gave up after a failed write.`, failure);
      this.#isBusy = true;
      this.#task.stop();
    }
    return failure;
  }
}

const isFull = (failure: unknown): boolean => failure instanceof EngineError && failure.code === 'full';
