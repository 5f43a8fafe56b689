// The rows as they will be: what is durable, under the changes that were decided and are on their way to the disk.
// Only decisions see it; what others read is durable. Which changes are on their way is early-commits.ts's affair.
import type { Row } from '#store';
import { fits, type RowKey } from './row-key.js';
import { decodeValue, RowBlocks } from './row-value.js';
import type { Rows } from './rows.js';

/** A row's final image, or that it goes. */
export interface Change {
  readonly id: string;
  readonly key: RowKey;
  /** As the tree has it (row-value.ts); undefined removes the row. */
  readonly bytes: Buffer | undefined;
  readonly version: bigint;
}

export class PendingRows {
  readonly #rows: Rows;
  readonly #chunk: number;
  readonly #blocks = new RowBlocks();
  /** The last change of each row. */
  readonly #changes = new Map<string, Change>();

  constructor(rows: Rows, chunk: number) {
    this.#rows = rows;
    this.#chunk = chunk;
  }

  /** Rows under longer keys change with their subtrees, which needs a transaction. */
  holds(partition: string, key: string): boolean {
    return fits(partition, key, this.#chunk);
  }

  /** The value is a view, valid until the row's changes are durable. */
  get(space: number, partition: string, key: string): Row | undefined {
    const change = this.#changes.get(idOf(space, partition, key));
    if (change === undefined) return this.#rows.get(space, partition, key);
    const { bytes, version } = change;
    if (bytes === undefined) return undefined;
    return { partition, key, version, value: decodeValue(bytes, bytes.length) };
  }

  /** Copies the value. */
  put(space: number, row: Row): Change {
    const { partition, key, version, value } = row;
    return this.#add(space, partition, key, version, this.#blocks.encode(version, value));
  }

  remove(space: number, partition: string, key: string): Change {
    return this.#add(space, partition, key, 0n, undefined);
  }

  /** The change is durable, or will never be. Later ones of the same row stay. */
  forget(change: Change): void {
    if (this.#changes.get(change.id) === change) this.#changes.delete(change.id);
  }

  #add(space: number, partition: string, key: string, version: bigint, bytes: Buffer | undefined): Change {
    const id = idOf(space, partition, key);
    const change: Change = { id, key: [space, partition, key], bytes, version };
    this.#changes.set(id, change);
    return change;
  }
}

/** The length tells where the partition ends, whatever is in it. */
function idOf(space: number, partition: string, key: string): string {
  return `${space}/${partition.length}/${partition}${key}`;
}
