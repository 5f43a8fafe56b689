// The largest few of many, without keeping the others.

export class Largest<T> {
  readonly #most: number;
  readonly #sizeOf: (item: T) => number;
  #items: T[] = [];

  constructor(most: number, sizeOf: (item: T) => number) {
    this.#most = most;
    this.#sizeOf = sizeOf;
  }

  /** Whether an item of this size would be among them: callers ask before they build an item. */
  admits(size: number): boolean {
    const least = this.#items.at(-1);
    return this.#items.length < this.#most || (least !== undefined && size > this.#sizeOf(least));
  }

  add(item: T): void {
    const size = this.#sizeOf(item);
    if (!this.admits(size)) return;
    const at = this.#items.findIndex(each => this.#sizeOf(each) < size);
    this.#items.splice(at === -1 ? this.#items.length : at, 0, item);
    this.#items = this.#items.slice(0, this.#most);
  }

  /** The largest first; equal ones in the order of arrival. */
  list(): readonly T[] {
    return this.#items;
  }
}
