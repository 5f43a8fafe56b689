// The rows that LMDB's tree does not have as they are: the WAL overlay, of changes that are durable in the write-ahead log alone, which readers see over
// the tree; and over it the in-flight overlay, of changes that are decided and not durable yet, which only later decisions see. A row stands here once,
// with its last change of both kinds. When changes come, become durable and go is the affair of write-ahead-log.ts and commit/logged-commits.ts.
import { firstFrom } from '#base';
import type { Row, ScanRange } from '#store';
import type { RowKey } from '../layout/keys.js';
import { copyValue, ROW_HEADER_BYTES } from '../layout/rows.js';

/** A row's final image, or that it goes. */
export interface Change {
  readonly key: RowKey;
  readonly version: bigint;
  /** Has the row's bytes as the tree has them (rows.ts), which stay as they are until its record is released (log-record.ts); undefined removes the row. */
  readonly block: Buffer | undefined;
  readonly from: number;
  readonly until: number;
  isDurable: boolean;
  /** The tick of the batch with which a later change of the row became durable; nobody reads this one from then on. 0 before. */
  replacedAt: bigint;
  /** The change of the row before this one, while this one is in flight and that one is not in the tree. */
  older: Change | undefined;
}

const NEVER = 0n;

/** In flight, and of the bytes in the block `from` there `until` there. */
export function newChange(key: RowKey, version: bigint, block?: Buffer, from = 0, until = 0): Change {
  return { key, version, block, from, until, isDurable: false, replacedAt: NEVER, older: undefined };
}

/** Whether a state that ends with this tick has a later change of the row, and so needs not this one. */
export function isReplacedBy({ replacedAt }: Change, tick: bigint): boolean {
  return replacedAt !== NEVER && replacedAt <= tick;
}

/** A view, made when it is asked for: kept, it would be copied by each collection of garbage that the change outlives. */
export function bytesOf({ block, from, until }: Change): Buffer | undefined {
  return block?.subarray(from, until);
}

/** The row as it is after the change, its value a view that stays as it is while the overlay is held; undefined if it is gone. */
export function rowOf({ key: [, partition, key], version, block, from, until }: Change): Row | undefined {
  return block && { partition, key, version, value: block.subarray(from + ROW_HEADER_BYTES, until) };
}

/** A copy, which is the caller's to keep. */
export function copiedRowOf({
  key: [, partition, key],
  version,
  block,
  from,
  until,
}: Change): Row | undefined {
  return block && { partition, key, version, value: copyValue(block, from, until) };
}

/** The one that readers see, of a row whose last change is given. */
function durableOf(latest: Change | undefined): Change | undefined {
  let change = latest;
  while (change !== undefined && !change.isDurable) change = change.older;
  return change;
}

/** Which change of a row is meant: the one that readers see, or the one that decisions see. */
type Side = 'durable' | 'latest';

/** Of one partition the last change of each row, by key. */
export type Rows = OrderedMap<Change>;

export class Overlay {
  /** By space and partition, so that a scan of one partition has nothing to do with the others. */
  readonly #spaces = new Map<number, OrderedMap<Rows>>();
  #holders = 0;

  /** Somebody goes through changes that may be forgotten meanwhile. */
  get isHeld(): boolean {
    return this.#holders > 0;
  }

  /** By who has a list of `within` for longer than the turn that it was made in: what is forgotten before `leave` stays in memory. */
  hold(): void {
    this.#holders += 1;
  }

  leave(): void {
    this.#holders -= 1;
  }

  get isEmpty(): boolean {
    return this.#spaces.size === 0;
  }

  /** What readers see; undefined if the tree has it. A change with `bytes` undefined says that the row is gone. */
  durable(space: number, partition: string, key: string): Change | undefined {
    return durableOf(this.partition(space, partition)?.get(key));
  }

  /** The rows of the partition that the tree does not have as they are. */
  partition(space: number, partition: string): Rows | undefined {
    return this.#spaces.get(space)?.get(partition);
  }

