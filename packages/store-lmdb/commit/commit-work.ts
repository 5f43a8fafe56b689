// One commit: reads, has the caller decide, changes; inside a group's transaction, or early (early-commits.ts). The queue
// makes it durable.
import type { Decide, Decision, ReadRows, Reads, Row, Space } from '#store';
import type { Environment } from '../environment.js';
import { encodePayload, endOfPrefix } from '../layout/row-key.js';
import { RowCursor } from '../scan/row-cursor.js';
import { type Group, grow, type Work } from './commit-queue.js';
import type { Early } from './optimistic-commits.js';

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

  runOptimistically(early: Early): { readonly answer: R } | undefined {
    const { id } = this.#space;
    const partition = this.#partition;
    const { rows, counters } = early;
    const isOrdinary = (key: string): boolean => rows.holds(partition, key);
    if (this.#reads.range !== undefined || !this.#reads.keys.every(isOrdinary)) return undefined;
    if (!early.isLiving(this.#space)) return undefined;
    const keys = this.#reads.keys.map(key => rows.get(id, partition, key));
    const tick = counters.nextTick();
    // Another process has written it: its ticks are not counted here, and a decision has a tick later than all that it reads.
    if (keys.some(row => row !== undefined && row.version >= tick)) return undefined;
    const { result, puts = [], deletes = [] } = assertChanges(this.#decide({ keys, range: [] }, tick));
    if (puts.length + deletes.length === 0) return { answer: result };
    if (!deletes.every(isOrdinary) || !puts.every(({ key }) => isOrdinary(key))) return undefined;
    counters.useTick(tick);
    for (const key of deletes) early.note(rows.remove(id, partition, key));
    for (const { key, value } of puts) {
      early.note(rows.put(id, { partition, key, version: tick, value }));
    }
    return { answer: result };
  }

  #read(): ReadRows {
    const { rows } = this.#environment;
    const { id } = this.#space;
    const keys: (Row | undefined)[] = [];
    for (const key of this.#reads.keys) keys.push(rows.get(id, this.#partition, key));
    return { keys, range: this.#readRange() };
  }

  #readRange(): Row[] {
    const { range } = this.#reads;
    const found: Row[] = [];
    if (range === undefined) return found;
    const until =
      range.until === undefined
        ? endOfPrefix(encodePayload(this.#partition, ''))
        : encodePayload(this.#partition, range.until);
    const bounds = { from: encodePayload(this.#partition, range.from), until };
    const cursor = new RowCursor(this.#environment.longKeys, this.#space.id, bounds);
    try {
      while (found.length < range.rows && cursor.next()) found.push(cursor.copy());
    } finally {
      cursor.close();
    }
    return found;
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
