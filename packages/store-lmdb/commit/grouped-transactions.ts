// Group commit in LMDB: waiting works share one transaction and its two waits for the disk. While one group is being
// written the next one gathers; a lone work is not delayed. Each work is decided under LMDB's write lock, so several
// processes may do this in one directory. This file knows nothing of spaces and rows.
//
// With a write-ahead log in front (logged-commits.ts) only works that need the tree itself come here, and the log's
// changes go into the tree before each group.
import type { Environment } from '../environment.js';
import type { Counters } from '../layout/catalog.js';
import type { DiskReserve } from '../lmdb/disk-reserve.js';
import { EngineError } from '../lmdb/engine-error.js';
import { Overlay } from '../wal/overlay.js';
import type { Failure } from '../wal/write-ahead-log.js';
import {
  type Commit,
  CommitMetrics,
  type CommitStatistics,
  type Commits,
  fail,
  type Group,
  overfull,
  runIn,
  type Submission,
  settle,
  WAITING_WORKS_MAX,
  type Work,
} from './commits.js';

/** A background task, in a transaction of its own; returns false when nothing is left to do. */
export type BackgroundTask = () => boolean;

const GROUP_WORKS_MAX = 1000;
const GROUP_BYTES_MAX = 8 * 1024 * 1024;
/** Groups after which the background gets a turn although works wait. */
const GROUPS_BETWEEN_TASKS = 16;

/** Decides works without a transaction, where it can. */
export interface Front {
  /** True if the work is decided, and will be answered or returned. */
  accept(submission: Submission): boolean;
  /** Fulfilled when the tree has everything that was accepted, or with the reason why it cannot. */
  settle(): Promise<Failure | undefined>;
  /** A transaction has ended: cached knowledge of the tree is invalid. */
  forget(): void;
}

export interface GroupedTransactionsOptions {
  readonly environment: Environment;
  readonly counters: Counters;
  readonly task: BackgroundTask;
  readonly reserve: DiskReserve;
  /** Works that may wait; default 5,000. */
  readonly waitingMax?: number | undefined;
  readonly front?: Front | undefined;
  readonly metrics?: CommitMetrics | undefined;
}

export class GroupedTransactions implements Commits {
  readonly overlay = new Overlay();
  readonly #environment: Environment;
  readonly #counters: Counters;
  readonly #task: BackgroundTask;
  readonly #front: Front | undefined;
  readonly #reserve: DiskReserve;
  readonly #waitingMax: number;
  readonly #metrics: CommitMetrics;
  /** For the next transactions. */
  waiting: Submission[] = [];
  /**
   * A group is about to begin or in progress, or none can begin any more. While this is false and none waits, a work
   * without a transaction overtakes nothing.
   */
  isBusy = false;
  /** The works of the transaction in progress. */
  #group: Submission[] = [];
  #shared: Group | undefined;
  #groupCount = 0;
  /** Works at the head of `waiting` that are retried one by one because together they were too much. */
  #oneByOne = 0;
  /** Works at the head of `waiting` that the front returned: they must use a transaction. */
  #givenBack = 0;
  #frontFailure: Failure | undefined;
  #taskState: 'none' | 'ready' | 'blocked' = 'none';
  #groupsSinceTask = 0;
  #isRunning = false;
  #isStopping = false;
  #run: Promise<void> | undefined;
  #broken: EngineError | undefined;

  constructor(options: GroupedTransactionsOptions) {
    this.#environment = options.environment;
    this.#counters = options.counters;
    this.#task = options.task;
    this.#reserve = options.reserve;
    this.#waitingMax = options.waitingMax ?? WAITING_WORKS_MAX;
    this.#front = options.front;
    this.#metrics = options.metrics ?? new CommitMetrics();
  }

  get depth(): number {
    return this.waiting.length + this.#group.length;
  }

  /** Groups that were committed. */
  get groupCount(): number {
    return this.#groupCount;
  }

