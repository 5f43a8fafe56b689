// Reclaims the rows of dropped spaces, some at a time. The catalogue remembers what is left, so it continues when the
// store is opened again.

import { type Branch, branchRange, isEmpty } from '../layout/branches.js';
import type { Catalog } from '../layout/catalog.js';
import type { Rows } from '../layout/rows.js';

/** Rows per transaction: enough to make the wait for the disk negligible, few enough that a commit hardly waits. */
const ROWS_MAX = 1000;
/** While the disk is full: the changed pages fit into the reserve. */
const ROWS_WHEN_SHORT_MAX = 100;

/** Inside a write transaction; false when no dropped space has rows any more. */
export function reclaimSome(catalog: Catalog, rows: Rows, isShort = false): boolean {
  const space = catalog.firstDropped();
  if (space === undefined) return false;
  const branch = rows.spaceBranch(space);
  clear(branch, rows, isShort ? ROWS_WHEN_SHORT_MAX : ROWS_MAX);
  if (isEmpty(branch)) catalog.forgetDropped(space);
  return true;
}

/** Removes up to `limit` rows of the branch; returns how many it removed. */
function clear(branch: Branch, rows: Rows, limit: number): number {
  let removed = 0;
  for (const key of branch.tree.keys(branchRange(branch), limit)) {
    if (key.length > rows.keyBytesMax(branch)) {
      const value = branch.tree.get(key);
      if (value === undefined) continue;
      const pointed = rows.pointedBranch(value);
      removed += clear(pointed, rows, limit - removed);
      if (!isEmpty(pointed)) return removed;
    }
    branch.tree.remove(key);
    removed += 1;
    if (removed >= limit) return removed;
  }
  return removed;
}
