// The last change of each row among changes that are not in the tree, in the order of rows where that is asked for. Which
// changes these are, and when they come and go, is the affair of who holds them: early-commits.ts and pending-rows.ts.
import type { ScanRange } from '#store';
import type { RowKey } from './row-key.js';

/** A row's final image, or that it goes. */
export interface Change {
  readonly key: RowKey;
  /** As the tree has it (row-value.ts), and never overwritten; undefined removes the row. */
  readonly bytes: Buffer | undefined;
  readonly version: bigint;
}

/** Of one partition, by key. None is empty. */
type Changes = Map<string, Change>;

export class RecentRows {
  /** Spaces, and partitions of each that have a change; so a scan sorts what is recent in its partitions only. */
  readonly #spaces = new Map<number, Map<string, Changes>>();

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
      partitions = new Map();
      this.#spaces.set(space, partitions);
    }
    const changes = partitions.get(partition);
    if (changes === undefined) partitions.set(partition, new Map([[key, change]]));
    else changes.set(key, change);
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

  /** Those of a range, sorted as law 1 of the store says, in a list that stays as it is. */
  within(space: number, range: ScanRange): readonly Change[] {
    const partitions = this.#spaces.get(space);
    if (partitions === undefined) return [];
    const { from, until } = range;
    const found: Change[] = [];
    for (const partition of partitionsWithin(partitions, range)) {
      const start = partition === from.partition ? from.key : '';
      const end = partition === until?.partition ? until.key : undefined;
      addWithin(partitions.get(partition), start, end, found);
    }
    return found;
  }
}

/** In order. */
function partitionsWithin(partitions: ReadonlyMap<string, Changes>, range: ScanRange): readonly string[] {
  const { from, until } = range;
  // There may be thousands, and most scans are of one.
  if (isOfOnePartition(range)) return [from.partition];
  const names: string[] = [];
  for (const name of partitions.keys()) {
    if (name >= from.partition && (until === undefined || name <= until.partition)) names.push(name);
  }
  return names.sort();
}

/** Either inside it, or to its end, which is where the least partition after it begins. */
function isOfOnePartition({ from, until }: ScanRange): boolean {
  if (until === undefined) return false;
  if (until.partition === from.partition) return true;
  return until.key === '' && until.partition === `${from.partition}\0`;
}

/** Appends the changes from `start` until `end`, or to the end of the partition, in order. */
function addWithin(
  changes: Changes | undefined,
  start: string,
  end: string | undefined,
  found: Change[],
): void {
  if (changes === undefined) return;
  const keys: string[] = [];
  for (const key of changes.keys()) {
    if (key >= start && (end === undefined || key < end)) keys.push(key);
  }
  // Without a function to compare by, it is by UTF-16 code units, as `<` does.
  for (const key of keys.sort()) {
    const change = changes.get(key);
    if (change !== undefined) found.push(change);
  }
}
