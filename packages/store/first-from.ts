// Where a key stands, or would, among keys in the order of JavaScript's `<` on strings.

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
