// The log's file, `data.log` next to the data file, as it is written: each batch of commits is one record, written in one
// piece and synced before its callers are answered. read-log.ts reads it. Its users decide what a batch is, when a
// segment is free again and which process owns the file.
//
//   | head, 1 block | first segment: records | second segment: records |       a record begins at a block and ends in
//   its segment
//
//   head    | checksum, 4 | 'slog' | epoch, 8 | salt, 16 |
//   record  | checksum, 4 | length, 4 | epoch, 8 | sequence, 8 | basis, 8 | tick, 8 | count, 4 | changes |
//   change  | key's length, 2 | value's length, 4, or FF FF FF FF for a removed row | key | value |
//
// All numbers are big-endian. A checksum is the CRC-32 of everything that follows it, in a record up to its length,
// which counts from the record's first byte; zeros fill the last block. A record's checksum continues from that of the
// head, whose salt is secret: so neither another file's records count, nor bytes in a row that look like a record.
import { randomBytes } from 'node:crypto';
import { close, constants, fsync, ftruncate, renameSync, writev } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { crc32 } from 'node:zlib';
import { StoreError } from '#store';
import { SPACE_BYTES } from '../layout/branches.js';
import { ROW_HEADER_BYTES, type RowKey, UNIT_BYTES_MAX, writeRowKey, writeRowValue } from '../layout/rows.js';
import { syncDirectoryNow } from '../lmdb/directory.js';
import { closeFile, codeOf, isNoSpace, openFile, removeFile, syncData } from '../lmdb/system-call.js';
import { type Change, newChange } from '../overlay.js';

/** The range of ticks that a record covers. */
export interface TickRange {
  /** The last tick before it. */
  readonly basis: bigint;
  /** Its last tick. */
  readonly tick: bigint;
}

/** The file that a record belongs to. */
export interface LogHead {
  readonly epoch: bigint;
  /** The checksums of its records continue from this. */
  readonly checksum: number;
}

export const LOG_NAME = 'data.log';

/** No disk's sector is larger, so writing a record never rewrites a sector of an acknowledged one. */
export const BLOCK_BYTES = 4096;
/** The head and two segments; the first one is shorter by the head. */
export const LOG_BYTES = 8 * 1024 * 1024;
export const LOG_HALVES: readonly [LogHalf, LogHalf] = [
  { from: BLOCK_BYTES, until: LOG_BYTES / 2 },
  { from: LOG_BYTES / 2, until: LOG_BYTES },
];

export interface LogHalf {
  readonly from: number;
  readonly until: number;
}

export const SALT_BYTES = 16;
export const RECORD_HEADER_BYTES = 44;
export const CHANGE_HEADER_BYTES = 6;
export const MAGIC = 0x736c6f67;
export const HEAD_BYTES = 16 + SALT_BYTES;
export const REMOVED = 0xffffffff;
const MEMORY_BYTES = 0x10000;
/** 4 MiB, half of what the log may hold that is not in the tree. */
const FREE_BLOCKS_MAX = 64;
const ZEROS = Buffer.alloc(BLOCK_BYTES);

/**
 * Upper bound for the bytes of a change in a record, without inspecting characters; `rowBytes` are those of the row.
 */
export function changeBytesMax(partition: string, key: string, rowBytes: number): number {
  return CHANGE_HEADER_BYTES + SPACE_BYTES + 1 + UNIT_BYTES_MAX * (partition.length + key.length) + rowBytes;
}

/** Writes the head at the beginning of `target`. */
export function encodeHead(epoch: bigint, salt: Buffer, target: Buffer): LogHead {
  target.writeUInt32BE(MAGIC, 4);
  target.writeBigUInt64BE(epoch, 8);
  salt.copy(target, 16, 0, SALT_BYTES);
  const checksum = crc32(target.subarray(4, HEAD_BYTES));
  target.writeUInt32BE(checksum, 0);
  return { epoch, checksum };
}

/**
 * Memory that records are encoded into, one after another. A record's part of a block stays as it is until the record
 * is released, which must not happen before all users of its values are done; a user that cannot know never releases
 * it. A block without records is reused: V8 counts memory outside its heap, and blocks that outlive two of its
 * collections become garbage that only a marking of the whole heap finds, and they trigger that marking.
 */
export class RecordMemory {
  block: Buffer = Buffer.alloc(0);
  used = 0;
  /** How many records have a part of a block. */
  readonly #records = new WeakMap<Buffer, number>();
  readonly #free: Buffer[] = [];

