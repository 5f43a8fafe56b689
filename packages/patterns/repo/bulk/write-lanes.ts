// Changes that wait for a batch writer, by partition and in their order, until they fill a batch. The writer limits how much is buffered, and sends.

import { BATCH_BYTES_MAX, BATCH_OPERATIONS_MAX } from '../../transport/batch-body.js';
import type { WaitingChange } from './write-load.js';

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

/** The changes of one batch, and the lane that they came from. */
export interface Load {
  readonly lane: Lane;
  readonly changes: readonly WaitingChange[];
}

export class WriteLanes {
  readonly #lanes = new Map<string, Lane>();
  /** Those that a full batch waits in. */
  readonly #full = new Set<Lane>();
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
    const [{ table, partitionKey }] = change.rows;
    const name = `${table.toLowerCase()}\n${partitionKey}`;
    const lane = this.#lanes.get(name) ?? { name, waiting: [], operations: 0, bytes: 0, busy: 0 };
    lane.waiting.push(change);
    lane.operations += change.rows.length;
    lane.bytes += change.bytes;
    this.#lanes.set(name, lane);
    if (isFull(lane)) this.#full.add(lane);
  }

  /** The next load to send: from a full lane, or, if there is nothing to wait for, from the lane that has waited longest. */
  take(waitsForNone: boolean): Load | undefined {
    for (const lanes of waitsForNone ? [this.#full, this.#lanes.values()] : [this.#full])
      for (const lane of lanes)
        if (lane.waiting.length > 0 && (lane.busy === 0 || !this.#isOrdered)) return this.#cut(lane);
    return undefined;
  }

  /** The load has been dealt with. */
  release({ lane }: Load): void {
    lane.busy--;
    if (lane.busy === 0 && lane.waiting.length === 0) this.#lanes.delete(lane.name);
  }

  /** From the front, as much as a batch takes, and each row once: a second change of a row, or of an index row, waits for the first. */
  #cut(lane: Lane): Load {
    const taken = new Set<string>();
    let [count, bytes] = [0, 0];
    for (const change of lane.waiting) {
      const rowKeys = change.rows.map(({ rowKey }) => rowKey);
      const isMuch = taken.size + rowKeys.length > BATCH_OPERATIONS_MAX || bytes + change.bytes > FULL_BYTES;
      if (rowKeys.some(rowKey => taken.has(rowKey)) || (count > 0 && isMuch)) break;
      for (const rowKey of rowKeys) taken.add(rowKey);
      bytes += change.bytes;
      count++;
    }
    const changes = lane.waiting.splice(0, count);
    this.#count -= count;
    lane.operations -= taken.size;
    lane.bytes -= bytes;
    lane.busy++;
    if (!isFull(lane)) this.#full.delete(lane);
    // Behind the others: those that wait longest come first.
    this.#lanes.delete(lane.name);
    this.#lanes.set(lane.name, lane);
    return { lane, changes };
  }
}
