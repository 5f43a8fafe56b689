// What the store asks of whoever commits its changes, and what a change is to them. There are two: logged-commits.ts where this process is alone on the
// directory, and grouped-transactions.ts where several share it, or nothing is synced. What a change does to rows is commit-work.ts's and
// space-work.ts's affair.
import { Histogram, type HistogramCounts, SECONDS_BOUNDS } from '#base';
import { type Decision, type ReadRows, type Reads, type Space, StoreError } from '#store';
import type { Counters } from '../layout/catalog.js';
import { EngineError } from '../lmdb/engine-error.js';
import type { Overlay } from '../wal/overlay.js';

export interface Commits {
  /** Fulfilled with the work's answer when all it changed is durable; fails with `busy` if too many wait. */
  submit<T>(work: Work<T>): Promise<T>;
  /** What is durable and not in the tree, for readers. */
  readonly overlay: Overlay;
  /** There may be something to do in the background. */
  wake(): void;
  /** Fulfilled when nothing waits any more and the tree has all that is durable, or cannot take it. What the background has to do is left. */
  drain(): Promise<void>;
  /** Drains; the data file is the whole store then. */
  close(): Promise<void>;
  statistics(): CommitStatistics;
}

export interface CommitStatistics {
  readonly commits: CommitCounts;
  /** Works that wait, or are on their way to the disk. */
  readonly depth: number;
  /** LMDB has given up the file: nothing is committed any more until it is opened again. */
  readonly hasGivenUp: boolean;
}

/** A change, made inside a write transaction. */
export interface Work<T> {
  /**
   * Gives the answer for the caller. What it throws before its first change to a tree is for its caller alone, and it
   * throws nothing later but an `EngineError`: that fails the whole transaction, which LMDB then refuses to commit.
   * Called again if the transaction was full and the work is tried on its own.
   */
  run(group: Group): T;
  /** Decides without a transaction, if this kind of work can; undefined if it needs one, and then it has changed nothing. */
  decide?(view: DecisionView): { readonly answer: T } | undefined;
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

/** The rows as they will be when all that was decided is durable, for a decision without a transaction. */
export interface DecisionView {
  readonly counters: Counters;
  /** Whether this generation of the space exists. */
  isLiving(space: Space): boolean;
  /** Values may be views, and then stay as they are. */
  read(space: number, partition: string, reads: Reads): ReadRows;
  /** Makes changes, of values that it copies. False if they need a transaction; then it has made none. */
  change(space: number, partition: string, version: bigint, decision: Decision<unknown>): boolean;
}

/** Works that may wait. What each of them holds in memory is bounded by who adds it. */
export const WAITING_WORKS_MAX = 5000;

export function overfull(path: string, waitingMax: number): StoreError {
  return new StoreError('busy', `${path}: ${waitingMax} writes are waiting already.`);
}

/** A work that waits for its answer. */
export interface Submission {
  readonly work: Work<unknown>;
  readonly fulfil: (answer: unknown) => void;
  readonly reject: (error: unknown) => void;
  /** Of its last try, once it was tried. */
  outcome: { readonly answer: unknown } | { readonly error: unknown } | undefined;
}

/** Adds the work to those that wait. */
export function submission<T>(work: Work<T>, enqueue: (submission: Submission) => void): Promise<T> {
  return new Promise<unknown>((fulfil, reject) =>
    enqueue({ work, fulfil, reject, outcome: undefined }),
  ) as Promise<T>;
}

export function runIn(group: Group, submission: Submission): void {
  try {
    submission.outcome = { answer: submission.work.run(group) };
  } catch (error) {
    if (error instanceof EngineError) throw error;
    submission.outcome = { error };
  }
}

/** False if the work needs a transaction. */
export function decideOn(view: DecisionView, submission: Submission): boolean {
  if (submission.work.decide === undefined) return false;
  try {
    submission.outcome = submission.work.decide(view);
  } catch (error) {
    if (error instanceof EngineError) return false;
    submission.outcome = { error };
  }
  return submission.outcome !== undefined;
}

export function settle({ outcome, fulfil, reject }: Submission): void {
  if (outcome === undefined) return;
  if ('answer' in outcome) fulfil(outcome.answer);
  else reject(outcome.error);
}

/** The changes cannot be made durable, which is not the answer to a work that had failed by itself. */
export function fail({ outcome, reject }: Submission, failure: unknown): void {
  reject(outcome !== undefined && 'error' in outcome ? outcome.error : failure);
}

/** A group of transactions holds up to a thousand works. */
const WRITES_BOUNDS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];

export interface CommitCounts {
  /** Groups that failed; their works were told or tried again. */
  readonly failures: number;
  /** Writes of each group that is durable. */
  readonly writes: HistogramCounts;
  /** Seconds from a group's beginning, when it asks for the right to write, until it is durable and can be seen. */
  readonly times: HistogramCounts;
}

/** Nothing is made for a commit but the counts. */
export class CommitMetrics {
  #failures = 0;
  readonly #writes = new Histogram(WRITES_BOUNDS);
  readonly #times = new Histogram(SECONDS_BOUNDS);

  /** A group is durable that began at that time of `performance.now()`. */
  commit(writes: number, began: number): void {
    this.#writes.add(writes);
    this.#times.add((performance.now() - began) / 1000);
  }

  fail(): void {
    this.#failures += 1;
  }

  counts(): CommitCounts {
    return { failures: this.#failures, writes: this.#writes.counts(), times: this.#times.counts() };
  }
}
