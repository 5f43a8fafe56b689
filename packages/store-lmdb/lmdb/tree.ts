// One named LMDB database, which reports failures as `EngineError`s. It handles bytes in order; its users give them
// meaning. Calls see the current write transaction if there is one, otherwise the snapshot of durable state that all
// trees share.
import { engineError, keepCommitError } from './engine-error.js';
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

/** Where the bytes of the value last read from a tree are: valid until the next call of any tree. */
export class ValueSpan {
  bytes: Buffer = Buffer.alloc(0);
  from = 0;
  until = 0;
  #source: Uint8Array | undefined;

  /**
   * The decoder that `lmdb` calls. It reads into memory that it reuses, under a `length` that it redefines for each
   * value. Such an object makes each access slow, so a plain one over the same memory stands in for it; `byteLength` is
   * not redefined.
   */
  readonly decode = (source: Uint8Array): Buffer => {
    if (source !== this.#source) {
      this.#source = source;
      this.bytes = Buffer.from(source.buffer, source.byteOffset, source.byteLength);
    }
    this.until = source.length;
    return this.bytes;
  };

  view(): Buffer {
    return this.bytes.subarray(this.from, this.until);
  }
}

/**
 * What calls of all trees see outside a write transaction. LMDB's package keeps a snapshot for a millisecond or more
 * and drops it at each of this process's commits, before the commit's promise is fulfilled: that is enough where no
 * other process writes.
 */
export class ReadSnapshot {
  readonly #root: RootDatabase;
  readonly #exclusive: boolean;
  #isFresh = false;
  readonly #endEvent = (): void => this.invalidate();

  /** `exclusive`: no other process writes. */
  constructor(root: RootDatabase, exclusive: boolean) {
    this.#root = root;
    this.#exclusive = exclusive;
  }

  /**
   * Call before a read that has to see whatever any process has acknowledged. Where others write, all reads triggered
   * by one event share a snapshot, since nothing new can become known in between.
   */
  refresh(): void {
    if (!this.#isFresh) this.renew();
  }

  /** The next read sees what is durable at this moment. */
  renew(): void {
    this.#root.resetReadTxn();
    this.#isFresh = true;
    if (!this.#exclusive) process.nextTick(this.#endEvent);
  }

  /**
   * Call when the trees have taken in changes that were durable elsewhere, or may have: the next read has to show them.
   */
  invalidate(): void {
    this.#isFresh = false;
  }
}

/** From `start` on, until `end`, which belongs to the range only if `isInclusive`. */
export interface TreeRange {
  readonly start: Uint8Array;
  readonly end: Uint8Array;
  readonly isInclusive?: boolean;
}

/**
 * The entries of a range, in order. `span` and `value` hold the one that `next` moved to; false is the end. One caller
 * at a time uses and closes it.
 */
export interface EntryCursor {
  readonly span: KeySpan;
  readonly value: ValueSpan;
  /** `isReadWhole`: the caller is about to read all bytes of the values that come next. */
  next(isReadWhole?: boolean): boolean;
  close(): void;
}

/** Writes a key's bytes into `target` at `position`; returns the position after them. */
type WriteKey<K> = (key: K | Uint8Array, target: Uint8Array, position: number) => number;

export class Tree<K extends Key> {
  readonly name: string;
  readonly span = new KeySpan();
  readonly value = new ValueSpan();
  readonly #database: Database<Buffer, K | Uint8Array>;
  readonly #path: string;

  constructor(root: RootDatabase, path: string, name: string, writeKey: WriteKey<K>) {
    this.name = name;
    const { span, value } = this;
    // The package's types lack its two coders.
    const options = {
      name,
      encoder: { encode: (bytes: Buffer) => bytes, decode: value.decode },
      keyEncoder: {
        writeKey,
        readKey(bytes: Buffer, from: number, until: number) {
          span.bytes = bytes;
          span.from = from;
          span.until = until;
        },
      },
    };
    this.#database = root.openDB<Buffer, K | Uint8Array>(options);
    this.#path = path;
  }

  /** The value in place: valid until the next call of any tree. */
  get(key: K | Uint8Array): Buffer | undefined {
    return this.find(key) ? this.value.view() : undefined;
  }

  /** False if there is no such key; otherwise `value` then holds its value. */
  find(key: K | Uint8Array): boolean {
    try {
      return this.#database.get(key) !== undefined;
    } catch (error) {
      throw engineError(error, this.#path);
    }
  }

  /**
   * Has LMDB's thread carry out the puts and removes that `write` makes, in any tree, in one transaction, if the value
   * of `key` then begins with `version`. Fulfilled when they are durable; with false if nothing was changed. Its
   * failure may be read in a later turn.
   */
  async writeIf(key: K | Uint8Array, version: number, write: () => void): Promise<boolean> {
    const written = this.#database.ifVersion(key, version, write);
    written.catch(keepCommitError);
    // LMDB's package waits for a turn of the event loop before it wakes its thread, unless something else is noted.
    this.#database.batch(noChange).catch(keepCommitError);
    return written;
  }

  /** Call only inside a write transaction, or inside `writeIf` with a value that stays as it is. */
  put(key: K | Uint8Array, value: Buffer): void {
    try {
      void this.#database.put(key, value);
    } catch (error) {
      throw engineError(error, this.#path);
    }
  }

  /** Call only inside a write transaction, or inside `writeIf`. */
  remove(key: K | Uint8Array): void {
    try {
      void this.#database.remove(key);
    } catch (error) {
      throw engineError(error, this.#path);
    }
  }

  /** Without `transaction` the caller has to close it before it yields the thread. */
  range(range: TreeRange, transaction?: Transaction): TreeCursor {
    const { start, end, isInclusive = false } = range;
    const options: RangeOptions = { start, end, inclusiveEnd: isInclusive };
    try {
      return new TreeCursor(
        this.#database.getRange(transaction === undefined ? options : { ...options, transaction }),
        this.span,
        this.value,
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

function noChange(): void {}

/** The package's cursor. Its entries are where those of its tree are: valid until the next call of any tree. */
class TreeCursor implements EntryCursor {
  readonly span: KeySpan;
  readonly value: ValueSpan;
  readonly #entries: Iterator<unknown>;
  readonly #path: string;

  constructor(entries: Iterable<unknown>, span: KeySpan, value: ValueSpan, path: string) {
    this.#entries = entries[Symbol.iterator]();
    this.span = span;
    this.value = value;
    this.#path = path;
  }

  next(): boolean {
    try {
      return this.#entries.next().done !== true;
    } catch (error) {
      throw engineError(error, this.#path);
    }
  }

  close(): void {
    this.#entries.return?.();
  }
}
