// One append blob of a writer. An append names the length that the blob must have, so it is done once however often it is sent. If an answer was lost, the end of the blob shows whether the append was done.
import type { CallOptions } from '../concurrency/abort.js';
import { Jitter } from '../concurrency/jitter.js';
import { fraction, type Surroundings } from '../concurrency/surroundings.js';
import type { BlobContainer } from '../transport/blob-container.js';
import { compareBytes } from '../values/bytes.js';
import type { Instant } from '../values/instant.js';
import { PatternError } from '../values/pattern-error.js';

/** Of an append blob; the service's limit. */
export const BLOCKS_MAX = 50_000;
/** Of a block, of every version of the service. */
export const BLOCK_BYTES_MAX = 4 * 1_024 * 1_024;

const ATTEMPTS = 5;
const PAUSES = { base: 50, cap: 2_000 } as const;

/** What a writer sends at once. */
export interface Block {
  readonly bytes: Uint8Array;
  readonly last: Instant;
}

export class LogBlob {
  readonly name: string;
  readonly #container: BlobContainer;
  readonly #surroundings: Surroundings;
  readonly #first: Instant;
  #isMade = false;
  #length = 0;
  #blocks = 0;
  #last: Instant | undefined;

  constructor(container: BlobContainer, surroundings: Surroundings, name: string, first: Instant) {
    this.#container = container;
    this.#surroundings = surroundings;
    this.name = name;
    this.#first = first;
  }

  get blocks(): number {
    return this.#blocks;
  }

  /** Returns whether the block is in the blob; false if another process wrote into it. Throws the error of the last attempt; the block may then be there or not, and the same one may be appended again. */
  async append(block: Block, options: CallOptions): Promise<boolean> {
    const jitter = new Jitter(PAUSES, () => fraction(this.#surroundings.random));
    for (let attempt = 1; ; attempt++) {
      try {
        const isDone = await this.#tried(block, options);
        if (isDone !== undefined) return isDone;
      } catch (thrown) {
        if (!isPassing(thrown) || attempt >= ATTEMPTS) throw thrown;
        await this.#surroundings.sleep(jitter.next(), options.signal);
      }
    }
  }

  /** Lets readers of later times skip the blob. A failure loses nothing. */
  async close(options: CallOptions): Promise<void> {
    if (this.#last === undefined) return;
    const metadata = { first: String(this.#first), last: String(this.#last) };
    try {
      await this.#container.setMetadata(this.name, metadata, options);
    } catch (thrown) {
      if (!PatternError.is(thrown)) throw thrown;
    }
  }

  /** Undefined to try again. */
  async #tried({ bytes, last }: Block, options: CallOptions): Promise<boolean | undefined> {
    if (!this.#isMade) {
      await this.#container.createAppendBlob(this.name, { first: String(this.#first) }, options);
      this.#isMade = true;
    }
    const isAppended = await this.#container.append(this.name, bytes, this.#length, options);
    if (!isAppended) {
      const found = await this.#container.read(this.name, { ...options, from: this.#length });
      if (found === undefined || found.length === 0) return undefined;
      if (compareBytes(found, bytes) !== 0) return false;
    }
    this.#length += bytes.length;
    this.#blocks++;
    this.#last = last;
    return true;
  }
}

/** What another attempt may not meet. */
const isPassing = (thrown: unknown): boolean =>
  PatternError.is(thrown, 'Unreachable') ||
  PatternError.is(thrown, 'Throttled') ||
  (PatternError.is(thrown, 'ServiceRefused') && thrown.detail.status >= 500);
