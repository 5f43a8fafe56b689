// Bytes that arrive in pieces, made contiguous: each is copied a few times at most, however small the pieces are.

const EMPTY = Buffer.alloc(0);
const FIRST_CAPACITY = 4_096;
/**
 * The fraction of the expected bytes that must have arrived before memory for all of them is allocated: a client gets
 * none for a mere announcement.
 */
const EXPECTED_PART = 1 / 4;

export class GrowingBytes {
  /** Only bytes after the length are ever written, so views stay as they are. */
  #store: Buffer = EMPTY;
  #length = 0;
  readonly #expected: number;

  /** @param expected total bytes; 0 if unknown. */
  constructor(expected = 0) {
    this.#expected = expected;
  }

  /** Holds these bytes, without a copy. */
  static of(bytes: Buffer): GrowingBytes {
    const held = new GrowingBytes();
    held.adopt(bytes);
    return held;
  }

  get length(): number {
    return this.#length;
  }

  append(bytes: Buffer, from = 0, until = bytes.length): void {
    const length = this.#length + until - from;
    if (length > this.#store.length) {
      const store = Buffer.allocUnsafeSlow(this.#capacityFor(length));
      this.#store.copy(store, 0, 0, this.#length);
      this.#store = store;
    }
    bytes.copy(this.#store, this.#length, from, until);
    this.#length = length;
  }

  #capacityFor(length: number): number {
    if (length <= this.#expected && length >= this.#expected * EXPECTED_PART) return this.#expected;
    return Math.max(length, 2 * this.#store.length, FIRST_CAPACITY);
  }

  /** Holds these bytes instead of its own, without a copy; never writes into them. */
  adopt(bytes: Buffer): void {
    this.#store = bytes;
    this.#length = bytes.length;
  }

  /** The bytes so far; later ones do not change the view. */
  view(): Buffer {
    return this.#store.subarray(0, this.#length);
  }

  clear(): void {
    this.adopt(EMPTY);
  }
}
