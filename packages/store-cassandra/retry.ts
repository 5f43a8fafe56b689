// Waits for a cluster whose nodes are starting: repeats each step of an open that fails with `busy`, until one time
// limit for all steps.
import { setTimeout as sleep } from 'node:timers/promises';
import { StoreError } from '#store';

const PAUSE_MS = 500;

export interface Waits {
  /** In milliseconds, and monotonic. */
  readonly now: () => number;
  readonly pause: (milliseconds: number) => Promise<unknown>;
  /** Gets a sentence for each new cause. */
  readonly report: (sentence: string) => void;
}

const WARNING = { type: 'ShelfmarkWarning', code: 'SHELFMARK_CASSANDRA_WAITING' };
const REAL: Waits = {
  now: () => performance.now(),
  pause: sleep,
  report: sentence => process.emitWarning(sentence, WARNING),
};

export class Retry {
  readonly #seconds: number;
  readonly #waits: Waits;
  readonly #giveUp: number;
  readonly #reported = new Set<string>();

  /** Time runs from here. */
  constructor(seconds: number, waits: Waits = REAL) {
    this.#seconds = seconds;
    this.#waits = waits;
    this.#giveUp = waits.now() + seconds * 1000;
  }

  /** `step` is safe to repeat. Fails as it does, with the time in the sentence. */
  async run<T>(step: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await step();
      } catch (error) {
        if (!(error instanceof StoreError) || error.code !== 'busy' || this.#seconds === 0) throw error;
        const cause = `${error.message.replace(/\.$/, '')}.`;
        if (this.#waits.now() + PAUSE_MS > this.#giveUp)
          throw new StoreError('busy', `${cause.slice(0, -1)} (tried for ${this.#seconds} s).`, error);
        this.#report(cause);
        await this.#waits.pause(PAUSE_MS);
      }
    }
  }

  #report(cause: string): void {
    // Causes may alternate: the driver tries hosts in random order.
    if (this.#reported.has(cause)) return;
    this.#reported.add(cause);
    this.#waits.report(`Waiting up to ${this.#seconds} s for the cluster: ${cause}`);
  }
}