  /** The block, with so many contiguous free bytes from `used` on; it counts one more record with a part of it. */
  retain(bytes: number): Buffer {
    if (this.used + bytes > this.block.length) {
      const free = bytes <= MEMORY_BYTES ? this.#free.pop() : undefined;
      this.block = free ?? Buffer.allocUnsafeSlow(Math.max(MEMORY_BYTES, bytes));
      this.used = 0;
    }
    this.#records.set(this.block, (this.#records.get(this.block) ?? 0) + 1);
    return this.block;
  }

  /** Counts one record fewer. */
  release(block: Buffer): void {
    const left = (this.#records.get(block) ?? 0) - 1;
    this.#records.set(block, left);
    if (left > 0 || block === this.block || block.length !== MEMORY_BYTES) return;
    if (this.#free.length < FREE_BLOCKS_MAX) this.#free.push(block);
  }
}

/**
 * A record that is encoded change by change, as they are decided: in pieces of memory that also hold the changes'
 * values. The next record of a memory begins once this one has all its changes.
 */
export class RecordDraft {
  readonly changes: Change[] = [];
  /** Bytes so far, without the zeros that fill its last block. */
  bytes = RECORD_HEADER_BYTES;
  /** In the file, once it is finished: whole blocks. */
  length = 0;
  readonly #memory: RecordMemory;
  readonly #blocks: Buffer[];
  /** Parts in earlier blocks. */
  readonly #pieces: Buffer[] = [];
  #block: Buffer;
  /** Its part of the block. */
  #from: number;
  #until: number;

  constructor(memory: RecordMemory) {
    this.#memory = memory;
    this.#block = memory.retain(RECORD_HEADER_BYTES);
    this.#blocks = [this.#block];
    this.#from = memory.used;
    this.#until = memory.used += RECORD_HEADER_BYTES;
  }

  /** Copies the value; without one it removes the row. */
  add(key: RowKey, version: bigint, value?: Buffer): Change {
    const rowBytes = value === undefined ? 0 : ROW_HEADER_BYTES + value.length;
    const most = changeBytesMax(key[1], key[2], rowBytes);
    // A change is contiguous.
    if (this.#until + most > this.#block.length) this.#goOn(most);
    const block = this.#block;
    const at = this.#until;
    const from = writeRowKey(key, block, at + CHANGE_HEADER_BYTES);
    const until = from + rowBytes;
    block.writeUInt16BE(from - at - CHANGE_HEADER_BYTES, at);
    block.writeUInt32BE(value === undefined ? REMOVED : rowBytes, at + 2);
    if (value !== undefined) writeRowValue(version, value, block, from);
    this.#until = this.#memory.used = until;
    this.bytes += until - at;
    const change = newChange(key, version, value && block, from, until);
    this.changes.push(change);
    return change;
  }

  /** Call after the last change: returns the record, in pieces. */
  finish({ basis, tick }: TickRange, head: LogHead, sequence: bigint): readonly Buffer[] {
    const pieces = [...this.#pieces, this.#block.subarray(this.#from, this.#until)];
    const first = pieces[0] as Buffer;
    first.writeUInt32BE(this.bytes, 4);
    first.writeBigUInt64BE(head.epoch, 8);
    first.writeBigUInt64BE(sequence, 16);
    first.writeBigUInt64BE(basis, 24);
    first.writeBigUInt64BE(tick, 32);
    first.writeUInt32BE(this.changes.length, 40);
    let checksum = crc32(first.subarray(4), head.checksum);
    for (let index = 1; index < pieces.length; index += 1)
      checksum = crc32(pieces[index] as Buffer, checksum);
    first.writeUInt32BE(checksum, 0);
    const zeros = -this.bytes & (BLOCK_BYTES - 1);
    this.length = this.bytes + zeros;
    pieces.push(ZEROS.subarray(0, zeros));
    return pieces;
  }

  /** Call at most once, when its values are neither read nor written any more: the memory may be reused. */
  release(): void {
    for (const block of this.#blocks) this.#memory.release(block);
  }

  #goOn(bytes: number): void {
    this.#pieces.push(this.#block.subarray(this.#from, this.#until));
    this.#block = this.#memory.retain(bytes);
    this.#blocks.push(this.#block);
    this.#from = this.#memory.used;
    this.#until = this.#from;
  }
}

/** Linux makes a write to a file opened with O_DSYNC durable before it returns: one system call instead of two. */
const IS_SYNCED_BY_WRITE = process.platform === 'linux';
/** A file that a killed process left under the name is not longer, and is overwritten whole. */
const WRITTEN_DURABLY = constants.O_WRONLY | constants.O_CREAT | constants.O_DSYNC;

const writePieces = promisify(writev);
const syncAll = promisify(fsync);
const cutFile = promisify(ftruncate);

export class LogFile {
  readonly #path: string;
  /** The temporary name, until the file is in place. */
  #ownPath: string | undefined;
  readonly #file: number;
  readonly #head: LogHead;
  readonly epoch: bigint;
  /** The segment in use. */
  half: 0 | 1 = 0;
  #position = LOG_HALVES[0].from;
  #sequence = 0n;
  #isWriting = false;
  #isClosed = false;

  private constructor(path: string, file: number, head: LogHead, ownPath: string) {
    this.#ownPath = ownPath;
    this.#path = path;
    this.#file = file;
    this.#head = head;
    this.epoch = head.epoch;
  }

  /**
   * Creates the file, on disk when the promise is fulfilled, under a unique name; `place` gives it the final one. Fails
   * with `full` or `busy`. Its bytes are written and not only reserved, so that no record needs space or changes the
   * file's metadata.
   */
  static async prepare(directory: string, epoch: bigint): Promise<LogFile> {
    const path = join(directory, LOG_NAME);
    const own = `${path}.${process.pid}`;
    const bytes = Buffer.alloc(LOG_BYTES);
    const head = encodeHead(epoch, randomBytes(SALT_BYTES), bytes);
    let file: number | undefined;
    try {
      file = await openFile(own, IS_SYNCED_BY_WRITE ? WRITTEN_DURABLY : 'w');
      const log = new LogFile(path, file, head, own);
      await log.#write([bytes], bytes.length, 0);
      await syncAll(file);
      return log;
    } catch (error) {
      if (file !== undefined) await closeFile(file);
      await removeFile(own, { force: true });
      throw systemError(error, path);
    }
  }

  /**
   * Replaces the existing file, which must be obsolete. Call under the write lock, so that no other process begins to
   * use it.
   */
  place(): void {
    if (this.#ownPath === undefined) return;
    renameSync(this.#ownPath, this.#path);
    this.#ownPath = undefined;
    syncDirectoryNow(dirname(this.#path));
  }

  /** Whether this many bytes fit after the last record of the current segment. */
  hasRoom(bytes: number): boolean {
    return this.#position + bytes <= LOG_HALVES[this.half].until;
  }

  /**
   * Writes a record, which must not change any more; on disk when the promise is fulfilled. One at a time, and only if
   * there is room. If it fails with `full` or `busy`, the state on disk is unknown, and the file is closed: a later
   * sync may succeed without having written this one.
   */
  async append(record: RecordDraft, ticks: TickRange): Promise<void> {
    if (this.#isClosed) throw new StoreError('closed', `${this.#path} is closed.`);
    const pieces = record.finish(ticks, this.#head, this.#sequence + 1n);
    this.#isWriting = true;
    try {
      await this.#write(pieces, record.length, this.#position);
      if (!IS_SYNCED_BY_WRITE) await syncData(this.#file);
      this.#sequence += 1n;
      this.#position += record.length;
    } catch (error) {
      this.#isClosed = true;
      throw systemError(error, this.#path);
    } finally {
      this.#isWriting = false;
      if (this.#isClosed) this.#closeFile();
    }
  }

  /** Continues at the beginning of the other segment, whose records must be obsolete; not while a record is written. */
  turn(): void {
    this.half = this.half === 0 ? 1 : 0;
    this.#position = LOG_HALVES[this.half].from;
  }

  /** A record that is being written is completed, and its promise is fulfilled. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    // After a close its descriptor may belong to another file before the write begins.
    if (!this.#isWriting) this.#closeFile();
  }

  /**
   * Closes the obsolete file and frees its bytes. Its name stays: by now it may belong to another process's new file.
   */
  async discard(): Promise<void> {
    try {
      await cutFile(this.#file);
    } finally {
      this.close();
    }
  }

  /**
   * Closes a file that was not put in place, and removes it. One that was stays whole: the catalogue may say that it is
   * in use.
   */
  async withdraw(): Promise<void> {
    this.close();
    if (this.#ownPath !== undefined) await removeFile(this.#ownPath, { force: true });
  }

  /** All pieces, of so many bytes together. */
  async #write(pieces: readonly Buffer[], length: number, position: number): Promise<void> {
    for (let done = 0; done < length; ) {
      const left = done === 0 ? pieces : [Buffer.concat(pieces).subarray(done)];
      done += (await writePieces(this.#file, left, position + done)).bytesWritten;
    }
  }

  #closeFile(): void {
    // Every record was synced, so a failure to close does not matter.
    close(this.#file, () => {});
  }
}

function systemError(error: unknown, path: string): unknown {
  if (!(error instanceof Error) || codeOf(error) === undefined) return error;
  const code = isNoSpace(error) ? 'full' : 'busy';
  return new StoreError(code, `${path} cannot be written: ${error.message}`, error);
}
