// Writes and reads the fields of stored values, in order: numbers big-endian, texts in UTF-8 after their length.
import { StoreError } from '#store';

const FIRST_BYTES = 4096;
/** The length that stands for a text that is not there. */
const NO_TEXT = 0xffff;

export class FieldWriter {
  #bytes = Buffer.allocUnsafe(FIRST_BYTES);
  #at = 0;

  #reserve(count: number): void {
    const needed = this.#at + count;
    if (needed <= this.#bytes.length) return;
    const grown = Buffer.allocUnsafe(Math.max(needed, 2 * this.#bytes.length));
    this.#bytes.copy(grown, 0, 0, this.#at);
    this.#bytes = grown;
  }

  u8(value: number): void {
    this.#reserve(1);
    this.#at = this.#bytes.writeUInt8(value, this.#at);
  }

  u32(value: number): void {
    this.#reserve(4);
    this.#at = this.#bytes.writeUInt32BE(value, this.#at);
  }

  /** A whole number that a double holds exactly. */
  size(value: number): void {
    this.#reserve(8);
    this.#at = this.#bytes.writeDoubleBE(value, this.#at);
  }

  tick(value: bigint): void {
    this.#reserve(8);
    this.#at = this.#bytes.writeBigInt64BE(value, this.#at);
  }

  /** At most 65,534 bytes. */
  text(value: string | undefined): void {
    if (value === undefined) {
      this.#reserve(2);
      this.#at = this.#bytes.writeUInt16BE(NO_TEXT, this.#at);
      return;
    }
    this.#reserve(2 + 3 * value.length);
    const length = this.#bytes.write(value, this.#at + 2);
    this.#bytes.writeUInt16BE(length, this.#at);
    this.#at += 2 + length;
  }

  bytes(value: Buffer): void {
    this.#reserve(value.length);
    this.#at += value.copy(this.#bytes, this.#at);
  }

  /** What was written, in a buffer of its own; then it is empty again. */
  end(): Buffer {
    const written = Buffer.from(this.#bytes.subarray(0, this.#at));
    this.#at = 0;
    return written;
  }

  /** Drops the leftovers of a failure. */
  begin(): this {
    this.#at = 0;
    return this;
  }
}

/** Fails with a RangeError beyond the end; `decodeFields` makes it a StoreError. */
export class FieldReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  u8(): number {
    const value = this.#bytes.readUInt8(this.#at);
    this.#at += 1;
    return value;
  }

  u32(): number {
    const value = this.#bytes.readUInt32BE(this.#at);
    this.#at += 4;
    return value;
  }

  size(): number {
    const value = this.#bytes.readDoubleBE(this.#at);
    if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`${value} is no size.`);
    this.#at += 8;
    return value;
  }

  tick(): bigint {
    const value = this.#bytes.readBigInt64BE(this.#at);
    this.#at += 8;
    return value;
  }

  text(): string | undefined {
    const length = this.#bytes.readUInt16BE(this.#at);
    this.#at += 2;
    if (length === NO_TEXT) return undefined;
    const from = this.#pass(length);
    return this.#bytes.toString('utf8', from, this.#at);
  }

  /** A text that is there. */
  required(): string {
    const text = this.text();
    if (text === undefined) throw new RangeError('A text is missing.');
    return text;
  }

  /** A view. */
  bytes(length: number): Buffer {
    const from = this.#pass(length);
    return this.#bytes.subarray(from, this.#at);
  }

  /** Skips this many bytes; returns where they begin. */
  #pass(length: number): number {
    const from = this.#at;
    if (from + length > this.#bytes.length) throw new RangeError('It is cut short.');
    this.#at = from + length;
    return from;
  }

  /** A view of all that is left. */
  rest(): Buffer {
    return this.bytes(this.#bytes.length - this.#at);
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }
}

/**
 * Decodes a value that begins with the number of its form.
 *
 * @throws StoreError `unsupported` for another form, `corrupt` for all else that cannot be read.
 */
export function decodeFields<T>(
  bytes: Buffer,
  form: number,
  noun: string,
  decode: (reader: FieldReader) => T,
): T {
  if (bytes.length > 0 && bytes[0] !== form)
    throw new StoreError('unsupported', `${noun} has the unknown form ${bytes[0]}.`);
  try {
    const reader = new FieldReader(bytes);
    reader.u8();
    const decoded = decode(reader);
    if (!reader.isAtEnd) throw new RangeError('It is longer than it should be.');
    return decoded;
  } catch (error) {
    if (error instanceof StoreError) throw error;
    throw new StoreError('corrupt', `${noun} cannot be read.`, error);
  }
}
