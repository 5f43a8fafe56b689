// A binary heap.

export class Heap<T> {
  readonly #items: T[] = [];
  readonly #isBefore: (a: T, b: T) => boolean;

  constructor(isBefore: (a: T, b: T) => boolean) {
    this.#isBefore = isBefore;
  }

  push(item: T): void {
    let at = this.#items.length;
    while (at > 0) {
      const above = (at - 1) >> 1;
      const other = this.#items[above] as T;
      if (!this.#isBefore(item, other)) break;
      this.#items[at] = other;
      at = above;
    }
    this.#items[at] = item;
  }

  /** The first, which is taken out. */
  pop(): T | undefined {
    const [first] = this.#items;
    const last = this.#items.pop();
    if (last !== undefined && this.#items.length > 0) this.#sink(last);
    return first;
  }

  /** Puts an item where the first was. */
  #sink(item: T): void {
    const { length } = this.#items;
    let at = 0;
    for (;;) {
      const left = 2 * at + 1;
      if (left >= length) break;
      const right = left + 1;
      const isRight = right < length && this.#isBefore(this.#items[right] as T, this.#items[left] as T);
      const below = isRight ? right : left;
      const other = this.#items[below] as T;
      if (!this.#isBefore(other, item)) break;
      this.#items[at] = other;
      at = below;
    }
    this.#items[at] = item;
  }
}
