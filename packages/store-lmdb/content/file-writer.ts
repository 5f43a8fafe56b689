// Writes one content into its file. Small pieces are gathered, so that a content that fits into one buffer is a single
// durable write; a large one is written while it arrives, and synced as it grows, so that its end does not wait for all
// of it. The checksums (content-sums.ts) go with the last bytes, in the same write where possible. The file has its
// final name from the start: no process reads it before a row names it, which is after its bytes and its name are
// durable.
import { constants } from 'node:fs';
import { ADDED_BYTES_MAX, PIECE_BYTES, returnBuffer, takeBuffer } from '#base';
import { type ContentWriter, StoreError } from '#store';
import { closeFile, contentError, syncData, unlinkFile, writeAll } from '../lmdb/system-call.js';
import { ContentSums } from './content-sums.js';

/** Bytes of one content that may wait for the disk before its writer waits. */
const UNSYNCED_BYTES_MAX = 8 * 1024 * 1024;
/**
 * Bytes that are worth a sync while none is in progress: the end of a block of a few megabytes then waits for its last
 * part only.
 */
const SYNCED_BYTES_MIN = 1024 * 1024;

const { O_WRONLY, O_CREAT, O_EXCL } = constants;
/** Linux makes a write to a file opened with O_DSYNC durable before it returns: one system call instead of two. */
const DURABLE_WRITES = process.platform === 'linux' ? constants.O_DSYNC : undefined;

/** What a writer needs from its store. */
export interface WriterHost {
  readonly isDurable: boolean;
  /** Fails with `closed`. */
  assertOpen(): void;
  /** Fails with `full` if this many more bytes would leave too little for rows. */
  assertSpace(bytes: number): void;
  /** Opens a new file in the space's directory, creating the directory if it is missing. */
  open(path: string, flags: number): Promise<number>;
  /** Makes the file's name durable. */
  syncName(): Promise<void>;
  finished(id: string, bytes: number): void;
  released(id: string): void;
  /** Called when the writer is done and nothing of it is left. */
  ended(id: string): void;
}

export class FileWriter implements ContentWriter {
  readonly id: string;
  readonly #path: string;
  readonly #host: WriterHost;
  #state: 'open' | 'finished' | 'failed' | 'discarded' = 'open';
  #failure: unknown;
  #file: number | undefined;
  readonly #sums = new ContentSums();
  #buffer: Buffer | undefined;
  #buffered = 0;
  /** Where the next write begins. */
  #position = 0;
  #unsynced = 0;
  /** The write of the previous buffer, while the next one is filled. It never rejects: `#failure` has the error. */
  #writing: Promise<void> | undefined;
  #syncing: Promise<void> | undefined;

  constructor(id: string, path: string, host: WriterHost) {
    this.id = id;
    this.#path = path;
    this.#host = host;
  }

  async write(piece: Buffer): Promise<void> {
    this.#assertOpen();
    try {
      await this.#take(piece);
    } catch (error) {
      throw await this.#fail(error);
    }
  }

