// The rows whose latest state LMDB's tree lacks: the WAL overlay, of changes that are durable only in the write-ahead
// log, which readers see over the tree; and over it the in-flight overlay, of changes that are decided and not durable
// yet, which only later decisions see. A row is here once, with its last change of both kinds. write-ahead-log.ts and
// commit/logged-batches.ts decide when changes come, become durable and go.
import { OrderedMap } from '#base';
import type { Row, ScanRange } from '#store';
import { copyValue, ROW_HEADER_BYTES, type RowKey } from './layout/rows.js';

/** A row's final image, or its removal. */
export interface Change {
  readonly key: RowKey;
  readonly version: bigint;
  /**
   * The block with the row's bytes as in the tree (rows.ts), which stay as they are until its record is released
   * (wal/log-file.ts); undefined removes the row.
   */
  readonly block: Buffer | undefined;
  readonly from: number;
  readonly until: number;
  isDurable: boolean;
  /**
   * The tick of the batch that made a later change of the row durable; readers ignore this one from then on. 0 before.
   */
  replacedAt: bigint;
  /** The row's previous change, while this one is in flight and that one is not in the tree. */
  older: Change | undefined;
}

const NEVER = 0n;

/** A change in flight, with the bytes `from` to `until` of the block. */
export function newChange(key: RowKey, version: bigint, block?: Buffer, from = 0, until = 0): Change {
  return { key, version, block, from, until, isDurable: false, replacedAt: NEVER, older: undefined };
}

/** Whether a state that ends with this tick has a later change of the row, and so does not need this one. */
export function isReplacedBy({ replacedAt }: Change, tick: bigint): boolean {
  return replacedAt !== NEVER && replacedAt <= tick;
}

/** A view, created on demand: if kept, each garbage collection that the change outlives would copy it. */
export function bytesOf({ block, from, until }: Change): Buffer | undefined {
  return block?.subarray(from, until);
}

/**
 * The row after the change, its value a view that stays as it is while the overlay is held; undefined if it is gone.
 */
export function rowOf({ key: [, partition, key], version, block, from, until }: Change): Row | undefined {
  return block && { partition, key, version, value: block.subarray(from + ROW_HEADER_BYTES, until) };
}

/** A copy, which the caller may keep. */
export function copiedRowOf({
  key: [, partition, key],
  version,
  block,
  from,
  until,
}: Change): Row | undefined {
  return block && { partition, key, version, value: copyValue(block, from, until) };
}

/** The change that readers see, given the row's last change. */
function durableOf(latest: Change | undefined): Change | undefined {
  let change = latest;
  while (change !== undefined && !change.isDurable) change = change.older;
  return change;
}

/** Which change of a row: the one that readers see, or the one that decisions see. */
type Side = 'durable' | 'latest';

/** The last change of each row of one partition, by key. */
export type Rows = OrderedMap<Change>;

export class Overlay {
  /** By space and partition, so that a scan of one partition never touches the others. */
  readonly #spaces = new Map<number, OrderedMap<Rows>>();
  #holders = 0;

  /** A caller iterates over changes that may be forgotten in the meantime. */
  get isHeld(): boolean {
    return this.#holders > 0;
  }

  /**
   * Call before keeping a list from `within` across event-loop turns: what is forgotten before `leave` stays in memory.
   */
  hold(): void {
    this.#holders += 1;
  }

  leave(): void {
    this.#holders -= 1;
  }

  get isEmpty(): boolean {
    return this.#spaces.size === 0;
  }

  /** What readers see; undefined if the tree has it. A change with `bytes` undefined means that the row is gone. */
  durable(space: number, partition: string, key: string): Change | undefined {
    return durableOf(this.partition(space, partition)?.get(key));
  }

  /** The rows of the partition whose latest state the tree lacks. */
  partition(space: number, partition: string): Rows | undefined {
    return this.#spaces.get(space)?.get(partition);
  }

  /** As `partition`, for a change that is added at once: the caller must not leave it empty. */
  enter(space: number, partition: string): Rows {
    let partitions = this.#spaces.get(space);
    if (partitions === undefined) {
      partitions = new OrderedMap();
      this.#spaces.set(space, partitions);
    }
    let rows = partitions.get(partition);
    if (rows === undefined) {
      rows = new OrderedMap();
      partitions.set(partition, rows);
    }
    return rows;
  }

  /** Adds a change that is decided, and in flight. */
  add(change: Change, rows: Rows): void {
    const key = change.key[2];
    change.older = rows.get(key);
    rows.set(key, change);
  }

  /** Marks the change as durable with the batch of this tick. Call for a row's changes in their order. */
  settle(change: Change, tick: bigint): void {
    change.isDurable = true;
    if (change.older === undefined) return;
    change.older.replacedAt = tick;
    change.older = undefined;
  }

  /** Neither the change nor any later one of its row will ever be durable. */
  abort({ key }: Change): void {
    const rows = this.partition(key[0], key[1]);
    const durable = durableOf(rows?.get(key[2]));
    if (durable === undefined) this.#delete(key);
    else rows?.set(key[2], durable);
  }

  /** Call when the tree has the change. Later ones of the row stay. */
  forget(change: Change): void {
    if (change.replacedAt !== NEVER) return;
    const { key } = change;
    let later = this.partition(key[0], key[1])?.get(key[2]);
    if (later === change) this.#delete(key);
    while (later !== undefined && later.older !== change) later = later.older;
    if (later !== undefined) later.older = undefined;
  }

  /** The changes of a range, in the order of law 1 of the store, in a list that stays as it is. */
  within(space: number, { from, until }: ScanRange, side: Side): readonly Change[] {
    const found: Change[] = [];
    const partitions = this.#spaces.get(space);
    if (partitions === undefined) return found;
    // Nothing of the last partition is in the range if the bound is its beginning.
    const end = until && (until.key === '' ? until.partition : after(until.partition));
    const names =
      end === after(from.partition) ? [from.partition] : partitions.keysWithin(from.partition, end);
    for (const partition of names) {
      const rows = partitions.get(partition);
      const start = partition === from.partition ? from.key : '';
      const stop = partition === until?.partition ? until.key : undefined;
      for (const key of rows?.keysWithin(start, stop) ?? []) {
        const latest = rows?.get(key);
        const change = side === 'latest' ? latest : durableOf(latest);
        if (change !== undefined) found.push(change);
      }
    }
    return found;
  }

  #delete([space, partition, key]: RowKey): void {
    const partitions = this.#spaces.get(space);
    const rows = partitions?.get(partition);
    rows?.delete(key);
    if (partitions === undefined || rows === undefined || rows.size > 0) return;
    partitions.delete(partition);
    if (partitions.size === 0) this.#spaces.delete(space);
  }
}

/** The smallest string after it. */
function after(text: string): string {
  return `${text}\0`;
}
