// A map whose keys stay in the order of JavaScript's `<` on strings: the data structure of the memory store.

/** A run of keys in order, never empty. Blocks keep an insertion from moving all the keys after it. */
interface Block<V> {
  readonly keys: string[];
  readonly values: V[];
}

const BLOCK_SIZE_MAX = 512;

export class SortedMap<V> {
  readonly #blocks: Block<V>[] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get(key: string): V | undefined {
    const block = this.#blocks[this.#blockOf(key)];
    if (block === undefined) return undefined;
    const index = firstFrom(block.keys, key);
    return block.keys[index] === key ? block.values[index] : undefined;
  }

  set(key: string, value: V): void {
    const place = Math.min(this.#blockOf(key), Math.max(0, this.#blocks.length - 1));
    const block = this.#blocks[place];
    if (block === undefined) {
      this.#blocks.push({ keys: [key], values: [value] });
      this.#size = 1;
      return;
    }
    const index = firstFrom(block.keys, key);
    if (block.keys[index] === key) {
      block.values[index] = value;
      return;
    }
    block.keys.splice(index, 0, key);
    block.values.splice(index, 0, value);
    this.#size += 1;
    if (block.keys.length > BLOCK_SIZE_MAX) {
      const half = BLOCK_SIZE_MAX / 2;
      this.#blocks.splice(place + 1, 0, { keys: block.keys.splice(half), values: block.values.splice(half) });
    }
  }

  delete(key: string): boolean {
    const place = this.#blockOf(key);
    const block = this.#blocks[place];
    if (block === undefined) return false;
    const index = firstFrom(block.keys, key);
    if (block.keys[index] !== key) return false;
    block.keys.splice(index, 1);
    block.values.splice(index, 1);
    this.#size -= 1;
    if (block.keys.length === 0) this.#blocks.splice(place, 1);
    return true;
  }

  /** The values of the keys that are not before `key`, in order. The map must not change during the iteration. */
  *valuesFrom(key: string): Generator<V> {
    let place = this.#blockOf(key);
    let index = firstFrom(this.#blocks[place]?.keys ?? [], key);
    for (; place < this.#blocks.length; place += 1) {
      for (const value of this.#blocks[place]?.values.slice(index) ?? []) yield value;
      index = 0;
    }
  }

  /** Index of the first block that has a key not before `key`; the number of blocks if none has. */
  #blockOf(key: string): number {
    let low = 0;
    let high = this.#blocks.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const last = this.#blocks[middle]?.keys.at(-1);
      if (last !== undefined && last < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** Index of the first of `keys`, which are in order, that is not before `key`; the number of keys if all are. */
export function firstFrom(keys: readonly string[], key: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const candidate = keys[middle];
    if (candidate !== undefined && candidate < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
