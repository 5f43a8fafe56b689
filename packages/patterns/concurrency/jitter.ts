// Pauses between attempts under contention: decorrelated jitter. It computes the pause; the caller waits.

/** Milliseconds. */
interface JitterBounds {
  readonly base: number;
  readonly cap: number;
}

/** Gives one pause after another. `chance` is from 0 up to 1. */
export class Jitter {
  readonly #bounds: JitterBounds;
  readonly #chance: () => number;
  #last: number;

  constructor(bounds: JitterBounds, chance: () => number) {
    this.#bounds = bounds;
    this.#chance = chance;
    this.#last = bounds.base;
  }

  next(): number {
    const { base, cap } = this.#bounds;
    this.#last = Math.min(cap, base + this.#chance() * (3 * this.#last - base));
    return this.#last;
  }
}
