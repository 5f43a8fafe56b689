// Finds where the body of a request ends: by its length, or chunk by chunk. The caller uses the pieces.
import { ChunkedBody, type OnPiece } from './chunked-body.js';
import { CHUNKED } from './request-head.js';

export class BodyFraming {
  readonly #chunks: ChunkedBody | undefined;
  readonly #onPiece: OnPiece;
  /** Bytes still to come, of a body whose length is known. */
  #remaining: number;

  /** @param length in bytes, or `CHUNKED`. */
  constructor(length: number, onPiece: OnPiece) {
    this.#remaining = length;
    this.#onPiece = onPiece;
    if (length === CHUNKED) this.#chunks = new ChunkedBody(onPiece);
  }

  get isComplete(): boolean {
    return this.#chunks ? this.#chunks.isComplete : this.#remaining === 0;
  }

  /** Bytes still to come, if known. */
  get remaining(): number | undefined {
    return this.#chunks ? undefined : this.#remaining;
  }

  /** This many bytes of a body whose length is known were read already. */
  skip(count: number): void {
    this.#remaining -= count;
  }

  /** @returns where the next request begins, the length of `bytes` at most; a negative number if it is malformed. */
  decode(bytes: Buffer): number {
    if (this.#chunks) return this.#chunks.decode(bytes);
    const until = Math.min(this.#remaining, bytes.length);
    if (until > 0) this.#onPiece(bytes, 0, until);
    this.#remaining -= until;
    return until;
  }
}
