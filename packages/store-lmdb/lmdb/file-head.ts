// Looks at the head of the data file before LMDB does: the `lmdb` package dies of a segmentation fault on a file that it
// cannot open, and of a bus error on one that was cut off. It checks the two meta pages and nothing behind them.
//
// LMDB's data format 2 on a 64 bit machine, little-endian; meta page 0 is at 0, meta page 1 at PAGE_BYTES:
//   18 flags, 2 bytes | 24 magic, 4 | 28 version, 4 | 48 page size, 4 | 52 flags of the file, 2 | 144 last page, 8
//   152 transaction, 8
// Between 48 and 144 stand the records of two trees (page-format.ts): of free pages, and of names.
import { closeSync, fstatSync, ftruncateSync, openSync, readSync } from 'node:fs';
import { StoreError } from '#store';

export const PAGE_BYTES = 8192;

export const LAST_PAGE_AT = 144;
/** Transaction n writes meta page n % 2. */
export const TRANSACTION_AT = 152;
const META_FLAG = 0x08;
/** A flag of the file. */
const ENCRYPTED = 0x2000;
const MAGIC = 0xbeefc0de;
const LMDB_FORMAT = 2;

export interface Meta {
  readonly transaction: bigint;
  readonly lastPage: bigint;
  /** The whole page. */
  readonly bytes: Buffer;
}

/** Creates the file if it does not exist; fails with `corrupt` or `unsupported` if LMDB could not open it. */
export function checkFileHead(path: string): void {
  const file = openSync(path, 'a+');
  try {
    if (fstatSync(file).size > 0) readNewestMeta(file, path);
  } finally {
    closeSync(file);
  }
}

/**
 * Extends a file that was cut off to its proper length: what is missing then reads as zeros, which LMDB reports as
 * corrupt where it matters. A sound file may be short too, where its last pages are free. Call under the write lock,
 * since another process may otherwise extend the file at the same time.
 */
export function restoreFileLength(path: string): void {
  const file = openSync(path, 'r+');
  try {
    const length = (Number(readNewestMeta(file, path).lastPage) + 1) * PAGE_BYTES;
    if (fstatSync(file).size < length) ftruncateSync(file, length);
  } finally {
    closeSync(file);
  }
}

/** The remedies for a file that cannot be opened. */
export const REMEDY = 'restore a backup into another directory, or move the file away.';

/** The meta page of the last transaction. Fails with `corrupt` or `unsupported` if one of the two is not LMDB's. */
export function readNewestMeta(file: number, path: string): Meta {
  const metas = [readMeta(file, 0, path), readMeta(file, PAGE_BYTES, path)];
  return metas.reduce((a, b) => (b.transaction > a.transaction ? b : a));
}

function readMeta(file: number, position: number, path: string): Meta {
  const bytes = Buffer.alloc(PAGE_BYTES);
  const count = readSync(file, bytes, 0, PAGE_BYTES, position);
  const isMeta = (bytes.readUInt16LE(18) & META_FLAG) !== 0 && bytes.readUInt32LE(24) === MAGIC;
  if (count < PAGE_BYTES || !isMeta) {
    throw new StoreError(
      'corrupt',
      `${path} is not the file of a store, or its beginning is damaged: ${REMEDY}`,
    );
  }
  if ((bytes.readUInt16LE(52) & ENCRYPTED) !== 0) {
    throw new StoreError('corrupt', `${path} says that it is encrypted, which no store is: ${REMEDY}`);
  }
  const [format, pageBytes] = [bytes.readUInt16LE(28), bytes.readUInt32LE(48)];
  if (format !== LMDB_FORMAT || pageBytes !== PAGE_BYTES) {
    const found = `LMDB format ${format} with pages of ${pageBytes} bytes`;
    throw new StoreError(
      'unsupported',
      `${path} has ${found}; this program makes and reads others: ${REMEDY}`,
    );
  }
  return {
    lastPage: bytes.readBigUInt64LE(LAST_PAGE_AT),
    transaction: bytes.readBigUInt64LE(TRANSACTION_AT),
    bytes,
  };
}
