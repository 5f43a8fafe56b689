// The checksums of a content, after its bytes in its file: a running CRC-64 at the end of each unit, which locates a
// change; the last one covers the whole content and is what clients get. The checksums include the content's id, so
// another content's bytes are found too. docs/storage-format.md draws the trailer.
import { Crc64 } from '#base';

/** Bytes that one checksum adds. Readers and writers use buffers of this size. */
export const UNIT_BYTES = 256 * 1024;
const SUM_BYTES = 8;
const MARK = Buffer.from('sum1', 'latin1');
const [MARK_AT, UNIT_AT, ID_AT, LENGTH_AT, CHECKSUM_AT] = [0, 4, 8, 48, 56];
const ID_BYTES = LENGTH_AT - ID_AT;
/** The bytes after the sums. */
export const FOOTER_BYTES = CHECKSUM_AT + SUM_BYTES;
/** Initial capacity; it doubles. */
const FIRST_SUMS = 16;

/** For a content of this many bytes. */
export const trailerBytes = (length: number): number =>
  SUM_BYTES * Math.ceil(length / UNIT_BYTES) + FOOTER_BYTES;

/** The length of a content whose file has this many bytes; if the file was cut off, the most that it could have had. */
export function bytesWithin(fileBytes: number): number {
  const rest = Math.max(0, fileBytes - FOOTER_BYTES);
  return rest - SUM_BYTES * Math.ceil(rest / (UNIT_BYTES + SUM_BYTES));
}

/** Sums up a content piece by piece. */
export class ContentSums {
  #length = 0;
  readonly #crc64 = new Crc64();
  /** The sums of whole units. */
  #sums = Buffer.allocUnsafeSlow(FIRST_SUMS * SUM_BYTES);

  get length(): number {
    return this.#length;
  }

  add(bytes: Buffer): void {
    for (let at = 0; at < bytes.length; ) {
      const part = bytes.subarray(at, at + UNIT_BYTES - (this.#length % UNIT_BYTES));
      this.#crc64.update(part);
      at += part.length;
      this.#length += part.length;
      if (this.#length % UNIT_BYTES === 0) this.#keep(this.#length / UNIT_BYTES - 1);
    }
  }

  /** The checksum of everything added. */
  digest(): Buffer {
    return this.#crc64.digest();
  }

  trailer(id: string): Buffer {
    if (this.#length % UNIT_BYTES !== 0) this.#keep(Math.floor(this.#length / UNIT_BYTES));
    const trailer = Buffer.alloc(trailerBytes(this.#length));
    const sums = trailer.length - FOOTER_BYTES;
    this.#sums.copy(trailer, 0, 0, sums);
    MARK.copy(trailer, sums + MARK_AT);
    trailer.writeUInt32BE(UNIT_BYTES, sums + UNIT_AT);
    trailer.write(id, sums + ID_AT, ID_BYTES, 'latin1');
    trailer.writeBigUInt64BE(BigInt(this.#length), sums + LENGTH_AT);
    new Crc64()
      .update(trailer.subarray(0, sums + CHECKSUM_AT))
      .digest()
      .copy(trailer, sums + CHECKSUM_AT);
    return trailer;
  }

  #keep(unit: number): void {
    if (SUM_BYTES * unit === this.#sums.length)
      this.#sums = Buffer.concat([this.#sums, Buffer.allocUnsafeSlow(this.#sums.length)]);
    this.#crc64.digest().copy(this.#sums, SUM_BYTES * unit);
  }
}

/** The contents of a file's footer. Its own checksum covers the whole trailer. */
interface Footer {
  readonly id: string;
  readonly length: number;
}

/** Undefined if these last bytes are no footer of a file of this length. */
export function readFooter(footer: Buffer, fileBytes: number): Footer | undefined {
  const isFooter =
    footer.length === FOOTER_BYTES &&
    footer.subarray(MARK_AT, UNIT_AT).equals(MARK) &&
    footer.readUInt32BE(UNIT_AT) === UNIT_BYTES;
  if (!isFooter) return undefined;
  const length = Number(footer.readBigUInt64BE(LENGTH_AT));
  if (length + trailerBytes(length) !== fileBytes) return undefined;
  return { id: footer.toString('latin1', ID_AT, LENGTH_AT).replace(/\0+$/, ''), length };
}

/** Whether a trailer is as it was written. */
export const isWhole = (trailer: Buffer): boolean =>
  new Crc64().update(trailer.subarray(0, -SUM_BYTES)).digest().equals(trailer.subarray(-SUM_BYTES));

/** Whether a unit has the bytes that were written: its sum continues from the unit before. */
export function isUnitWhole(trailer: Buffer, unit: number, bytes: Buffer): boolean {
  const sumOf = (of: number): Buffer => trailer.subarray(SUM_BYTES * of, SUM_BYTES * (of + 1));
  const before = unit === 0 ? undefined : sumOf(unit - 1);
  return new Crc64(before).update(bytes).digest().equals(sumOf(unit));
}
