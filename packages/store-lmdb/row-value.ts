// The value of a row on disk: | version, 8 bytes big-endian | value |. It leaves the value's inside to the domains.
import { StoreError } from '#store';

const VERSION_BYTES = 8;
// Larger than nearly all entities; a larger value gets memory of its own.
const SCRATCH_BYTES = 0x10000;

/** Encodes values into memory of its own that the next call overwrites: LMDB copies a value when it is put. */
export class RowValueEncoder {
  readonly #scratch = Buffer.allocUnsafeSlow(SCRATCH_BYTES);

  encode(version: bigint, value: Buffer): Buffer {
    const length = VERSION_BYTES + value.length;
    const bytes =
      length <= SCRATCH_BYTES ? this.#scratch.subarray(0, length) : Buffer.allocUnsafeSlow(length);
    bytes.writeBigUInt64BE(version);
    bytes.set(value, VERSION_BYTES);
    return bytes;
  }
}

export function decodeVersion(bytes: Buffer): bigint {
  if (bytes.length < VERSION_BYTES) {
    throw new StoreError('corrupt', 'A row in the database is too short to have a version.');
  }
  return bytes.readBigUInt64BE();
}

/** A view, valid as long as `bytes` is. */
export function decodeValue(bytes: Buffer): Buffer {
  return bytes.subarray(VERSION_BYTES, bytes.length);
}

/** A copy, which is the caller's to keep. */
export function copyValue(bytes: Buffer): Buffer {
  const value = Buffer.allocUnsafe(Math.max(0, bytes.length - VERSION_BYTES));
  bytes.copy(value, 0, VERSION_BYTES, bytes.length);
  return value;
}
