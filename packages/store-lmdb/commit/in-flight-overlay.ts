// The rows as they will be: what is durable, in the tree or only in the log, under the changes that were decided and are on
// their way to the disk. Only decisions see the latter; what others read is durable. Which changes are on their way, and
// which are recent, is early-commits.ts's affair.
import { detachedString } from '#base';
import type { Row } from '#store';
import { fits, type RowKey } from '../layout/row-key.js';
import { RowBlocks } from '../layout/row-value.js';
import type { Rows } from '../layout/rows.js';
import { type Change, rowOf, WalOverlay } from '../wal/wal-overlay.js';

export type { Change } from '../wal/wal-overlay.js';

export class InFlightOverlay {
  readonly #rows: Rows;
  readonly #chunk: number;
  readonly #recent: WalOverlay;
  readonly #blocks = new RowBlocks();
  /** What is on its way, which is kept as the recent ones are. */
  readonly #changes = new WalOverlay();

  constructor(rows: Rows, chunk: number, recent: WalOverlay) {
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
  return [space, detachedString(partition), detachedString(key)];
}
