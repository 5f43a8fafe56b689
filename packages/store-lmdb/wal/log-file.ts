// The log: the file `data.log` beside the data file, into which each batch of commits is written in one piece and synced before
// they are answered. It is written here; what stands in it is described in log-record.ts, where in read-log.ts, which reads it.
// What a batch is, when a half is free again and whose the file is, is decided by others.

import { randomBytes } from 'node:crypto';
import { close, constants, fdatasync, fsync, ftruncate, open, renameSync, rm, writev } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { StoreError } from '#store';
import { syncDirectoryNow } from '../lmdb/sync-file.js';
import { encodeHead, type LogHead, type RecordDraft, SALT_BYTES, type TickRange } from './log-record.js';
import { LOG_BYTES, LOG_HALVES } from './read-log.js';

export type { LogRecord } from './log-record.js';
export { LOG_BYTES, parseLog, readLog } from './read-log.js';

export const LOG_NAME = 'data.log';

const NO_SPACE: readonly unknown[] = ['ENOSPC', 'EDQUOT', 'EFBIG'];

/** Linux makes a write to a file opened so durable before it returns: one call of the system where there were two. */
const IS_SYNCED_BY_WRITE = process.platform === 'linux';
/** What a killed process left under the name is not longer, and is written over whole. */
const WRITTEN_DURABLY = constants.O_WRONLY | constants.O_CREAT | constants.O_DSYNC;

const openFile = promisify(open);
const closeFile = promisify(close);
const writePieces = promisify(writev);
const syncData = promisify(fdatasync);
const syncAll = promisify(fsync);
const cutFile = promisify(ftruncate);
const removeFile = promisify(rm);

export class LogFile {
  readonly #path: string;
  /** Until it is in its place. */
  #ownPath: string | undefined;
  readonly #file: number;
  readonly #head: LogHead;
  readonly epoch: bigint;
  /** In use. */
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
   * Makes the file, on disk when the promise is fulfilled, under a name that nobody else uses: `place` gives it its own. Fails with `full` or
   * `busy`. Its bytes are written and not only reserved, so that no record needs space or changes what the file system knows of the file.
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

  /** Puts the file in the place of one that is there and that nobody needs: with the right to write, so that nobody begins to. */
  place(): void {
    if (this.#ownPath === undefined) return;
    renameSync(this.#ownPath, this.#path);
    this.#ownPath = undefined;
    syncDirectoryNow(dirname(this.#path));
  }

  /** Whether so many bytes find place behind the last record of the half in use. */
  hasRoom(bytes: number): boolean {
    return this.#position + bytes <= LOG_HALVES[this.half].until;
  }

  /**
   * Writes a record, which nobody changes any more; on disk when the promise is fulfilled. One at a time, and only if there is room. If it fails with `full` or `busy`, nobody knows what is on disk, and the file takes no more records: a later sync may succeed without having written this one.
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

  /** Goes on at the beginning of the other half, whose records nobody needs any more. */
  turn(): void {
    if (this.#isWriting) throw new Error('A record is being written.');
    this.half = this.half === 0 ? 1 : 0;
    this.#position = LOG_HALVES[this.half].from;
  }

  /** A record that is being written goes on, and its promise is fulfilled. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    // The number of a file that is closed may be another file's before the write begins.
    if (!this.#isWriting) this.#closeFile();
  }

  /**
   * Closes the file, which nobody needs any more, without its bytes. Its name stays: by now it may be that of another one, which
   * somebody else has made.
   */
  async discard(): Promise<void> {
    try {
      await cutFile(this.#file);
    } finally {
      this.close();
    }
  }

  /** Closes a file that was not put in its place, and removes it. One that was stays whole: a mark may say that it is in use. */
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
    // Every record was synced, so the system has nothing to tell here.
    close(this.#file, () => {});
  }
}

function systemError(error: unknown, path: string): unknown {
  if (!(error instanceof Error) || !('code' in error)) return error;
  const code = NO_SPACE.includes(error.code) ? 'full' : 'busy';
  return new StoreError(code, `${path} cannot be written: ${error.message}`, error);
}
