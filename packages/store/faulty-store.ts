// Fault injection: a store that wraps another and fails at random, from a function that the caller seeds, to test the callers of a store.
// It injects only faults that the contract allows; without faults it changes nothing. faulty-content.ts does the same for contents.
import type { ContentStore, StoreWithContent } from './content.js';
import { Chance, type Faults } from './faults.js';
import { FaultyContentStore } from './faulty-content.js';
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
  Visit,
} from './store.js';

export type { Faults } from './faults.js';

const SHORT_SCAN_ROWS_MAX = 10;

/** The faults of a store with contents also apply to its contents. */
export function openFaultyStore(store: StoreWithContent, faults: Faults): StoreWithContent;
export function openFaultyStore(store: Store, faults: Faults): Store;
export function openFaultyStore(store: Store | StoreWithContent, faults: Faults): Store {
  const chance = new Chance(faults);
  if (!('content' in store)) return new FaultyStore(store, faults, chance);
  return new FaultyStoreWithContent(store, faults, chance);
}

class FaultyStore implements Store {
  readonly #store: Store;
  readonly #faults: Faults;
  readonly #chance: Chance;

  constructor(store: Store, faults: Faults, chance: Chance) {
    this.#store = store;
    this.#faults = faults;
    this.#chance = chance;
  }

  createSpace(...call: Parameters<Store['createSpace']>): Promise<Space | undefined> {
    return this.#chance.change(() => this.#store.createSpace(...call));
  }

  getSpace(address: SpaceAddress): Promise<Space | undefined> {
    return this.#chance.look(() => this.#store.getSpace(address));
  }

  listSpaces(account: string, service: string, from: string, limit: number): Promise<readonly Space[]> {
    return this.#chance.look(() => this.#store.listSpaces(account, service, from, limit));
  }

  updateSpace(space: Space, change: (metadata: Buffer) => Buffer): Promise<Space | undefined> {
    return this.#chance.change(() => this.#store.updateSpace(space, change));
  }

  dropSpace(space: Space): Promise<boolean> {
    return this.#chance.change(() => this.#store.dropSpace(space));
  }

  read(space: Space, partition: string, keys: readonly string[]): Promise<readonly (Row | undefined)[]> {
    return this.#chance.look(() => this.#store.read(space, partition, keys));
  }

  scan(space: Space, range: ScanRange, budget: Budget, visit: Visit): Promise<ScanEnd> {
    return this.#chance.look(() => this.#store.scan(space, range, this.#cut(budget), visit));
  }

  commit<R>(space: Space, partition: string, reads: Reads, decide: Decide<R>): Promise<R | undefined> {
    return this.#chance.change(async () => {
      if (this.#chance.happens(this.#faults.redecide)) {
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

  #cut(budget: Budget): Budget {
    if (!this.#chance.happens(this.#faults.shortScan)) return budget;
    return { ...budget, examined: Math.min(budget.examined, this.#chance.upTo(SHORT_SCAN_ROWS_MAX)) };
  }
}

class FaultyStoreWithContent extends FaultyStore implements StoreWithContent {
  readonly content: ContentStore;

  constructor(store: StoreWithContent, faults: Faults, chance: Chance) {
    super(store, faults, chance);
    this.content = new FaultyContentStore(store.content, chance);
  }
}
