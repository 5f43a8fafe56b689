// Walks the rows of a range of one space in order, into the subtrees of long keys and out again. The caller chooses the
// source of a tree's entries; page-walk.ts decides how far to walk.
//
// A commit reads a range of keys in one partition before it decides: its bounds as those of a scan, and its rows as
// copies.
import { copyRow, type Reads, type Row, type RowInPlace, type ScanRange } from '#store';
import { type Branch, branchRange, pointerKey } from '../layout/branches.js';
import {
  decodeKey,
  decodeText,
  encodePayload,
  findTerminator,
  type OpenRange,
  ROW_HEADER_BYTES,
  type Rows,
  VersionDecoder,
} from '../layout/rows.js';
import type { EntryCursor, TreeRange } from '../lmdb/tree.js';
import type { RowSource } from './page-walk.js';

/** Half-open, in payload bytes (rows.ts); without `until` to the end of the space. */
interface PayloadRange {
  readonly from: Buffer;
  readonly until?: Buffer | undefined;
}

export type KeyRange = NonNullable<Reads['range']>;

/** Without `until` the range ends with the partition. */
export const scanRangeOf = (partition: string, { from, until }: KeyRange): ScanRange => ({
  from: { partition, key: from },
  until: until === undefined ? { partition: `${partition}\0`, key: '' } : { partition, key: until },
});

/** V8 inlines a constant of this module into the code, and reads an imported one at each use. */
const HEADER_BYTES = ROW_HEADER_BYTES;
const NO_VALUE = Buffer.alloc(0);
/** For the key's position: not computed yet, and not in the value's memory. */
const UNKNOWN = -2;
const ELSEWHERE = -1;
/** No row's key begins with this, because a partition has a terminator. */
const NO_PARTITION = Buffer.of(0xff);

/** The package's cursor, in the current transaction or on what is durable: close it before yielding the thread. */
const openCursor: OpenRange = (tree, range) => tree.range(range);

interface Level {
  readonly branch: Branch;
  /** What the payloads of the branch begin with and its keys leave out. */
  readonly path: Buffer;
  readonly cursor: EntryCursor;
  /** Longer keys are pointers. */
  readonly keyBytesMax: number;
}

/** It is its own row, decoded on demand. */
export class RowCursor implements RowSource, RowInPlace {
  readonly row = this;
  bytes: Buffer = NO_VALUE;
  from = 0;
  until = 0;
  readonly #rows: Rows;
  readonly #range: PayloadRange;
  readonly #open: OpenRange;
  readonly #levels: Level[] = [];
  readonly #versions = new VersionDecoder();
  #level: Level | undefined;
  #value: Buffer | undefined;
  /** The key of the current row, once it was asked for. */
  #key: string | undefined;
  /** Where the current row's key begins in the bytes, or why that is not known. */
  #keyFrom = UNKNOWN;
  #keyUntil = 0;
  /** Partition and key of the current row, if they are not in place. */
  #payload: Buffer = NO_VALUE;
  /** The partition that was decoded last, with its bytes and their terminator: rows in sequence mostly share it. */
  #partition = '';
  #partitionBytes: Uint8Array = NO_PARTITION;

  constructor(rows: Rows, space: number, { from, until }: ScanRange, openRange = openCursor) {
    this.#rows = rows;
    this.#range = {
      from: encodePayload(from.partition, from.key),
      until: until && encodePayload(until.partition, until.key),
    };
    this.#open = openRange;
    this.#enter(rows.spaceBranch(space), Buffer.alloc(0));
  }

  /** Moves to the next row; false at the end. */
  next(isReadWhole = false): boolean {
    this.#value = undefined;
    this.#key = undefined;
    this.#keyFrom = UNKNOWN;
    let level = this.#level;
    while (level !== undefined) {
      if (level.cursor.next(isReadWhole)) {
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
    this.#place();
    return this.#partition;
  }

  get key(): string {
    this.#key ??= this.#decodeKey();
    return this.#key;
  }

  get keyFrom(): number {
    return this.#place();
  }

  get keyUntil(): number {
    this.#place();
    return this.#keyUntil;
  }

  get version(): bigint {
    return this.#versions.decode(this.bytes, this.from - ROW_HEADER_BYTES, this.until);
  }

  get value(): Buffer {
    this.#value ??= this.bytes.subarray(this.from, this.until);
    return this.#value;
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

  #decodeKey(): string {
    const from = this.#place();
    if (from >= 0) return decodeText(this.bytes, from, this.#keyUntil);
    return decodeKey(this.#payload, 0, this.#payload.length);
  }

  /** Finds the key and decodes the partition, unless that was done for this row; returns where the key is. */
  #place(): number {
    if (this.#keyFrom !== UNKNOWN) return this.#keyFrom;
    const { branch, path, cursor } = this.#current();
    const { bytes, from, until } = cursor.span;
    const start = from + branch.prefix.length;
    if (path.length === 0 && bytes === this.bytes) {
      this.#keyFrom = this.#enterPartition(bytes, start, until);
      this.#keyUntil = until;
    } else {
      this.#payload = Buffer.concat([path, bytes.subarray(start, until)]);
      this.#enterPartition(this.#payload, 0, this.#payload.length);
      this.#keyFrom = ELSEWHERE;
    }
    return this.#keyFrom;
  }

  /** Decodes the partition unless it is that of the row before; returns where the key begins. */
  #enterPartition(bytes: Buffer, from: number, until: number): number {
    const keyFrom = from + this.#partitionBytes.length;
    if (keyFrom <= until && isAt(bytes, from, this.#partitionBytes)) return keyFrom;
    const terminator = findTerminator(bytes, from, until);
    this.#partition = decodeText(bytes, from, terminator);
    this.#partitionBytes = Uint8Array.prototype.slice.call(bytes, from, terminator + 1);
    return terminator + 1;
  }

  #descend({ branch, path, cursor }: Level): void {
    const { bytes, from } = cursor.span;
    const start = from + branch.prefix.length;
    const longer = Buffer.concat([path, bytes.subarray(start, start + this.#rows.chunk)]);
    this.#enter(this.#rows.pointedBranch(cursor.value.view()), longer);
  }

  #enter(branch: Branch, path: Buffer): void {
    const range = this.#rangeWithin(branch, path);
    const level = {
      branch,
      path,
      cursor: this.#open(branch.tree, range),
      keyBytesMax: this.#rows.keyBytesMax(branch),
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
    return { start, end: this.#bound(branch, rest), isInclusive: rest.length > this.#rows.chunk };
  }

  #bound({ prefix }: Branch, rest: Buffer): Buffer {
    const { chunk } = this.#rows;
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

/** The first `most` rows of the source; closes it. */
export function copyRows(source: RowSource, most: number): Row[] {
  const found: Row[] = [];
  try {
    while (found.length < most && source.next()) found.push(copyRow(source.row));
  } finally {
    source.close();
  }
  return found;
}
