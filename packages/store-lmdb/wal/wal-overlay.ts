// The last change of each row among changes that are not in the tree, and those of a range in order. Which changes these
// are, and when they come and go, is the affair of who holds them: early-commits.ts and pending-rows.ts.
import type { Row, ScanRange } from '#store';
import type { RowKey } from '../layout/row-key.js';
import { decodeValue } from '../layout/row-value.js';
import { OrderedMap } from './ordered-map.js';

/** A row's final image, or that it goes. */
export interface Change {
  readonly key: RowKey;
  /** As the tree has it (row-value.ts), and never overwritten; undefined removes the row. */
  readonly bytes: Buffer | undefined;
  readonly version: bigint;
}

/** The row as it is after the change, its value a view that stays as it is; undefined if it is gone. */
export function rowOf({ key: [, partition, key], bytes, version }: Change): Row | undefined {
  return bytes && { partition, key, version, value: decodeValue(bytes, bytes.length) };
}

/** The changes of one partition by key, never empty. */
type Changes = OrderedMap<Change>;

export class WalOverlay {
  /** By space and partition, so that a scan of one partition has nothing to do with the others. */
  readonly #spaces = new Map<number, OrderedMap<Changes>>();

  get isEmpty(): boolean {
    return this.#spaces.size === 0;
  }

  /** Undefined if the row is not recent; a change with `bytes` undefined says that it is gone. */
  find(space: number, partition: string, key: string): Change | undefined {
    return this.#spaces.get(space)?.get(partition)?.get(key);
  }

  /** Later changes of a row replace earlier ones. */
  add(change: Change): void {
    const [space, partition, key] = change.key;
    let partitions = this.#spaces.get(space);
    if (partitions === undefined) {
      partitions = new OrderedMap();
      this.#spaces.set(space, partitions);
    }
    let changes = partitions.get(partition);
    if (changes === undefined) {
      changes = new OrderedMap();
      partitions.set(partition, changes);
    }
    changes.set(key, change);
  }

  /** Only if it is still the row's last one. */
  forget(change: Change): void {
    const [space, partition, key] = change.key;
    const partitions = this.#spaces.get(space);
    const changes = partitions?.get(partition);
    if (partitions === undefined || changes?.get(key) !== change) return;
    changes.delete(key);
    if (changes.size > 0) return;
    partitions.delete(partition);
    if (partitions.size === 0) this.#spaces.delete(space);
  }

  clear(): void {
    this.#spaces.clear();
  }

  /** Those of a range, in the order of law 1 of the store, in a list that stays as it is. */
  within(space: number, { from, until }: ScanRange): readonly Change[] {
    const found: Change[] = [];
    const partitions = this.#spaces.get(space);
    if (partitions === undefined) return found;
    const collect = (changes: Changes, partition: string): void => {
      const start = partition === from.partition ? from.key : '';
      const end = partition === until?.partition ? until.key : undefined;
      changes.forEachWithin(start, end, change => found.push(change));
    };
    // Of the last partition nothing is in the range if the bound is its beginning.
    const end = until && (until.key === '' ? until.partition : after(until.partition));
    if (end === after(from.partition)) {
      const changes = partitions.get(from.partition);
      if (changes !== undefined) collect(changes, from.partition);
    } else partitions.forEachWithin(from.partition, end, collect);
    return found;
  }
}

/** The least of all strings behind it. */
function after(text: string): string {
  return `${text}\0`;
}
