// The rows of all spaces: point access, whatever the length of the key. row-cursor.ts walks ranges.
// Calls see the write transaction under way if there is one, otherwise what is durable.
import type { Row } from '#store';
import type { Tree } from '../lmdb/tree.js';
import type { Counters } from './counters.js';
import type { LongKeys } from './long-keys.js';
import { fits, type RowKey } from './row-key.js';
import { copyValue, decodeVersion, RowValueEncoder } from './row-value.js';

/** Names of the two trees that have rows. */
export const ROWS_TREE = 'rows';
export const LONG_TREE = 'long';
export const ROW_TREES: readonly string[] = [ROWS_TREE, LONG_TREE];

export class Rows {
  readonly #tree: Tree<RowKey>;
  readonly #longKeys: LongKeys;
  readonly #encoder = new RowValueEncoder();

  constructor(tree: Tree<RowKey>, longKeys: LongKeys) {
    this.#tree = tree;
    this.#longKeys = longKeys;
  }

  /** A copy, which is the caller's to keep. */
  get(space: number, partition: string, key: string): Row | undefined {
    if (!fits(partition, key, this.#longKeys.chunk)) {
      const bytes = this.#longKeys.get(space, partition, key);
      return bytes && copyRow(partition, key, bytes, 0, bytes.length);
    }
    if (!this.#tree.find([space, partition, key])) return undefined;
    const { bytes, from, until } = this.#tree.value;
    return copyRow(partition, key, bytes, from, until);
  }

  /** Only inside a write transaction. */
  put(space: number, row: Row, counters: Counters): void {
    const { partition, key } = row;
    const bytes = this.#encoder.encode(row.version, row.value);
    if (fits(partition, key, this.#longKeys.chunk)) this.#tree.put([space, partition, key], bytes);
    else this.#longKeys.put(space, partition, key, bytes, counters);
  }

  /** A change whose key is no longer than LMDB takes; its bytes stay as they are until LMDB's thread has read them. */
  apply(key: RowKey | Uint8Array, bytes: Buffer | undefined): void {
    if (bytes === undefined) this.#tree.remove(key);
    else this.#tree.put(key, bytes);
  }

  /** Only inside a write transaction. */
  remove(space: number, partition: string, key: string): void {
    if (fits(partition, key, this.#longKeys.chunk)) this.#tree.remove([space, partition, key]);
    else this.#longKeys.remove(space, partition, key);
  }
}

function copyRow(partition: string, key: string, bytes: Buffer, from: number, until: number): Row {
  return {
    partition,
    key,
    version: decodeVersion(bytes, from, until),
    value: copyValue(bytes, from, until),
  };
}
