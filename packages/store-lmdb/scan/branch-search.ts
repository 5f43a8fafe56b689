// Finds a key's place among those of a page: LMDB's own order of keys is that of their bytes.
import type { TreeRange } from '../lmdb/tree.js';
import type { BranchPage } from './snapshot.js';

/** The child below which the key is, if it is in the tree. */
export function childOf(branch: BranchPage, key: Uint8Array): number {
  let [low, high] = [1, branch.count];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compareKey(branch.bytes, branch.keyFrom(middle), branch.keyUntil(middle), key) <= 0) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** The order of the bytes from `from` until `until` and the key: below, at or above 0. */
export function compareKey(bytes: Buffer, from: number, until: number, key: Uint8Array): number {
  const length = Math.min(until - from, key.length);
  for (let index = 0; index < length; index += 1) {
    const difference = (bytes[from + index] ?? 0) - (key[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return until - from - key.length;
}

/** Whether no key below the child, which is not the first one, belongs to the range. */
export function isBehind(branch: BranchPage, index: number, { end, isInclusive }: TreeRange): boolean {
  const order = compareKey(branch.bytes, branch.keyFrom(index), branch.keyUntil(index), end);
  return order > 0 || (order === 0 && isInclusive !== true);
}
