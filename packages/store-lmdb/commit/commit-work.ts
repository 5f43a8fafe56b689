// One commit: reads, has the caller decide, changes; inside a group's transaction, or without one (logged-commits.ts). `Commits`
// makes it durable.
import type { Decide, Decision, ReadRows, Reads, Row, Space } from '#store';
import type { Environment } from '../environment.js';
import { copyRows, type KeyRange, scanRangeOf } from '../scan/key-range.js';
import { payloadRange } from '../scan/page-walk.js';
import { RowCursor } from '../scan/row-cursor.js';
import { type DecisionView, type Group, grow, type Work } from './commits.js';

export class CommitWork<R> implements Work<R | undefined> {
  readonly #environment: Environment;
  readonly #space: Space;
  readonly #partition: string;
  readonly #reads: Reads;
  readonly #decide: Decide<R>;

  constructor(environment: Environment, space: Space, partition: string, reads: Reads, decide: Decide<R>) {
    this.#environment = environment;
    this.#space = space;
    this.#partition = partition;
    this.#reads = reads;
    this.#decide = decide;
  }

  run(group: Group): R | undefined {
    const { id } = this.#space;
    if (group.livingSpace !== id) {
      if (!this.#environment.catalog.isLiving(this.#space)) return undefined;
      group.livingSpace = id;
    }
    const tick = group.counters.nextTick();
    const decision = assertChanges(this.#decide(this.#read(), tick));
    this.#apply(decision, tick, group);
    return decision.result;
  }

  decide(view: DecisionView): { readonly answer: R } | undefined {
    const { id } = this.#space;
    const partition = this.#partition;
    if (!view.isLiving(this.#space)) return undefined;
    const rows = view.read(id, partition, this.#reads);
    const tick = view.counters.nextTick();
    // Another process has written it: its ticks are not counted here, and a decision has a tick later than all that it reads.
    const isLate = (row: Row | undefined): boolean => row !== undefined && row.version >= tick;
    if (rows.keys.some(isLate) || rows.range.some(isLate)) return undefined;
    const decision = assertChanges(this.#decide(rows, tick));
    return view.change(id, partition, tick, decision) ? { answer: decision.result } : undefined;
  }

  #read(): ReadRows {
    const { rows } = this.#environment;
    const { id } = this.#space;
    const keys: (Row | undefined)[] = [];
    const { keys: wanted, range } = this.#reads;
    for (const key of wanted) keys.push(rows.get(id, this.#partition, key));
    return { keys, range: range === undefined ? [] : this.#readRange(range) };
  }

  #readRange(range: KeyRange): Row[] {
    const bounds = payloadRange(scanRangeOf(this.#partition, range));
    return copyRows(new RowCursor(this.#environment.longKeys, this.#space.id, bounds), range.rows);
  }

  #apply({ puts, deletes }: Decision<R>, tick: bigint, group: Group): void {
    const { rows } = this.#environment;
    const { id } = this.#space;
    const partition = this.#partition;
    if (puts === undefined && deletes === undefined) return;
    if (puts !== undefined && puts.length > 0) grow(group);
    group.counters.useTick(tick);
    for (const key of deletes ?? []) rows.remove(id, partition, key);
    for (const { key, value } of puts ?? []) {
      rows.put(id, { partition, key, version: tick, value }, group.counters);
      group.bytes += value.length;
    }
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
