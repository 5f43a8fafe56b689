// One commit: reads, has the caller decide, changes; inside a group's transaction, or without one (logged-commits.ts). `Commits`
// makes it durable.
import type { Decide, Decision, ReadRows, Reads, Row, Space } from '#store';
import type { Environment } from '../environment.js';
import { copyRows, scanRangeOf } from '../scan/key-range.js';
import { payloadRange } from '../scan/page-walk.js';
import { RowCursor } from '../scan/row-cursor.js';
import { type DecisionView, type Group, grow, type Work } from './commits.js';

/** What a commit is asked for. */
export interface Commit<R> {
  readonly space: Space;
  readonly partition: string;
  readonly reads: Reads;
  readonly decide: Decide<R>;
}

export const commitWork = <R>(environment: Environment, commit: Commit<R>): Work<R | undefined> => ({
  run: group => runCommit(environment, commit, group),
  decide: view => decideCommit(commit, view),
});

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

function decideCommit<R>(
  { space, partition, reads, decide }: Commit<R>,
  view: DecisionView,
): { readonly answer: R } | undefined {
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
