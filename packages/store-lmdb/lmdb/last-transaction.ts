// Keeps LMDB's note of the last transaction right. LMDB keeps it in its lock file, and each opening of the file in any
// process rewrites it from the meta page that it read a moment before. A transaction committed in that moment would be
// forgotten: the next writer would begin from the one before it and overwrite acknowledged changes. So each writer
// checks, under the write lock, whether the file has a later transaction than the note.
//
//   data.mdb-lock:  0 magic, 4 bytes | 4 format, 4 | 8 last transaction, 8          little-endian
import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import { PAGE_BYTES, TRANSACTION_AT } from './file-head.js';

const MAGIC = 0xbeefc0de;
const NOTE_AT = 8;
const BYTES = 8;

export class LastTransaction {
  /** The data file, open for reading until this is closed. */
  readonly data: number;
  readonly #locks: number;
  readonly #bytes = Buffer.alloc(BYTES);

  /** LMDB has the file open. */
  constructor(path: string) {
    this.data = openSync(path, 'r');
    this.#locks = openSync(`${path}-lock`, 'r+');
    const head = Buffer.alloc(4);
    readSync(this.#locks, head, 0, head.length, 0);
    if (head.readUInt32LE() !== MAGIC) throw new Error(`${path}-lock is not a file of LMDB's locks.`);
  }

  /**
   * Call under the write lock, in the transaction with this number. True if the file already has that number or a later
   * one: then the transaction began too early and must be aborted. The note is right for the next one.
   */
  catchUp(transaction: number): boolean {
    if (this.#committed(transaction % 2) < BigInt(transaction)) return false;
    const [even, odd] = [this.#committed(0), this.#committed(1)];
    this.#bytes.writeBigUInt64LE(even > odd ? even : odd);
    writeSync(this.#locks, this.#bytes, 0, BYTES, NOTE_AT);
    return true;
  }

  /** The note: the transaction whose state a reader that begins now gets. Later reads see it or a newer state. */
  noted(): bigint {
    readSync(this.#locks, this.#bytes, 0, BYTES, NOTE_AT);
    return this.#bytes.readBigUInt64LE();
  }

  /** Call only when LMDB has closed the file: a process that closes the lock file releases all its locks on it. */
  close(): void {
    closeSync(this.data);
    closeSync(this.#locks);
  }

  #committed(metaPage: number): bigint {
    readSync(this.data, this.#bytes, 0, BYTES, metaPage * PAGE_BYTES + TRANSACTION_AT);
    return this.#bytes.readBigUInt64LE();
  }
}
