// A body that is not all there when its head is: collected up to the limit, thrown away beyond it.
import { ChunkedBody } from './chunked-body.js';
import { GrowingBytes } from './growing-bytes.js';
import { CHUNKED } from './request-head.js';

/** The body of any request (protocol: requests#bounds). */
export const BODY_BYTES_MAX = 4 * 1_048_576;
/** A longer body is read and thrown away up to here, so that its sender gets to see the refusal. */
const DISCARDED_BYTES_MAX = 16 * BODY_BYTES_MAX;

export class RequestBody {
  readonly #chunks: ChunkedBody | undefined;
  /** Bytes that are still to come, of a body whose length is known. */
  #remaining: number;
  readonly #bytes = new GrowingBytes();
  #received = 0;
  #isDropped = false;

  /** @param length in bytes, or `CHUNKED`. */
  constructor(length: number) {
    this.#remaining = length;
    if (length === CHUNKED)
      this.#chunks = new ChunkedBody((bytes, from, until) => this.#collect(bytes, from, until));
  }

  /** @returns where what follows the body begins, the length of `bytes` at most; a negative number if it is malformed. */
  take(bytes: Buffer): number {
    if (this.#chunks) return this.#chunks.decode(bytes);
    const until = Math.min(this.#remaining, bytes.length);
    this.#collect(bytes, 0, until);
    this.#remaining -= until;
    return until;
  }

  get isComplete(): boolean {
    return this.#chunks ? this.#chunks.isComplete : this.#remaining === 0;
  }

  get isTooLarge(): boolean {
    return this.#received > BODY_BYTES_MAX;
  }

  /** There is so much of it that nobody waits for its end. */
  get isEndless(): boolean {
    return this.#received > DISCARDED_BYTES_MAX;
  }

  /** It was thrown away, and what is to come of it will be. */
  get isDropped(): boolean {
    return this.#isDropped;
  }

  get heldBytes(): number {
    return this.#bytes.length;
  }

  /** @returns what is held of it then: nothing. */
  drop(): 0 {
    this.#isDropped = true;
    this.#bytes.clear();
    return 0;
  }

  /** Empty if there was too much, or if it was dropped. */
  get bytes(): Buffer {
    return this.#bytes.view();
  }

  #collect(bytes: Buffer, from: number, until: number): void {
    this.#received += until - from;
    if (this.isTooLarge || this.#isDropped) this.#bytes.clear();
    else this.#bytes.append(bytes, from, until);
  }
}
