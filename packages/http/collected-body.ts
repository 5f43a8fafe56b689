// Collects the pieces of a body in one buffer up to a limit. Beyond the limit it discards them and goes on to count, so that the
// client, which is still sending, gets to read the refusal.
import { GrowingBytes } from './growing-bytes.js';

export class CollectedBody {
  readonly #bytesMax: number;
  readonly #discardedMax: number;
  readonly #bytes: GrowingBytes;
  #received = 0;
  #isDropped = false;

  /** @param length what the head says of it; 0 if it says nothing. */
  constructor(bytesMax: number, discardedMax: number, length: number) {
    this.#bytes = new GrowingBytes(Math.min(length, bytesMax));
    this.#bytesMax = bytesMax;
    this.#discardedMax = discardedMax;
  }

  append(bytes: Buffer, from: number, until: number): void {
    this.#received += until - from;
    if (this.isTooLarge || this.#isDropped) this.#bytes.clear();
    else this.#bytes.append(bytes, from, until);
  }

  get isTooLarge(): boolean {
    return this.#received > this.#bytesMax;
  }

  /** There is so much of it that nobody waits for its end. */
  get isEndless(): boolean {
    return this.#received > this.#discardedMax;
  }

  /** It was discarded for want of memory, and what is to come of it will be. */
  get isDropped(): boolean {
    return this.#isDropped;
  }

  get bufferedBytes(): number {
    return this.#bytes.length;
  }

  /** @returns what is buffered of it then: nothing. */
  drop(): 0 {
    this.#isDropped = true;
    this.#bytes.clear();
    return 0;
  }

  /** Empty if there was too much, or if it was dropped. */
  get bytes(): Buffer {
    return this.#bytes.view();
  }
}
