// Admits a fixed number of callers at a time, the others in the order of arrival.

export class Semaphore {
  readonly #places: number;
  #inside = 0;
  #queue: (() => void)[] = [];
  #whenEmpty: (() => void)[] = [];

  constructor(places: number) {
    this.#places = places;
  }

  /** A promise only if the caller has to wait for its place. */
  enter(): Promise<void> | undefined {
    if (this.#inside < this.#places) {
      this.#inside += 1;
      return undefined;
    }
    return new Promise(resolve => {
      this.#queue.push(resolve);
    });
  }

  leave(): void {
    const next = this.#queue.shift();
    if (next !== undefined) {
      next();
      return;
    }
    this.#inside -= 1;
    if (this.#inside > 0) return;
    for (const resolve of this.#whenEmpty) resolve();
    this.#whenEmpty = [];
  }

  /** Fulfilled when no caller is inside and none waits. */
  async empty(): Promise<void> {
    if (this.#inside === 0) return;
    await new Promise<void>(resolve => {
      this.#whenEmpty.push(resolve);
    });
  }
}
