// Walks the rows of a range of one space in order, into the subtrees of long keys and out again.
// The caller chooses the source of a tree's entries; page-walk.ts and key-range.ts decide how far to walk.
import type { Row, RowInPlace } from '#store';
import { decodeText, findTerminator, type RowKey } from '../layout/keys.js';
import { type Branch, branchRange, type LongKeys, pointerKey } from '../layout/long-keys.js';
import { copyValue, ROW_HEADER_BYTES, VersionDecoder } from '../layout/rows.js';
import type { EntryCursor, Tree, TreeRange } from '../lmdb/tree.js';

/** Half-open, in payload bytes (keys.ts); without `until` to the end of the space. */
export interface PayloadRange {
  readonly from: Buffer;
  readonly until?: Buffer | undefined;
}

/** V8 builds a constant of this module into the code, and reads an imported one at each use. */
const HEADER_BYTES = ROW_HEADER_BYTES;
const NO_VALUE = Buffer.alloc(0);
/** Of no row's key, because a partition has a terminator. */
const NO_PARTITION = Buffer.of(0xff);

/** The entries of a range, for as long as the rows are walked. */
export type OpenRange = (tree: Tree<RowKey>, range: TreeRange) => EntryCursor;

/** By the package's cursor, in the transaction under way or on what is durable: to be closed before the caller yields the thread. */
const openCursor: OpenRange = (tree, range) => tree.range(range);

interface Level {
  readonly branch: Branch;
  /** What the payloads of the branch begin with and its keys leave out. */
  readonly path: Buffer;
  readonly cursor: EntryCursor;
  /** Keys that are longer are pointers. */
  readonly keyBytesMax: number;
}

/** As a row it is the current one in place: valid until the next call of this or any tree, and decoded when asked for. */
export class RowCursor implements RowInPlace {
  bytes: Buffer = NO_VALUE;
  from = 0;
  until = 0;
  readonly #longKeys: LongKeys;
  readonly #range: PayloadRange;
  readonly #open: OpenRange;
  readonly #levels: Level[] = [];
  readonly #versions = new VersionDecoder();
  #level: Level | undefined;
  #value: Buffer | undefined;
  /** The key of the current row, once it was asked for. */
  #key: string | undefined;
  /** The partition that was decoded last, with its bytes and their terminator: rows that follow each other mostly share it. */
  #partition = '';
  #partitionBytes: Uint8Array = NO_PARTITION;

  constructor(longKeys: LongKeys, space: number, range: PayloadRange, openRange = openCursor) {
    this.#longKeys = longKeys;
    this.#range = range;
    this.#open = openRange;
    this.#enter(longKeys.spaceBranch(space), Buffer.alloc(0));
  }

  /** Moves to the next row; false at the end. */
  next(): boolean {
    this.#value = undefined;
    this.#key = undefined;
    let level = this.#level;
    while (level !== undefined) {
      if (level.cursor.next()) {
        const { span, value } = level.cursor;
        if (span.until - span.from <= level.keyBytesMax) {
          if (this.bytes !== value.bytes) this.bytes = value.bytes;
          this.from = value.from + HEADER_BYTES;
          this.until = value.until;
          return true;
        }
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
    this.#decodeKeys();
    return this.#partition;
  }

  get key(): string {
    return this.#decodeKeys();
  }

  get version(): bigint {
    return this.#versions.decode(this.bytes, this.from - ROW_HEADER_BYTES, this.until);
  }

  get value(): Buffer {
    this.#value ??= this.bytes.subarray(this.from, this.until);
    return this.#value;
  }

  /** The current row as a copy, which is the caller's to keep. */
  copy(): Row {
    const { key, version, bytes, from, until } = this;
    return {
      partition: this.#partition,
      key,
      version,
      value: copyValue(bytes, from - ROW_HEADER_BYTES, until),
    };
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

  /** Decodes partition and key unless that was done for this row; gives the key. */
  #decodeKeys(): string {
    if (this.#key !== undefined) return this.#key;
    const { branch, path, cursor } = this.#current();
    const { span } = cursor;
    const start = span.from + branch.prefix.length;
    if (path.length === 0) return this.#decodePayload(span.bytes, start, span.until);
    const whole = Buffer.concat([path, span.bytes.subarray(start, span.until)]);
    return this.#decodePayload(whole, 0, whole.length);
  }

  #decodePayload(bytes: Buffer, from: number, until: number): string {
    let keyFrom = from + this.#partitionBytes.length;
    if (keyFrom > until || !isAt(bytes, from, this.#partitionBytes)) {
      const terminator = findTerminator(bytes, from, until);
      keyFrom = terminator + 1;
      this.#partition = decodeText(bytes, from, terminator);
      this.#partitionBytes = Uint8Array.prototype.slice.call(bytes, from, keyFrom);
    }
    const key = decodeText(bytes, keyFrom, until);
    this.#key = key;
    return key;
  }

  #descend({ branch, path, cursor }: Level): void {
    const { bytes, from } = cursor.span;
    const start = from + branch.prefix.length;
    const longer = Buffer.concat([path, bytes.subarray(start, start + this.#longKeys.chunk)]);
    this.#enter(this.#longKeys.pointedBranch(cursor.value.view()), longer);
  }

  #enter(branch: Branch, path: Buffer): void {
    const range = this.#rangeWithin(branch, path);
    const level = {
      branch,
      path,
      cursor: this.#open(branch.tree, range),
      keyBytesMax: this.#longKeys.keyBytesMax(branch),
    };
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

function isAt(bytes: Buffer, at: number, expected: Uint8Array): boolean {
  for (let index = 0; index < expected.length; index += 1) {
    if (bytes[at + index] !== expected[index]) return false;
  }
  return true;
}

function beginsWith(bytes: Buffer, beginning: Buffer): boolean {
  return bytes.length >= beginning.length && bytes.subarray(0, beginning.length).equals(beginning);
}
