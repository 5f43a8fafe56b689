// The log's file, `data.log` next to the data file: each batch of commits is written to it in one piece and synced
// before its callers are answered. This file writes it; log-record.ts has the format of records, read-log.ts their
// positions and the reader. Its users decide what a batch is, when a segment is free again and which process owns the
// file.

import { randomBytes } from 'node:crypto';
import { close, constants, fsync, ftruncate, renameSync, writev } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { StoreError } from '#store';
import { syncDirectoryNow } from '../lmdb/directory.js';
import { closeFile, codeOf, isNoSpace, openFile, removeFile, syncData } from '../lmdb/system-call.js';
import { encodeHead, type LogHead, type RecordDraft, SALT_BYTES, type TickRange } from './log-record.js';
import { LOG_BYTES, LOG_HALVES } from './read-log.js';

export const LOG_NAME = 'data.log';

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
  #hasFailed = false;
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
   * there is room. If it fails with `full` or `busy`, the state on disk is unknown, and the file takes no more records:
   * a later sync may succeed without having written this one.
   */
  async append(record: RecordDraft, ticks: TickRange): Promise<void> {
    if (this.#isClosed) throw new StoreError('closed', `${this.#path} is closed.`);
    if (this.#hasFailed) throw new StoreError('closed', `${this.#path} could not be written to before.`);
    if (this.#isWriting) throw new Error('A record is being written.');
    if (!this.hasRoom(record.bytes))
      throw new RangeError(`No room for ${record.bytes} bytes is left in half of the log.`);
    const pieces = record.finish(ticks, this.#head, this.#sequence + 1n);
    this.#isWriting = true;
    try {
      await this.#write(pieces, record.length, this.#position);
      if (!IS_SYNCED_BY_WRITE) await syncData(this.#file);
      this.#sequence += 1n;
      this.#position += record.length;
    } catch (error) {
      this.#hasFailed = true;
      throw systemError(error, this.#path);
    } finally {
      this.#isWriting = false;
      if (this.#isClosed) this.#closeFile();
    }
  }

  /** Continues at the beginning of the other segment, whose records must be obsolete. */
  turn(): void {
    if (this.#isWriting) throw new Error('A record is being written.');
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
