// Walks the rows of a range of one space in order, into the subtrees of long keys and out again.
// How far to walk and what to keep of it is scan.ts's and commit-work.ts's affair.
import type { Row } from '#store';
import type { Transaction } from './lmdb.js';
import { type Branch, branchRange, type LongKeys, pointerKey } from './long-keys.js';
import { decodeKey, decodePartition } from './row-key.js';
import { copyValue, decodeValue, decodeVersion } from './row-value.js';
import type { TreeCursor, TreeRange } from './tree.js';

/** Half-open, in payload bytes (row-key.ts); without `until` to the end of the space. */
export interface PayloadRange {
  readonly from: Buffer;
  readonly until?: Buffer | undefined;
}

interface Level {
  readonly branch: Branch;
  /** What the payloads of the branch begin with and its keys leave out. */
  readonly path: Buffer;
  readonly cursor: TreeCursor;
}

/** As a row it is the current one in place: valid until the next call of any tree, and decoded when asked for. */
export class RowCursor implements Row {
  readonly #longKeys: LongKeys;
  readonly #range: PayloadRange;
  readonly #transaction: Transaction | undefined;
  readonly #levels: Level[] = [];
  #level: Level | undefined;
  #value: Buffer | undefined;

  /** Without `transaction` it has to be closed before the caller gives up the thread. */
  constructor(longKeys: LongKeys, space: number, range: PayloadRange, transaction?: Transaction) {
    this.#longKeys = longKeys;
    this.#range = range;
    this.#transaction = transaction;
    this.#enter(longKeys.spaceBranch(space), Buffer.alloc(0));
  }

  /** Moves to the next row; false at the end. */
  next(): boolean {
    this.#value = undefined;
    let level = this.#level;
    while (level !== undefined) {
      if (level.cursor.next()) {
        const { span } = level.branch.tree;
        if (!this.#longKeys.isPointer(level.branch, span.until - span.from)) return true;
        this.#descend(level);
      } else {
        level.cursor.close();
        this.#levels.pop();
        this.#level = this.#levels.at(-1);
      }
      level = this.#level;
    }
    return false;
  }

  get partition(): string {
    const { bytes, from, until } = this.#payload();
    return decodePartition(bytes, from, until);
  }

  get key(): string {
    const { bytes, from, until } = this.#payload();
    return decodeKey(bytes, from, until);
  }

  get version(): bigint {
    return decodeVersion(this.#bytes());
  }

  get value(): Buffer {
    this.#value ??= decodeValue(this.#bytes());
    return this.#value;
  }

  /** The current row as a copy, which is the caller's to keep. */
  copy(): Row {
    const { partition, key, version } = this;
    return { partition, key, version, value: copyValue(this.#bytes()) };
  }

  close(): void {
    for (const { cursor } of this.#levels) cursor.close();
    this.#levels.length = 0;
    this.#level = undefined;
  }

  #current(): Level {
    if (this.#level === undefined) throw new Error('The cursor is not at a row.');
    return this.#level;
  }

  #bytes(): Buffer {
    return this.#current().cursor.value;
  }

  #payload(): { readonly bytes: Buffer; readonly from: number; readonly until: number } {
    const { branch, path } = this.#current();
    const { bytes, from, until } = branch.tree.span;
    const start = from + branch.prefix.length;
    if (path.length === 0) return { bytes, from: start, until };
    const whole = Buffer.concat([path, bytes.subarray(start, until)]);
    return { bytes: whole, from: 0, until: whole.length };
  }

  #descend({ branch, path, cursor }: Level): void {
    const { bytes, from } = branch.tree.span;
    const start = from + branch.prefix.length;
    const longer = Buffer.concat([path, bytes.subarray(start, start + this.#longKeys.chunk)]);
    this.#enter(this.#longKeys.pointedBranch(cursor.value), longer);
  }

  #enter(branch: Branch, path: Buffer): void {
    const range = this.#rangeWithin(branch, path);
    const level = { branch, path, cursor: branch.tree.range(range, this.#transaction) };
    this.#levels.push(level);
    this.#level = level;
  }

  #rangeWithin(branch: Branch, path: Buffer): TreeRange {
    const whole = branchRange(branch);
    const { from, until } = this.#range;
    const start = beginsWith(from, path) ? this.#bound(branch, from.subarray(path.length)) : whole.start;
    if (until === undefined || !beginsWith(until, path)) return { start, end: whole.end };
    const rest = until.subarray(path.length);
    // A pointer that the bound leads through has rows on both sides of it, so it belongs to the range.
    return { start, end: this.#bound(branch, rest), isInclusive: rest.length > this.#longKeys.chunk };
  }

  #bound({ prefix }: Branch, rest: Buffer): Buffer {
    const { chunk } = this.#longKeys;
    if (rest.length > chunk) return pointerKey(prefix, rest.subarray(0, chunk));
    return Buffer.concat([prefix, rest]);
  }
}

function beginsWith(bytes: Buffer, beginning: Buffer): boolean {
  return bytes.length >= beginning.length && bytes.subarray(0, beginning.length).equals(beginning);
}
