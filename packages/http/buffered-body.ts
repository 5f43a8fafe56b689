// A body that is not all there when its head is, and is handed on as a whole: found in what comes, and collected within its limits.
import { BodyFraming } from './body-framing.js';
import { CollectedBody } from './collected-body.js';
import type { Limits } from './listener-context.js';
import { CHUNKED } from './request-head.js';

export class BufferedBody extends CollectedBody {
  readonly #framing: BodyFraming;

  /** @param length in bytes, or `CHUNKED`. */
  constructor(length: number, { bodyBytesMax, discardedBytesMax }: Limits) {
    super(bodyBytesMax, discardedBytesMax, length === CHUNKED ? 0 : length);
    this.#framing = new BodyFraming(length, (bytes, from, until) => this.append(bytes, from, until));
  }

  get isComplete(): boolean {
    return this.#framing.isComplete;
  }

  /** @returns where what follows the body begins, the length of `bytes` at most; a negative number if it is malformed. */
  decode(bytes: Buffer): number {
    return this.#framing.decode(bytes);
  }
}