  /** As `partition`, for a change that is added at once: none is left empty. */
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

  /** The change is decided, and in flight. */
  add(change: Change, rows: Rows): void {
    const key = change.key[2];
    change.older = rows.get(key);
    rows.set(key, change);
  }

  /** The change is durable with the batch of this tick. Those of a row become so in their order. */
  settle(change: Change, tick: bigint): void {
    change.isDurable = true;
    if (change.older === undefined) return;
    change.older.replacedAt = tick;
    change.older = undefined;
  }

  /** The change will never be durable, and neither will any later one of its row. */
  abort({ key }: Change): void {
    const rows = this.partition(key[0], key[1]);
    const durable = durableOf(rows?.get(key[2]));
    if (durable === undefined) this.#delete(key);
    else rows?.set(key[2], durable);
  }

  /** The tree has the change. Later ones of the row stay. */
  forget(change: Change): void {
    if (change.replacedAt !== NEVER) return;
    const { key } = change;
    let later = this.partition(key[0], key[1])?.get(key[2]);
    if (later === change) this.#delete(key);
    while (later !== undefined && later.older !== change) later = later.older;
    if (later !== undefined) later.older = undefined;
  }

  /** Those of a range, in the order of law 1 of the store, in a list that stays as it is. */
  within(space: number, { from, until }: ScanRange, side: Side): readonly Change[] {
    const found: Change[] = [];
    const partitions = this.#spaces.get(space);
    if (partitions === undefined) return found;
    const collect = (rows: Rows, partition: string): void => {
      const start = partition === from.partition ? from.key : '';
      const end = partition === until?.partition ? until.key : undefined;
      rows.forEachWithin(start, end, latest => {
        const change = side === 'latest' ? latest : durableOf(latest);
        if (change !== undefined) found.push(change);
      });
    };
    // Of the last partition nothing is in the range if the bound is its beginning.
    const end = until && (until.key === '' ? until.partition : after(until.partition));
    if (end === after(from.partition)) {
      const rows = partitions.get(from.partition);
      if (rows !== undefined) collect(rows, from.partition);
    } else partitions.forEachWithin(from.partition, end, collect);
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

/** The least of all strings behind it. */
function after(text: string): string {
  return `${text}\0`;
}

/** Keys that are gone stay in the order, until they are more than the others and these. */
const GONE_MAX = 64;

/**
 * A map that tells its entries in the order of JavaScript's `<` on strings. The order is made when it is first asked for and
 * kept up from then on: maps that nobody asks cost little more than a `Map`.
 */
export class OrderedMap<V extends NonNullable<unknown>> extends Map<string, V> {
  /** All keys of the map, and some that are gone. */
  #order: string[] | undefined;

  override set(key: string, value: V): this {
    if (this.#order !== undefined) this.#place(this.#order, key);
    return super.set(key, value);
  }

  /** In order, from `from` on, without `until` and what is after it. The map must not change meanwhile. */
  forEachWithin(from: string, until: string | undefined, visit: (value: V, key: string) => void): void {
    // Without a function to compare by, it is by UTF-16 code units, as `<` does.
    this.#order ??= [...this.keys()].sort();
    const order = this.#order;
    for (let index = firstFrom(order, from); index < order.length; index += 1) {
      const key = order[index];
      if (key === undefined || (until !== undefined && key >= until)) return;
      const value = this.get(key);
      if (value !== undefined) visit(value, key);
    }
  }

  #place(order: string[], key: string): void {
    if (this.has(key)) return;
    if (order.length >= 2 * this.size + GONE_MAX) {
      this.#order = undefined;
      return;
    }
    const last = order.at(-1);
    if (last === undefined || last < key) {
      order.push(key);
      return;
    }
    const index = firstFrom(order, key);
    if (order[index] !== key) order.splice(index, 0, key);
  }
}
