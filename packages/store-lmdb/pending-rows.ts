// The rows as they will be: what is durable, in the tree or only in the log, under the changes that were decided and are on
// their way to the disk. Only decisions see the latter; what others read is durable. Which changes are on their way, and
// which are recent, is early-commits.ts's affair.
import { ownText, type Row } from '#store';
import { type Change, RecentRows, rowOf } from './recent-rows.js';
import { fits, type RowKey } from './row-key.js';
import { RowBlocks } from './row-value.js';
import type { Rows } from './rows.js';

export type { Change } from './recent-rows.js';

export class PendingRows {
  readonly #rows: Rows;
  readonly #chunk: number;
  readonly #recent: RecentRows;
  readonly #blocks = new RowBlocks();
  /** What is on its way, which is kept as the recent ones are. */
  readonly #changes = new RecentRows();

  constructor(rows: Rows, chunk: number, recent: RecentRows) {
    this.#rows = rows;
    this.#chunk = chunk;
    this.#recent = recent;
  }

  /** Rows under longer keys change with their subtrees, which needs a transaction. */
  holds(partition: string, key: string): boolean {
    return fits(partition, key, this.#chunk);
  }

  /** The value may be a view, and then stays as it is. */
  get(space: number, partition: string, key: string): Row | undefined {
    const change = this.#changes.find(space, partition, key) ?? this.#recent.find(space, partition, key);
    return change === undefined ? this.#rows.get(space, partition, key) : rowOf(change);
  }

  /** Copies the value. */
  put(space: number, row: Row): Change {
    const { partition, key, version, value } = row;
    const bytes = this.#blocks.encode(version, value);
    return this.#add({ key: ownKey(space, partition, key), bytes, version });
  }

  remove(space: number, partition: string, key: string): Change {
    return this.#add({ key: ownKey(space, partition, key), bytes: undefined, version: 0n });
  }

  /** The change is durable, or will never be. Later ones of the same row stay. */
  forget(change: Change): void {
    this.#changes.forget(change);
  }

  #add(change: Change): Change {
    this.#changes.add(change);
    return change;
  }
}

/** Kept until the tree is brought up, and the request that the texts were read from is not to be kept with them. */
function ownKey(space: number, partition: string, key: string): RowKey {
  return [space, ownText(partition), ownText(key)];
}