  async finish(): Promise<Buffer> {
    this.#assertOpen();
    try {
      if (this.#file === undefined && this.#writing === undefined) await this.#finishSmall();
      else await this.#finishLarge();
      this.#returnBuffer();
      this.#host.assertOpen();
    } catch (error) {
      throw await this.#fail(error);
    }
    this.#state = 'finished';
    this.#host.finished(this.id, this.#sums.length);
    return this.#sums.digest();
  }

  release(): void {
    if (this.#state === 'finished') this.#host.released(this.id);
  }

  async discard(): Promise<void> {
    if (this.#state === 'failed' || this.#state === 'discarded') return;
    this.#state = 'discarded';
    await this.#remove();
  }

  /** Like `discard`, when the store closes; finished contents stay. */
  async abandon(): Promise<void> {
    if (this.#state === 'open') await this.#fail(new StoreError('closed', 'The store is closed.'));
  }

  async #take(piece: Buffer): Promise<void> {
    // Not earlier: the last buffer carries the checksums.
    if (this.#buffered === PIECE_BYTES && piece.length > 0) await this.#flush();
    if (this.#buffered === 0 && piece.length >= PIECE_BYTES) {
      await this.#written();
      this.#writing = this.#appended(piece);
      // Overlaps with the write.
      this.#sums.add(piece);
      await this.#written();
      return;
    }
    this.#sums.add(piece);
    for (let at = 0; at < piece.length; ) {
      if (this.#buffered === PIECE_BYTES) await this.#flush();
      this.#buffer ??= takeBuffer();
      const room = PIECE_BYTES - this.#buffered;
      const copied = piece.copy(this.#buffer, this.#buffered, at, at + room);
      this.#buffered += copied;
      at += copied;
    }
  }

  /** Call when all bytes have arrived. */
  #addTrailer(): Buffer | undefined {
    const trailer = this.#sums.trailer(this.id);
    if (trailer.length > ADDED_BYTES_MAX) return trailer;
    this.#buffer ??= takeBuffer();
    this.#buffered += trailer.copy(this.#buffer, this.#buffered);
    return undefined;
  }

  /** Waits for the previous write, and begins the next. */
  async #flush(): Promise<void> {
    await this.#written();
    const buffer = this.#buffer;
    if (buffer === undefined) return;
    const bytes = buffer.subarray(0, this.#buffered);
    this.#buffer = undefined;
    this.#buffered = 0;
    this.#writing = this.#appended(bytes).finally(() => returnBuffer(buffer));
  }

  /** Never rejects: `#failure` has the error. Removing the file waits for it. */
  async #appended(bytes: Buffer): Promise<void> {
    try {
      await this.#append(bytes);
    } catch (error) {
      this.#failure ??= error;
    }
  }

  async #written(): Promise<void> {
    await this.#writing;
    this.#writing = undefined;
    if (this.#failure !== undefined) throw this.#failure;
    this.#assertOpen();
  }

  async #append(bytes: Buffer): Promise<void> {
    this.#host.assertSpace(bytes.length);
    this.#file ??= await this.#host.open(this.#path, O_WRONLY | O_CREAT | O_EXCL);
    if (this.#unsynced >= SYNCED_BYTES_MIN) await this.#syncOnTheWay(this.#file);
    await writeAll(this.#file, bytes, this.#position);
    this.#position += bytes.length;
    this.#unsynced += bytes.length;
  }

  /** Syncs before the next write rather than after it, since the checksums follow the last one. */
  async #syncOnTheWay(file: number): Promise<void> {
    if (!this.#host.isDurable) return;
    if (this.#syncing !== undefined) {
      if (this.#unsynced < UNSYNCED_BYTES_MAX) return;
      await this.#synced();
    }
    this.#unsynced = 0;
    this.#syncing = this.#sync(file);
  }

  /** Never rejects: `#failure` has the error. */
  async #sync(file: number): Promise<void> {
    try {
      await syncData(file);
    } catch (error) {
      this.#failure ??= error;
    }
    this.#syncing = undefined;
  }

  async #synced(): Promise<void> {
    await this.#syncing;
    this.#syncing = undefined;
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Makes name and bytes durable at the same time. */
  async #finishSmall(): Promise<void> {
    const { isDurable } = this.#host;
    this.#addTrailer();
    const bytes = this.#buffer?.subarray(0, this.#buffered) ?? Buffer.alloc(0);
    this.#host.assertSpace(bytes.length);
    const durable = isDurable ? (DURABLE_WRITES ?? 0) : 0;
    const file = await this.#host.open(this.#path, O_WRONLY | O_CREAT | O_EXCL | durable);
    this.#file = file;
    const write = async (): Promise<void> => {
      await writeAll(file, bytes, 0);
      if (isDurable && DURABLE_WRITES === undefined) await syncData(file);
    };
    await write();
    if (isDurable) await this.#host.syncName();
    this.#position = bytes.length;
    // The content is safe; a failure to close no longer matters.
    void this.#close().catch(() => undefined);
  }

  async #finishLarge(): Promise<void> {
    const { isDurable } = this.#host;
    // The name exists once something is written.
    await this.#written();
    const long = this.#addTrailer();
    const sync = async (): Promise<void> => {
      if (this.#buffered > 0) await this.#flush();
      await this.#written();
      if (long !== undefined) await this.#append(long);
      await this.#synced();
      if (isDurable && this.#file !== undefined) await syncData(this.#file);
    };
    await allOf([sync(), isDurable ? this.#host.syncName() : undefined]);
    await this.#close();
  }

  async #close(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    if (file !== undefined) await closeFile(file);
  }

  /** The error that the caller gets. */
  async #fail(error: unknown): Promise<unknown> {
    if (this.#state === 'discarded' || this.#state === 'failed') return this.#failure;
    this.#state = 'failed';
    this.#failure = contentError(error, this.#path);
    await this.#remove();
    return this.#failure;
  }

  async #remove(): Promise<void> {
    await this.#writing;
    await this.#syncing;
    this.#returnBuffer();
    await this.#close().catch(() => undefined);
    await unlinkFile(this.#path).catch(() => undefined);
    this.#host.ended(this.id);
  }

  #returnBuffer(): void {
    if (this.#buffer !== undefined) returnBuffer(this.#buffer);
    this.#buffer = undefined;
    this.#buffered = 0;
  }

  #assertOpen(): void {
    this.#host.assertOpen();
    if (this.#state === 'failed') throw this.#failure;
    if (this.#state !== 'open')
      throw new StoreError('closed', `The content ${this.id} is not written to any more.`);
  }
}

/** Fulfilled when all are; when all have ended, rejects with the first failure. */
async function allOf(tasks: readonly (Promise<void> | undefined)[]): Promise<void> {
  const results = await Promise.allSettled(tasks);
  for (const result of results) if (result.status === 'rejected') throw result.reason;
}
