// Places that gets of this process are about to take, so that others of the process look behind them, on engines whose commits do not
// read ranges cheaply. A hint and no more: who has a message is decided by the commit, against other processes too. A place is forgotten when its get has ended, however it did.
import type { Space, Store } from '#store';

interface Claimed {
  readonly places: Set<string>;
  /** Gets under way. */
  gets: number;
  /** The place that was claimed last: what stands before it was mostly claimed earlier. */
  last: string | undefined;
  /** Looks that began behind the last place, since one began at the head. */
  looks: number;
}

/** What turns up before the last place, or was given back, is met by each sixteenth look. */
const LOOKS_BEHIND_MAX = 15;

/** By store, because several may be open, and by generation of a queue. */
const stores = new WeakMap<Store, Map<string, Claimed>>();

export class Claims {
  readonly #queues: Map<string, Claimed>;
  readonly #queue: string;
  readonly #claimed: Claimed;
  readonly #own: string[] = [];

  constructor(store: Store, space: Space, partition: string) {
    this.#queues = stores.get(store) ?? new Map();
    stores.set(store, this.#queues);
    this.#queue = `${space.id}/${partition}`;
    this.#claimed = this.#queues.get(this.#queue) ?? {
      places: new Set(),
      gets: 0,
      last: undefined,
      looks: 0,
    };
    this.#claimed.gets += 1;
    this.#queues.set(this.#queue, this.#claimed);
  }

  /** The place behind which to look first; undefined to begin at the head. */
  begin(): string | undefined {
    const claimed = this.#claimed;
    claimed.looks = claimed.last === undefined || claimed.looks >= LOOKS_BEHIND_MAX ? 0 : claimed.looks + 1;
    return claimed.looks === 0 ? undefined : claimed.last;
  }

  /** False if another get is about to take it. */
  claim(place: string): boolean {
    const claimed = this.#claimed;
    if (claimed.places.has(place)) return false;
    claimed.places.add(place);
    claimed.last = place;
    this.#own.push(place);
    return true;
  }

  /** To be called once, at the end. */
  release(): void {
    for (const place of this.#own) this.#claimed.places.delete(place);
    this.#claimed.gets -= 1;
    if (this.#claimed.places.size === 0) this.#claimed.last = undefined;
    if (this.#claimed.gets === 0) this.#queues.delete(this.#queue);
  }
}
