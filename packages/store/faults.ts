// The faults that the faulty store injects, and when: each is drawn once a call.
import { nextTurn } from '#base';
import { StoreError, type StoreErrorCode } from './store-error.js';

/** Every member except `random` is a probability, 0 to 1, drawn once a call. */
export interface Faults {
  /** Returns numbers from 0 up to but not including 1. */
  readonly random: () => number;
  /** The call fails without effect: `busy` for a read; `busy`, `conflict` or `full` for a change. */
  readonly failBefore: number;
  /** A change fails with `busy` although it took effect. */
  readonly failAfter: number;
  /** The call waits for some turns of the event loop before and after. */
  readonly delay: number;
  /** `decide` is called once more before, as after a conflict; other commits may come between the two calls. */
  readonly redecide: number;
  /** A scan visits fewer rows than its budget allows. */
  readonly shortScan: number;
}

const CHANGE_FAILURES: readonly StoreErrorCode[] = ['busy', 'conflict', 'full'];
const DELAY_TURNS_MAX = 5;

export class Chance {
  readonly #faults: Faults;

  constructor(faults: Faults) {
    this.#faults = faults;
  }

  look<T>(call: () => Promise<T>): Promise<T> {
    return this.#run(call, () => new StoreError('busy', 'A fault was injected.'));
  }

  async change<T>(call: () => Promise<T>): Promise<T> {
    const answer = await this.#run(call, () => {
      const code = CHANGE_FAILURES[this.upTo(CHANGE_FAILURES.length) - 1] ?? 'busy';
      return new StoreError(code, 'A fault was injected; nothing was changed.');
    });
    if (this.happens(this.#faults.failAfter)) {
      throw new StoreError('busy', 'A fault was injected after the change.');
    }
    return answer;
  }

  happens(probability: number): boolean {
    return this.#faults.random() < probability;
  }

  /** An integer from 1 to `most`. */
  upTo(most: number): number {
    return 1 + Math.floor(this.#faults.random() * most);
  }

  async #run<T>(call: () => Promise<T>, failure: () => StoreError): Promise<T> {
    const delay = this.happens(this.#faults.delay);
    if (delay) await this.#wait();
    if (this.happens(this.#faults.failBefore)) throw failure();
    const answer = await call();
    if (delay) await this.#wait();
    return answer;
  }

  async #wait(): Promise<void> {
    for (let turns = this.upTo(DELAY_TURNS_MAX); turns > 0; turns -= 1) {
      await nextTurn();
    }
  }
}
