// Fault injection: a store that wraps another and fails at random, from a function that the caller seeds, to test the callers of a store.
// It injects only faults that the contract allows; without faults it changes nothing.
import { nextTurn } from '#base';
import type {
  Budget,
  Decide,
  Reads,
  Row,
  ScanEnd,
  ScanRange,
  Space,
  SpaceAddress,
  Store,
  StoreTraits,
  Visit,
} from './store.js';
import { StoreError, type StoreErrorCode } from './store-error.js';

/** Every member except `random` is a probability, 0 to 1, drawn once a call. */
export interface Faults {
  /** Gives numbers from 0 up to but not including 1. */
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
const SHORT_SCAN_ROWS_MAX = 10;

export function openFaultyStore(store: Store, faults: Faults): Store {
  return new FaultyStore(store, faults);
}

class FaultyStore implements Store {
  readonly #store: Store;
  readonly #faults: Faults;

  constructor(store: Store, faults: Faults) {
    this.#store = store;
    this.#faults = faults;
  }

  get traits(): StoreTraits {
    return this.#store.traits;
  }

  createSpace(address: SpaceAddress, metadata: Buffer): Promise<Space | undefined> {
    return this.#change(() => this.#store.createSpace(address, metadata));
  }

  getSpace(address: SpaceAddress): Promise<Space | undefined> {
    return this.#look(() => this.#store.getSpace(address));
  }

  listSpaces(account: string, service: string, from: string, limit: number): Promise<readonly Space[]> {
    return this.#look(() => this.#store.listSpaces(account, service, from, limit));
  }

  updateSpace(space: Space, change: (metadata: Buffer) => Buffer): Promise<Space | undefined> {
    return this.#change(() => this.#store.updateSpace(space, change));
  }

  dropSpace(space: Space): Promise<boolean> {
    return this.#change(() => this.#store.dropSpace(space));
  }

  read(space: Space, partition: string, keys: readonly string[]): Promise<readonly (Row | undefined)[]> {
    return this.#look(() => this.#store.read(space, partition, keys));
  }

  scan(space: Space, range: ScanRange, budget: Budget, visit: Visit): Promise<ScanEnd> {
    return this.#look(() => this.#store.scan(space, range, this.#cut(budget), visit));
  }

  commit<R>(space: Space, partition: string, reads: Reads, decide: Decide<R>): Promise<R | undefined> {
    return this.#change(async () => {
      if (this.#happens(this.#faults.redecide)) {
        await this.#store.commit(space, partition, reads, (rows, tick) => {
          decide(rows, tick);
          return { result: undefined };
        });
      }
      return this.#store.commit(space, partition, reads, decide);
    });
  }

  close(): Promise<void> {
    return this.#store.close();
  }

  async #look<T>(call: () => Promise<T>): Promise<T> {
    const delay = this.#happens(this.#faults.delay);
    if (delay) await this.#wait();
    if (this.#happens(this.#faults.failBefore)) throw new StoreError('busy', 'A fault was injected.');
    const answer = await call();
    if (delay) await this.#wait();
    return answer;
  }

  async #change<T>(call: () => Promise<T>): Promise<T> {
    const delay = this.#happens(this.#faults.delay);
    if (delay) await this.#wait();
    if (this.#happens(this.#faults.failBefore)) {
      const code = CHANGE_FAILURES[this.#upTo(CHANGE_FAILURES.length) - 1] ?? 'busy';
      throw new StoreError(code, 'A fault was injected; nothing was changed.');
    }
    const answer = await call();
    if (delay) await this.#wait();
    if (this.#happens(this.#faults.failAfter)) {
      throw new StoreError('busy', 'A fault was injected after the change.');
    }
    return answer;
  }

  #cut(budget: Budget): Budget {
    if (!this.#happens(this.#faults.shortScan)) return budget;
    return { ...budget, examined: Math.min(budget.examined, this.#upTo(SHORT_SCAN_ROWS_MAX)) };
  }

  async #wait(): Promise<void> {
    for (let turns = this.#upTo(DELAY_TURNS_MAX); turns > 0; turns -= 1) {
      await nextTurn();
    }
  }

  #happens(probability: number): boolean {
    return this.#faults.random() < probability;
  }

  /** An integer from 1 to `most`. */
  #upTo(most: number): number {
    return 1 + Math.floor(this.#faults.random() * most);
  }
}
