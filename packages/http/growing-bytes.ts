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
  #store: Buffer;
  #length: number;
  readonly #expected: number;

  /**
   * @param expected total bytes; 0 if unknown.
   * @param held the bytes so far; they are not copied, and never written into.
   */
  constructor(expected = 0, held: Buffer = EMPTY) {
    this.#expected = expected;
    this.#store = held;
    this.#length = held.length;
  }

  get length(): number {
    return this.#length;
  }

  append(bytes: Buffer): void {
    const length = this.#length + bytes.length;
    if (length > this.#store.length) {
      const store = Buffer.allocUnsafeSlow(this.#capacityFor(length));
      this.#store.copy(store, 0, 0, this.#length);
      this.#store = store;
    }
    bytes.copy(this.#store, this.#length);
    this.#length = length;
  }

  #capacityFor(length: number): number {
    if (length <= this.#expected && length >= this.#expected * EXPECTED_PART) return this.#expected;
    return Math.max(length, 2 * this.#store.length, FIRST_CAPACITY);
  }

  /** The bytes so far; later ones do not change the view. */
  view(): Buffer {
    return this.#store.subarray(0, this.#length);
  }
}
