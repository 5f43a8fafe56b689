// Changes that wait for a batch writer, by partition and in their order, until they fill a batch. The writer limits how much is buffered, and sends.

import { BATCH_BYTES_MAX, BATCH_OPERATIONS_MAX } from '../../transport/batch-body.js';
import { addressOf } from '../../transport/row-write.js';
import type { WaitingChange } from './write-load.js';

/** The operations that a change takes of a batch: that of its row, and those of index rows. */
const operationsOf = ({ planned: { indexWrites } }: WaitingChange): number => 1 + (indexWrites?.length ?? 0);

/** The keys of the rows that a change writes. */
const rowKeysOf = ({ planned: { write, indexWrites = [] } }: WaitingChange): readonly string[] =>
  [write, ...indexWrites.map(each => each.write)].map(each => addressOf(each).rowKey);

interface Lane {
  readonly name: string;
  readonly waiting: WaitingChange[];
  operations: number;
  bytes: number;
  /** Batches of it that are under way. */
  busy: number;
}

/** At this size a lane has about one full batch: JSON is longer than the size that a row counts with. */
const FULL_BYTES = BATCH_BYTES_MAX / 2;

const isFull = ({ operations, bytes }: Lane): boolean =>
  operations >= BATCH_OPERATIONS_MAX || bytes >= FULL_BYTES;

const laneName = ({ planned }: WaitingChange): string => {
  const { table, partitionKey } = addressOf(planned.write);
  return `${table.toLowerCase()}\n${partitionKey}`;
};

/** The changes of one batch, and the lane that they came from. */
export interface Load {
  readonly lane: string;
  readonly changes: readonly WaitingChange[];
}

export class WriteLanes {
  readonly #lanes = new Map<string, Lane>();
  /** Names of lanes that a full batch waits in. */
  readonly #full = new Set<string>();
  readonly #isOrdered: boolean;
  #count = 0;

  /** Ordered: one batch of a partition at a time. */
  constructor(isOrdered: boolean) {
    this.#isOrdered = isOrdered;
  }

  /** Changes that wait. */
  get count(): number {
    return this.#count;
  }

  add(change: WaitingChange): void {
    this.#count++;
    const name = laneName(change);
    const lane = this.#lanes.get(name) ?? { name, waiting: [], operations: 0, bytes: 0, busy: 0 };
    lane.waiting.push(change);
    lane.operations += operationsOf(change);
    lane.bytes += change.bytes;
    this.#lanes.set(name, lane);
    if (isFull(lane)) this.#full.add(name);
  }

  /** The next load to send: from a full lane, or, if there is nothing to wait for, from the lane that has waited longest. */
  take(waitsForNone: boolean): Load | undefined {
    for (const name of this.#full) {
      const lane = this.#lanes.get(name);
      if (lane && this.#isFree(lane)) return this.#cut(lane);
    }
    if (!waitsForNone) return undefined;
    for (const lane of this.#lanes.values())
      if (lane.waiting.length > 0 && this.#isFree(lane)) return this.#cut(lane);
    return undefined;
  }

  /** The load has been dealt with. */
  release({ lane: name }: Load): void {
    const lane = this.#lanes.get(name);
    if (lane === undefined) return;
    lane.busy--;
    if (lane.busy === 0 && lane.waiting.length === 0) this.#lanes.delete(name);
  }

  #isFree({ busy }: Lane): boolean {
    return !this.#isOrdered || busy === 0;
  }

  /** From the front, as much as a batch takes, and each row once: a second change of a row, or of an index row, waits for the first. */
  #cut(lane: Lane): Load {
    const rows = new Set<string>();
    let bytes = 0;
    let operations = 0;
    let count = 0;
    for (const change of lane.waiting) {
      const rowKeys = rowKeysOf(change);
      const more = operations + operationsOf(change);
      const isMuch = more > BATCH_OPERATIONS_MAX || bytes + change.bytes > FULL_BYTES;
      if (rowKeys.some(rowKey => rows.has(rowKey)) || (count > 0 && isMuch)) break;
      for (const rowKey of rowKeys) rows.add(rowKey);
      bytes += change.bytes;
      operations = more;
      count++;
    }
    const changes = lane.waiting.splice(0, count);
    this.#count -= count;
    lane.operations -= operations;
    lane.bytes -= bytes;
    lane.busy++;
    if (!isFull(lane)) this.#full.delete(lane.name);
    // Behind the others: those that wait longest come first.
    this.#lanes.delete(lane.name);
    this.#lanes.set(lane.name, lane);
    return { lane: lane.name, changes };
  }
}
