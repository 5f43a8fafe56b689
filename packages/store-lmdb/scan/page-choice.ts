// Chooses whether a range of a tree is read by its pages. Where leaves are wide apart in the data file each is a read of its own, which costs as much as
// the `lmdb` package's cursor takes for several rows: docs/performance.md has the figures. tree-reader.ts asks it once a scan.
import { PAGE_BYTES } from '../lmdb/file-head.js';
import { LEAF } from '../lmdb/page-format.js';
import type { TreeRange } from '../lmdb/tree.js';
import { childOf, isBehind } from './branch-search.js';
import type { BranchPage, Root, Snapshot } from './snapshot.js';

/** Leaves that are looked at, without being read: what one branch page says of them. A range of fewer is read by pages in any case: the cursor takes time to begin. */
const LEAVES_SEEN = 32;
/** Entries that a read has to give, at least. */
const ENTRIES_A_READ_MIN = 8;

export function isWorthPages(snapshot: Snapshot, root: Root | undefined, range: TreeRange): boolean {
  if (root === undefined || root.depth < 2) return true;
  let branch = snapshot.branch(root.page);
  let index = childOf(branch, range.start);
  for (let depth = root.depth; depth > 2; depth -= 1) {
    branch = snapshot.branch(branch.child(index));
    index = childOf(branch, range.start);
  }
  const { leaves, reads } = countReads(branch, index, range);
  if (leaves < LEAVES_SEEN || 2 * reads < leaves) return true;
  const bytes = Buffer.allocUnsafe(PAGE_BYTES);
  const first = branch.child(index);
  snapshot.read(bytes, 0, first, 1);
  return snapshot.countNodes(bytes, 0, first, LEAF) * leaves >= ENTRIES_A_READ_MIN * reads;
}

/** How many leaves of the range follow from this one on, and in how many runs they stand in the file. */
function countReads(
  branch: BranchPage,
  first: number,
  range: TreeRange,
): { readonly leaves: number; readonly reads: number } {
  const until = Math.min(branch.count, first + LEAVES_SEEN);
  let reads = 1;
  let index = first + 1;
  for (; index < until; index += 1) {
    if (isBehind(branch, index, range)) break;
    if (branch.child(index) !== branch.child(index - 1) + 1) reads += 1;
  }
  return { leaves: index - first, reads };
}
