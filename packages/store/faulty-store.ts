// Fault injection: a store that wraps another and fails at random, from a function that the caller seeds, to test the
// callers of a store. It injects only faults that the contract allows; without faults it changes nothing.
import { nextTurn } from '#base';
import type { ContentStore, ContentWriter, StoreWithContent } from './content.js';
import type { Budget, Decide, Reads, Space, Store } from './store.js';
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

const SHORT_SCAN_ROWS_MAX = 10;

/** The faults of a store with contents also apply to its contents. */
export function openFaultyStore(store: StoreWithContent, faults: Faults): StoreWithContent;
export function openFaultyStore(store: Store, faults: Faults): Store;
export function openFaultyStore(store: Store | StoreWithContent, faults: Faults): Store {
  const chance = new Chance(faults);
  const cut = (budget: Budget): Budget => {
    if (!chance.happens(faults.shortScan)) return budget;
    return { ...budget, examined: Math.min(budget.examined, chance.upTo(SHORT_SCAN_ROWS_MAX)) };
  };
  async function commit<R>(
    space: Space,
    partition: string,
    reads: Reads,
    decide: Decide<R>,
  ): Promise<R | undefined> {
    if (chance.happens(faults.redecide)) {
      await store.commit(space, partition, reads, (rows, tick) => {
        decide(rows, tick);
        return { result: undefined };
      });
    }
    return store.commit(space, partition, reads, decide);
  }
  const faulty: Store = {
    createSpace: (...call) => chance.change(() => store.createSpace(...call)),
    getSpace: address => chance.look(() => store.getSpace(address)),
    listSpaces: (...call) => chance.look(() => store.listSpaces(...call)),
    updateSpace: (...call) => chance.change(() => store.updateSpace(...call)),
    dropSpace: (...call) => chance.change(() => store.dropSpace(...call)),
    read: (...call) => chance.look(() => store.read(...call)),
    scan: (space, range, budget, visit) => chance.look(() => store.scan(space, range, cut(budget), visit)),
    commit: (...call) => chance.change(() => commit(...call)),
    close: () => store.close(),
  };
  if (!('content' in store)) return faulty;
  const withContent: StoreWithContent = { ...faulty, content: faultyContent(store.content, chance) };
  return withContent;
}

const faultyContent = (content: ContentStore, chance: Chance): ContentStore => ({
  create: async space => faultyWriter(await chance.look(() => content.create(space)), chance),
  /** Each piece may fail, so a read may break off after it has begun. */
  async *read(...call) {
    for await (const piece of content.read(...call)) {
      await chance.look(async () => undefined);
      yield piece;
    }
  },
  pin: () => content.pin(),
  unpinnedElsewhere: () => content.unpinnedElsewhere(),
  drop: (...call) => chance.change(() => content.drop(...call)),
  async *list(space) {
    await chance.look(async () => undefined);
    yield* content.list(space);
  },
});

/** A failure removes what was written, as the contract says. */
function faultyWriter(writer: ContentWriter, chance: Chance): ContentWriter {
  const change = async <T>(call: () => Promise<T>): Promise<T> => {
    try {
      return await chance.change(call);
    } catch (error) {
      await writer.discard();
      throw error;
    }
  };
  return {
    id: writer.id,
    write: piece => change(() => writer.write(piece)),
    finish: () => change(() => writer.finish()),
    release: () => writer.release(),
    discard: () => writer.discard(),
  };
}

const CHANGE_FAILURES: readonly StoreErrorCode[] = ['busy', 'conflict', 'full'];
const DELAY_TURNS_MAX = 5;

class Chance {
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
