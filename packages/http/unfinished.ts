// Incomplete requests, in the order in which they began: the ones to evict when memory is short. They count what they
// hold themselves, in the listener's context.

/**
 * For a collected body: after this long it is slow, and is evicted before others are refused. 4 MiB then need 16
 * Mbit/s.
 */
export const SLOW_MILLISECONDS = 2_000;

export interface Evictable {
  /** Releases everything it holds, and leaves. */
  evict(): void;
}

export class Unfinished {
  readonly #since = new Map<Evictable, number>();

  /** A request that is already in keeps its place. */
  enter(request: Evictable): void {
    if (!this.#since.has(request)) this.#since.set(request, performance.now());
  }

  leave(request: Evictable): void {
    this.#since.delete(request);
  }

  /** Evicts the oldest first, of those that began at least this long ago, until it is enough. */
  evict(isEnough: () => boolean, milliseconds = 0): void {
    const latest = performance.now() - milliseconds;
    for (const [request, since] of this.#since) {
      if (isEnough() || since > latest) return;
      this.#since.delete(request);
      request.evict();
    }
  }
}
