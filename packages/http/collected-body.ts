// Collects the pieces of a body in one buffer up to a limit. Beyond the limit it keeps nothing.
import { GrowingBytes } from './growing-bytes.js';

export class CollectedBody {
  readonly #bytesMax: number;
  readonly #bytes: GrowingBytes;
  #receivedBytes = 0;

  /** @param length as in the head; 0 if the head has none. */
  constructor(bytesMax: number, length: number) {
    this.#bytes = new GrowingBytes(Math.min(length, bytesMax));
    this.#bytesMax = bytesMax;
  }

  append(bytes: Buffer): void {
    this.#receivedBytes += bytes.length;
    if (this.isTooLarge) this.#bytes.clear();
    else this.#bytes.append(bytes);
  }

  get isTooLarge(): boolean {
    return this.#receivedBytes > this.#bytesMax;
  }

  get receivedBytes(): number {
    return this.#receivedBytes;
  }

  get bufferedBytes(): number {
    return this.#bytes.length;
  }

  /** Empty if there was too much. */
  get bytes(): Buffer {
    return this.#bytes.view();
  }
}
