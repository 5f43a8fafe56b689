// A map that also iterates in the order of JavaScript's `<` on strings: the data structure of the memory store and of
// the overlay of rows that LMDB's tree lacks.

/** Blocks of keys keep an insertion from moving all the keys after it. */
const BLOCK_SIZE_MAX = 512;

/**
 * The order is built on first use and maintained from then on: a map without ordered reads costs little more than a
 * `Map`.
 */
export class OrderedMap<V extends NonNullable<unknown>> extends Map<string, V> {
  /** Runs of keys in order, none of them empty. */
  #blocks: string[][] | undefined;

  override set(key: string, value: V): this {
    if (this.#blocks !== undefined && !this.has(key)) place(this.#blocks, key);
    return super.set(key, value);
  }

  override delete(key: string): boolean {
    if (!super.delete(key)) return false;
    if (this.size === 0) this.#blocks = undefined;
    else if (this.#blocks !== undefined) remove(this.#blocks, key);
    return true;
  }

  override clear(): void {
    super.clear();
    this.#blocks = undefined;
  }

  /** In order from `from`, up to but not including `until`. The map must not change during the iteration. */
  *keysWithin(from: string, until?: string): Generator<string> {
    this.#blocks ??= blocksOf([...this.keys()]);
    const blocks = this.#blocks;
    let at = blockOf(blocks, from);
    let index = firstFrom(blocks[at] ?? [], from);
    for (; at < blocks.length; at += 1) {
      const keys = blocks[at] ?? [];
      for (; index < keys.length; index += 1) {
        const key = keys[index];
        if (key === undefined || (until !== undefined && key >= until)) return;
        yield key;
      }
      index = 0;
    }
  }
}

function blocksOf(keys: string[]): string[][] {
  // Without a comparison function it sorts by UTF-16 code units, as `<` does.
  keys.sort();
  const blocks: string[][] = [];
  for (let from = 0; from < keys.length; from += BLOCK_SIZE_MAX / 2)
    blocks.push(keys.slice(from, from + BLOCK_SIZE_MAX / 2));
  return blocks;
}

function place(blocks: string[][], key: string): void {
  const at = Math.min(blockOf(blocks, key), Math.max(0, blocks.length - 1));
  const keys = blocks[at];
  if (keys === undefined) {
    blocks.push([key]);
    return;
  }
  keys.splice(firstFrom(keys, key), 0, key);
  if (keys.length > BLOCK_SIZE_MAX) blocks.splice(at + 1, 0, keys.splice(BLOCK_SIZE_MAX / 2));
}

function remove(blocks: string[][], key: string): void {
  const at = blockOf(blocks, key);
  const keys = blocks[at] ?? [];
  keys.splice(firstFrom(keys, key), 1);
  if (keys.length === 0) blocks.splice(at, 1);
}

/** Index of the first block that has a key not before `key`; the number of blocks if none has. */
function blockOf(blocks: readonly (readonly string[])[], key: string): number {
  return lowest(blocks.length, at => (blocks[at]?.at(-1) ?? '') >= key);
}

/** Index of the first of `keys`, which are in order, that is not before `key`; the number of keys if all are. */
function firstFrom(keys: readonly string[], key: string): number {
  return lowest(keys.length, at => (keys[at] ?? '') >= key);
}

/** The first number below `count` for which `holds` is true, as it is for all after it; `count` if there is none. */
function lowest(count: number, holds: (at: number) => boolean): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
