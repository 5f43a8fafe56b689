// A map whose keys stay in the order of JavaScript's `<` on strings: the one structure the memory store is made of.
// It knows nothing of spaces and rows.

export class SortedMap<V> {
  readonly #keys: string[] = [];
  readonly #values: V[] = [];

  get size(): number {
    return this.#keys.length;
  }

  get(key: string): V | undefined {
    const index = this.indexFrom(key);
    return this.#keys[index] === key ? this.#values[index] : undefined;
  }

  set(key: string, value: V): void {
    const index = this.indexFrom(key);
    if (this.#keys[index] === key) {
      this.#values[index] = value;
      return;
    }
    this.#keys.splice(index, 0, key);
    this.#values.splice(index, 0, value);
  }

  delete(key: string): boolean {
    const index = this.indexFrom(key);
    if (this.#keys[index] !== key) return false;
    this.#keys.splice(index, 1);
    this.#values.splice(index, 1);
    return true;
  }

  /** Index of the first key that is not before `key`; `size` if all are. */
  indexFrom(key: string): number {
    let low = 0;
    let high = this.#keys.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const candidate = this.#keys[middle];
      if (candidate !== undefined && candidate < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  valueAt(index: number): V | undefined {
    return this.#values[index];
  }
}
