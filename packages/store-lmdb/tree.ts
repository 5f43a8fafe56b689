// One named LMDB database, with its failures told as `EngineError`s. It knows bytes in order; what they mean is its
// users' affair. Calls see the write transaction under way if there is one, otherwise what is durable.
import { engineError } from './engine-error.js';
import type { Database, Key, RangeOptions, RootDatabase, Transaction } from './lmdb.js';

/** Where the bytes of the key last read from a tree are: valid until the next call of any tree. */
export class KeySpan {
  bytes: Buffer = Buffer.alloc(0);
  from = 0;
  until = 0;

  copy(): Buffer {
    return Buffer.from(this.bytes.subarray(this.from, this.until));
  }
}

/** From `start` on, until `end`, which belongs to the range only if `isInclusive`. */
export interface TreeRange {
  readonly start: Uint8Array;
  readonly end: Uint8Array;
  readonly isInclusive?: boolean;
}

/** Writes a key's bytes into `target` at `position`, and gives the position after them. */
export type WriteKey<K> = (key: K | Uint8Array, target: Uint8Array, position: number) => number;

export class Tree<K extends Key> {
  readonly span = new KeySpan();
  readonly #database: Database<Buffer, K | Uint8Array>;
  readonly #path: string;

  constructor(root: RootDatabase, path: string, name: string, writeKey: WriteKey<K>) {
    const span = this.span;
    this.#database = root.openDB<Buffer, K | Uint8Array>({
      name,
      encoder: { encode: value => value, decode: inPlace },
      keyEncoder: {
        writeKey,
        readKey(bytes, from, until) {
          span.bytes = bytes;
          span.from = from;
          span.until = until;
        },
      },
    });
    this.#path = path;
  }

  /** The value in place: valid until the next call of any tree. */
  get(key: K | Uint8Array): Buffer | undefined {
    try {
      return this.#database.get(key);
    } catch (error) {
      throw engineError(error, this.#path);
    }
  }

  /** Only inside a write transaction. */
  put(key: K | Uint8Array, value: Buffer): void {
    try {
      void this.#database.put(key, value);
    } catch (error) {
      throw engineError(error, this.#path);
    }
  }

  /** Only inside a write transaction. */
  remove(key: K | Uint8Array): void {
    try {
      void this.#database.remove(key);
    } catch (error) {
      throw engineError(error, this.#path);
    }
  }

  /** Without `transaction` it has to be closed before the caller gives up the thread. */
  range(range: TreeRange, transaction?: Transaction): TreeCursor {
    const { start, end, isInclusive = false } = range;
    const options: RangeOptions = { start, end, inclusiveEnd: isInclusive };
    try {
      return new TreeCursor(
        this.#database.getRange(transaction === undefined ? options : { ...options, transaction }),
        this.#path,
      );
    } catch (error) {
      throw engineError(error, this.#path);
    }
  }

  /** Copies of the first keys of a range, at most `limit`. */
  keys(range: TreeRange, limit: number): Buffer[] {
    const keys: Buffer[] = [];
    const cursor = this.range(range);
    try {
      while (keys.length < limit && cursor.next()) keys.push(this.span.copy());
    } finally {
      cursor.close();
    }
    return keys;
  }
}

export class TreeCursor {
  /** The value in place: valid until the next call of any tree. */
  value: Buffer = Buffer.alloc(0);
  readonly #entries: Iterator<{ readonly value: Buffer }>;
  readonly #path: string;

  constructor(entries: Iterable<{ readonly value: Buffer }>, path: string) {
    this.#entries = entries[Symbol.iterator]();
    this.#path = path;
  }

  /** Moves to the next entry, whose key the tree's `span` then holds; false at the end. */
  next(): boolean {
    try {
      const entry = this.#entries.next();
      if (entry.done === true) return false;
      this.value = entry.value.value;
      return true;
    } catch (error) {
      throw engineError(error, this.#path);
    }
  }

  close(): void {
    this.#entries.return?.();
  }
}

/** Without copying: `lmdb` gives memory that it uses again, with a length that it sets, or a view of the file. */
function inPlace(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
