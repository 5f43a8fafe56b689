// Requests that are not complete, in the order in which they began: who has to go when memory is short. What they hold is counted by
// themselves, in the listener's context.

/** Of a body that is collected: after so long it is slow, and goes before others are refused. 4 MiB need 16 Mbit/s then. */
export const SLOW_MILLISECONDS = 2_000;

export interface Evictable {
  /** Gives back all that it holds, and leaves. */
  evict(): void;
}

export class Unfinished {
  readonly #since = new Map<Evictable, number>();

  /** Whoever is in keeps its place. */
  enter(request: Evictable): void {
    if (!this.#since.has(request)) this.#since.set(request, performance.now());
  }

  leave(request: Evictable): void {
    this.#since.delete(request);
  }

  /** Evicts the oldest first, of those that began so long ago, until it is enough. */
  evict(isEnough: () => boolean, milliseconds = 0): void {
    const latest = performance.now() - milliseconds;
    for (const [request, since] of this.#since) {
      if (isEnough() || since > latest) return;
      this.#since.delete(request);
      request.evict();
    }
  }
}
