// What is committed. A change is either a commit of rows, which reads, has its caller decide, and changes, inside a
// group's transaction or without one (logged-batches.ts); or a work that needs a transaction (space-work.ts).
// commit-order.ts owns the order of them all.
//
// A group is one LMDB transaction, with its two waits for the disk. Each work is decided under LMDB's write lock, so
// several processes may do this in one directory.
import { type Decide, type Decision, type ReadRows, type Reads, type Space, StoreError } from '#store';
import type { Environment } from '../environment.js';
import type { Counters } from '../layout/catalog.js';
import type { DiskReserve } from '../lmdb/disk-reserve.js';
import { EngineError } from '../lmdb/engine-error.js';
import { copyRows, RowCursor, scanRangeOf } from '../scan/row-cursor.js';
import type { Failure } from '../wal/index.js';

/** The parts of a commit. */
export interface Commit<R> {
  readonly space: Space;
  readonly partition: string;
  readonly reads: Reads;
  readonly decide: Decide<R>;
}

/** Any other change, made inside a write transaction. */
export interface Work<T> {
  /**
   * Returns the answer for the caller. An error before its first change to a tree is for its caller only. After that it
   * throws only an `EngineError`, which fails the whole transaction; LMDB then refuses to commit it. Called again if
   * the transaction was full and the work is retried on its own.
   */
  run(group: Group): T;
}

/** What the works of one transaction share. */
export interface Group {
  readonly counters: Counters;
  /** Bytes put so far. */
  bytes: number;
  /** The id of a space that is known to exist at this point of the transaction. */
  livingSpace: number | undefined;
  /** False while the disk has space only for changes that put nothing. */
  readonly mayGrow: boolean;
  /** Something was put. */
  didGrow: boolean;
}

/** A work calls this before it puts anything: fails, for its caller only, if there is no space for it. */
export function grow(group: Group): void {
  if (!group.mayGrow) throw new StoreError('full', 'No space is left on the disk.');
  group.didGrow = true;
}

/** An attempt that gave an answer. */
export interface Answered<T> {
  readonly answer: T;
}

/** A commit or a work that waits for its answer. */
export interface Submission {
  readonly work: Commit<unknown> | Work<unknown>;
  fulfil(answer: unknown): void;
  reject(error: unknown): void;
  /** The result of its last attempt, if there was one. */
  outcome: Answered<unknown> | { readonly error: unknown } | undefined;
}

function runIn(environment: Environment, group: Group, submission: Submission): void {
  const { work } = submission;
  try {
    submission.outcome = { answer: 'run' in work ? work.run(group) : runCommit(environment, work, group) };
  } catch (error) {
    if (error instanceof EngineError) throw error;
    submission.outcome = { error };
  }
}

function runCommit<R>(environment: Environment, commit: Commit<R>, group: Group): R | undefined {
  const { space, decide } = commit;
  if (group.livingSpace !== space.id) {
    if (!environment.catalog.isLiving(space)) return undefined;
    group.livingSpace = space.id;
  }
  const tick = group.counters.nextTick();
  const decision = decide(readRows(environment, commit), tick);
  makeChanges(environment, commit, decision, tick, group);
  return decision.result;
}

function readRows({ rows }: Environment, { space: { id }, partition, reads }: Commit<unknown>): ReadRows {
  const keys = reads.keys.map(key => rows.get(id, partition, key));
  if (reads.range === undefined) return { keys, range: [] };
  const cursor = new RowCursor(rows, id, scanRangeOf(partition, reads.range));
  return { keys, range: copyRows(cursor, reads.range.rows) };
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

const GROUP_WORKS_MAX = 1000;
const GROUP_BYTES_MAX = 8 * 1024 * 1024;

export interface CommittedGroup {
  /** Works that were in the transaction, the first of those that waited. */
  readonly count: number;
  /** Something was put, perhaps in vain. */
  readonly didGrow: boolean;
  readonly bytes: number;
  /** Why nothing was committed. */
  readonly failure: Failure | undefined;
}

/** What a group needs of the store. */
export interface GroupParts {
  readonly environment: Environment;
  readonly counters: Counters;
  readonly reserve: DiskReserve;
}

/** Runs the works at the head of `waiting`, those too that come until the transaction begins, and leaves them there. */
export async function commitGroup(
  { environment, counters, reserve }: GroupParts,
  waiting: readonly Submission[],
  worksMax = GROUP_WORKS_MAX,
): Promise<CommittedGroup> {
  const group = { counters, bytes: 0, livingSpace: undefined, mayGrow: false, didGrow: false };
  let count = 0;
  let failure: Failure | undefined;
  try {
    await environment.transaction(() => {
      group.mayGrow = reserve.mayGrow();
      counters.load(environment.catalog);
      for (const submission of waiting) {
        if (count >= worksMax || group.bytes >= GROUP_BYTES_MAX) break;
        count += 1;
        runIn(environment, group, submission);
      }
      counters.save(environment.catalog);
    });
  } catch (reason) {
    failure = { reason };
  }
  return { count, didGrow: group.didGrow, bytes: group.bytes, failure };
}
