// Claims on messages: the visibility keys that gets of this process are about to take, so that concurrent gets of the process start after
// them. A claim is only a hint: the commit decides which get leases a message, also
// between processes. A get releases its claims when it ends, also after a failure.
import type { Space, Store } from '#store';

interface Claimed {
  readonly keys: Set<string>;
  /** Gets under way. */
  gets: number;
  /** The visibility key that was claimed last; most keys before it were claimed earlier. */
  last: string | undefined;
  /** Scans that began after `last` since one began at the head. */
  looks: number;
}

/** Every sixteenth scan begins at the head, and finds messages that became visible or were released before `last`. */
const LOOKS_BEHIND_MAX = 15;

/** By store, because several may be open, and by generation of a queue. */
const stores = new WeakMap<Store, Map<string, Claimed>>();

export class Claims {
  readonly #queues: Map<string, Claimed>;
  readonly #queue: string;
  readonly #claimed: Claimed;
  readonly #mine: string[] = [];

  constructor(store: Store, space: Space, partition: string) {
    this.#queues = stores.get(store) ?? new Map();
    stores.set(store, this.#queues);
    this.#queue = `${space.id}/${partition}`;
    this.#claimed = this.#queues.get(this.#queue) ?? {
      keys: new Set(),
      gets: 0,
      last: undefined,
      looks: 0,
    };
    this.#claimed.gets += 1;
    this.#queues.set(this.#queue, this.#claimed);
  }

  /** The visibility key after which the scan should begin; undefined for the head. */
  begin(): string | undefined {
    const claimed = this.#claimed;
    claimed.looks = claimed.last === undefined || claimed.looks >= LOOKS_BEHIND_MAX ? 0 : claimed.looks + 1;
    return claimed.looks === 0 ? undefined : claimed.last;
  }

  /** False if another get has claimed it. */
  claim(key: string): boolean {
    const claimed = this.#claimed;
    if (claimed.keys.has(key)) return false;
    claimed.keys.add(key);
    claimed.last = key;
    this.#mine.push(key);
    return true;
  }

  /** To be called once, at the end. */
  release(): void {
    for (const key of this.#mine) this.#claimed.keys.delete(key);
    this.#claimed.gets -= 1;
    if (this.#claimed.keys.size === 0) this.#claimed.last = undefined;
    if (this.#claimed.gets === 0) this.#queues.delete(this.#queue);
  }
}