  statistics(): CommitStatistics {
    return { commits: this.#metrics.counts(), depth: this.depth, hasGivenUp: this.#broken !== undefined };
  }

  commit<R>(commit: Commit<R>): Promise<R | undefined> {
    return new Promise((fulfil, reject) => this.#enter({ work: commit, fulfil, reject, outcome: undefined }));
  }

  submit<T>(work: Work<T>): Promise<T> {
    return new Promise((fulfil, reject) => this.#enter({ work, fulfil, reject, outcome: undefined }));
  }

  enqueue(submission: Submission): void {
    this.waiting.push(submission);
    this.#start();
  }

  wake(): void {
    this.#taskState = 'ready';
    this.#start();
  }

  async drain(): Promise<void> {
    do {
      await this.#run;
    } while (this.#isRunning);
  }

  /** Leaves background tasks undone. */
  async close(): Promise<void> {
    this.#isStopping = true;
    await this.drain();
  }

  /**
   * Takes back, in order, what the front accepted and could not make durable, to be decided again. If `tried` was too
   * much together, one by one.
   */
  takeBack(tried: readonly Submission[], others: readonly Submission[], failure: Failure | undefined): void {
    this.waiting = [...tried, ...others, ...this.waiting];
    this.#givenBack = tried.length + others.length;
    this.#frontFailure = failure;
    if (failure !== undefined) this.#oneByOne = tried.length;
    this.#start();
  }

  /** The reason for a failure, as an `EngineError` if it came from LMDB. Finds out whether LMDB has failed the file. */
  async explain(error: unknown): Promise<unknown> {
    const { path } = this.#environment;
    const failure = await this.#environment.explain(error);
    if (!this.#environment.isSound()) {
      this.#broken = new EngineError('closed', `${path} gave up after a failed write.`, failure);
      this.isBusy = true;
    }
    return failure;
  }

  #enter(submission: Submission): void {
    if (this.waiting.length < this.#waitingMax) this.enqueue(submission);
    else submission.reject(overfull(this.#environment.path, this.#waitingMax));
  }

  #start(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#run = this.#work();
  }

  async #work(): Promise<void> {
    while (this.waiting.length > 0 || this.#isTaskReady()) {
      this.#moveToFront();
      if (this.#isTaskNext()) await this.#commitTask();
      else if (this.waiting.length > 0) await this.#commitNext();
    }
    this.#isRunning = false;
  }

  async #commitNext(): Promise<void> {
    this.isBusy = true;
    const failure = await this.#front?.settle();
    const frontFailure = this.#frontFailure;
    this.#frontFailure = undefined;
    if (frontFailure !== undefined) await this.explain(frontFailure.reason);
    if (failure !== undefined) await this.#failBehind(failure);
    else if (this.#broken !== undefined) this.#failAll(this.#broken);
    else await this.#commitGroup();
    this.#front?.forget();
    this.isBusy = this.#broken !== undefined;
  }

  /**
   * Returns to deciding without a transaction as soon as possible: one work that needs a transaction does not hold up a
   * stream.
   */
  #moveToFront(): void {
    if (this.#front === undefined || this.#givenBack > 0 || this.#broken !== undefined) return;
    let moved = 0;
    for (const submission of this.waiting) {
      if (!this.#front.accept(submission)) break;
      moved += 1;
    }
    this.waiting = this.waiting.slice(moved);
  }

  /** Changes that are durable in the log have to reach the tree before anything else is done there. */
  async #failBehind({ reason }: Failure): Promise<void> {
    const explained = await this.explain(reason);
    if (isFull(explained) && this.#reserve.release()) return;
    this.#failAll(explained);
    if (this.#taskState === 'ready') this.#taskState = 'blocked';
  }

  #isTaskReady(): boolean {
    return this.#taskState === 'ready' && !this.#isStopping && this.#broken === undefined;
  }

  #isTaskNext(): boolean {
    if (!this.#isTaskReady()) return false;
    return this.waiting.length === 0 || this.#groupsSinceTask >= GROUPS_BETWEEN_TASKS;
  }

  async #commitGroup(): Promise<void> {
    this.#groupsSinceTask += 1;
    this.#groupCount += 1;
    const began = performance.now();
    try {
      await this.#environment.transaction(() => this.#runWorks());
      this.#metrics.commit(this.#group.length, began);
      for (const submission of this.#group) settle(submission);
      if (this.#shared !== undefined) this.#reserve.wrote(this.#shared.bytes, this.#shared.didGrow);
      if (this.#taskState === 'blocked') this.#taskState = 'ready';
    } catch (error) {
      this.#metrics.fail();
      this.#failGroup(await this.explain(error));
    }
    this.#group = [];
  }

  #runWorks(): void {
    const worksMax = this.#oneByOne > 0 ? 1 : GROUP_WORKS_MAX;
    const group: Group = {
      counters: this.#counters,
      bytes: 0,
      livingSpace: undefined,
      mayGrow: this.#reserve.mayGrow(),
      didGrow: false,
    };
    this.#shared = group;
    try {
      this.#counters.load(this.#environment.catalog);
      for (const submission of this.waiting) {
        if (this.#group.length >= worksMax || group.bytes >= GROUP_BYTES_MAX) break;
        this.#group.push(submission);
        runIn(this.#environment, group, submission);
      }
      this.#counters.save(this.#environment.catalog);
    } finally {
      this.waiting = this.waiting.slice(this.#group.length);
      this.#oneByOne = Math.max(0, this.#oneByOne - this.#group.length);
      this.#givenBack = Math.max(0, this.#givenBack - this.#group.length);
    }
  }

  /** Changes only rows of dropped spaces, which no work and no record of the log touches. So it waits for neither. */
  async #commitTask(): Promise<void> {
    this.#groupsSinceTask = 0;
    try {
      let isMore = false;
      await this.#environment.transaction(() => {
        isMore = this.#task();
      });
      this.#taskState = isMore ? 'ready' : 'none';
    } catch (error) {
      // Retried after something else was committed, so that a full disk is not asked over and over.
      this.#taskState = isFull(await this.explain(error)) && this.#reserve.release() ? 'ready' : 'blocked';
    }
  }

  #failGroup(failure: unknown): void {
    if (isFull(failure) && this.#makesSense()) {
      this.#oneByOne = this.#group.length;
      this.#givenBack = this.#oneByOne;
      this.waiting = [...this.#group, ...this.waiting];
      return;
    }
    for (const submission of this.#group) fail(submission, failure);
    // A failure before the first work would repeat for each work: it rejects everything that waits.
    if (this.#group.length === 0) this.#failAll(failure);
  }

  /** Whether a work that found no space may find some when it is retried alone. */
  #makesSense(): boolean {
    if (this.#group.length > 1) return true;
    if (this.#group.length === 1 && this.#shared?.didGrow === false) return this.#reserve.release();
    this.#reserve.refuse();
    return false;
  }

  #failAll(failure: unknown): void {
    for (const submission of this.waiting) fail(submission, failure);
    this.waiting = [];
    this.#oneByOne = 0;
    this.#givenBack = 0;
  }
}

const isFull = (failure: unknown): boolean => failure instanceof EngineError && failure.code === 'full';
