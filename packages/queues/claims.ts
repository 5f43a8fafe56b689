// Places that a get of this process is about to take, so that others of the process look behind them. A hint and no more: who has a
// message is decided by the commit, against other processes too. A place is forgotten when its get has ended, however it did.
import type { Store } from '#store';

/** By store, because several may be open. Ids make places of different queues differ. */
const places = new WeakMap<Store, Set<string>>();

export class Claims {
  readonly #all: Set<string>;
  readonly #own: string[] = [];

  constructor(store: Store) {
    this.#all = places.get(store) ?? new Set();
    places.set(store, this.#all);
  }

  /** False if another get is about to take it. */
  claim(place: string): boolean {
    if (this.#all.has(place)) return false;
    this.#all.add(place);
    this.#own.push(place);
    return true;
  }

  release(): void {
    for (const place of this.#own) this.#all.delete(place);
    this.#own.length = 0;
  }
}
