// What the store asks of whoever commits its changes, and what a change is to them: a commit of rows, which reads, has its caller decide, and changes,
// inside a group's transaction or without one; or a work that needs a transaction (space-work.ts). There are two who commit: logged-commits.ts where this
// process is alone on the directory, and grouped-transactions.ts where several share it, or nothing is synced.
import { Histogram, type HistogramCounts, SECONDS_BOUNDS } from '#base';
import {
  type Decide,
  type Decision,
  type ReadRows,
  type Reads,
  type Row,
  type Space,
  StoreError,
} from '#store';
import type { Environment } from '../environment.js';
import type { Counters } from '../layout/catalog.js';
import { EngineError } from '../lmdb/engine-error.js';
import { copyRows, scanRangeOf } from '../scan/key-range.js';
import { payloadRange } from '../scan/page-walk.js';
import { RowCursor } from '../scan/row-cursor.js';
import type { Overlay } from '../wal/overlay.js';

export interface Commits {
  /** Fulfilled with the decision's result when all it changed is durable, or with undefined if the space is gone; fails with `busy` if too many wait. */
  commit<R>(commit: Commit<R>): Promise<R | undefined>;
  /** Fulfilled with the work's answer when all it changed is durable; fails as `commit` does. */
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

/** What a commit is asked for. */
export interface Commit<R> {
  readonly space: Space;
  readonly partition: string;
  readonly reads: Reads;
  readonly decide: Decide<R>;
}

/** Any other change, made inside a write transaction. */
export interface Work<T> {
  /**
   * Gives the answer for the caller. What it throws before its first change to a tree is for its caller alone, and it
   * throws nothing later but an `EngineError`: that fails the whole transaction, which LMDB then refuses to commit.
   * Called again if the transaction was full and the work is tried on its own.
   */
  run(group: Group): T;
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
  /** Copies, which are the caller's to keep. */
  read(space: number, partition: string, reads: Reads): ReadRows;
  /** Makes changes, of values that it copies. False if they need a transaction; then it has made none. */
  change(space: number, partition: string, version: bigint, decision: Decision<unknown>): boolean;
}

/** Commits and works that may wait. What each of them holds in memory is bounded by who adds it. */
export const WAITING_WORKS_MAX = 5000;

export function overfull(path: string, waitingMax: number): StoreError {
  return new StoreError('busy', `${path}: ${waitingMax} writes are waiting already.`);
}

/** A try that gave an answer. */
interface Answered<T> {
  readonly answer: T;
}

/** A commit, or a work, that waits for its answer. */
export interface Submission {
  readonly work: Commit<unknown> | Work<unknown>;
  fulfil(answer: unknown): void;
  reject(error: unknown): void;
  /** Of its last try, once it was tried. */
  outcome: Answered<unknown> | { readonly error: unknown } | undefined;
}

export function runIn(environment: Environment, group: Group, submission: Submission): void {
  const { work } = submission;
  try {
    submission.outcome = { answer: 'run' in work ? work.run(group) : runCommit(environment, work, group) };
  } catch (error) {
    if (error instanceof EngineError) throw error;
    submission.outcome = { error };
  }
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

function runCommit<R>(environment: Environment, commit: Commit<R>, group: Group): R | undefined {
  const { space, decide } = commit;
  if (group.livingSpace !== space.id) {
    if (!environment.catalog.isLiving(space)) return undefined;
    group.livingSpace = space.id;
  }
  const tick = group.counters.nextTick();
  const decision = assertChanges(decide(readRows(environment, commit), tick));
  makeChanges(environment, commit, decision, tick, group);
  return decision.result;
}

/** Decides without a transaction; undefined if the commit needs one, and then it has changed nothing. */
export function decideCommit<R>(commit: Commit<R>, view: DecisionView): Answered<R> | undefined {
  const { space, partition, reads, decide } = commit;
  if (!view.isLiving(space)) return undefined;
  const rows = view.read(space.id, partition, reads);
  const tick = view.counters.nextTick();
  // Another process has written it: its ticks are not counted here, and a decision has a tick later than all that it reads.
  const isLate = (row: Row | undefined): boolean => row !== undefined && row.version >= tick;
  if (rows.keys.some(isLate) || rows.range.some(isLate)) return undefined;
  const decision = assertChanges(decide(rows, tick));
  return view.change(space.id, partition, tick, decision) ? { answer: decision.result } : undefined;
}

function readRows(
  { rows, longKeys }: Environment,
  { space: { id }, partition, reads }: Commit<unknown>,
): ReadRows {
  const keys = reads.keys.map(key => rows.get(id, partition, key));
  if (reads.range === undefined) return { keys, range: [] };
  const bounds = payloadRange(scanRangeOf(partition, reads.range));
  return { keys, range: copyRows(new RowCursor(longKeys, id, bounds), reads.range.rows) };
}

function makeChanges(
  { rows }: Environment,
  { space: { id }, partition }: Commit<unknown>,
  { puts, deletes }: Decision<unknown>,
  tick: bigint,
  group: Group,
): void {
  if (puts === undefined && deletes === undefined) return;
  if (puts !== undefined && puts.length > 0) grow(group);
  group.counters.useTick(tick);
  for (const key of deletes ?? []) rows.remove(id, partition, key);
  for (const { key, value } of puts ?? []) {
    rows.put(id, { partition, key, version: tick, value }, group.counters);
    group.bytes += value.length;
  }
}

/** A mistake has to show before the first change: a transaction keeps what was changed before an error. */
function assertChanges<R>(decision: Decision<R>): Decision<R> {
  const { puts, deletes } = decision;
  for (const key of deletes ?? []) {
    if (typeof key !== 'string') throw new TypeError('A decision deletes something that is no key.');
  }
  for (const { key, value } of puts ?? []) {
    if (typeof key !== 'string' || !(value instanceof Uint8Array)) {
      throw new TypeError('A decision puts something that is no row.');
    }
  }
  return decision;
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
