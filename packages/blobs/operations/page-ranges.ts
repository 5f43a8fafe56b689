// Get Page Ranges, and what changed since a snapshot (protocol: page-blobs#page-ranges).
import { type BlobContext, openContainer } from '../blob-context.js';
import { BlobError } from '../blob-error.js';
import { endOf, extentsIn } from '../body/extents-in.js';
import type { Bounds } from '../body/read-body.js';
import { PAGE_BYTES } from '../limits.js';
import type { GetPageRanges } from '../operation.js';
import type { Outcome } from '../outcome.js';
import { isClear } from '../rows/extent.js';
import { decodeHead, type Head, type Layer } from '../rows/head.js';
import { headKey, snapshotKey } from '../rows/keys.js';
import { admitRead, stampOf } from './admission.js';
import { boundsOf } from './read-blob.js';

interface PageRange {
  readonly from: number;
  readonly until: number;
  readonly isClear: boolean;
}

/** Layers that the blob has got since. */
function layersSince(head: Head, since: Head | undefined): readonly Layer[] {
  if (since === undefined) return head.layers;
  const before = new Set(since.layers.map(({ name }) => name));
  return head.layers.filter(({ name }) => !before.has(name));
}

/** Pages of which a range has a part are told as a whole (protocol: page-blobs#page-ranges). */
const wholePages = ({ from, until }: Bounds): Bounds => ({
  from: from - (from % PAGE_BYTES),
  until: Math.ceil(until / PAGE_BYTES) * PAGE_BYTES,
});

export async function getPageRanges(context: BlobContext, operation: GetPageRanges): Promise<Outcome> {
  const { container, blob, snapshot, range, since, from, top, conditions } = operation;
  const space = await openContainer(context, container);
  const keys = [headKey(snapshot), ...(since === undefined ? [] : [snapshotKey(since)])];
  const [row, earlier] = await context.store.read(space, blob, keys);
  const head = admitRead(row && decodeHead(row.value), conditions, snapshot, context.clock(), container);
  if (head.type !== 'PageBlob') throw new BlobError('InvalidBlobType');
  if (since !== undefined && snapshot !== undefined && since > snapshot)
    throw new BlobError('PreviousSnapshotCannotBeNewer');
  if (since !== undefined && earlier === undefined) throw new BlobError('PreviousSnapshotNotFound');
  const bounds = wholePages(boundsOf(range, head.length));
  const first = Math.max(bounds.from, from ?? 0);
  const layers = layersSince(head, earlier && decodeHead(earlier.value));
  const extents =
    first < bounds.until
      ? await extentsIn(context.store, space, blob, layers, first, bounds.until, since !== undefined)
      : [];
  const ranges: PageRange[] = [];
  for (const placed of extents) {
    const last = ranges.at(-1);
    const each = { from: placed.start, until: endOf(placed), isClear: isClear(placed.extent) };
    if (last?.until === each.from && last.isClear === each.isClear)
      ranges[ranges.length - 1] = { ...last, until: each.until };
    else ranges.push(each);
  }
  return {
    kind: 'pageRanges',
    stamp: stampOf(head),
    length: head.length,
    ranges: ranges.slice(0, top),
    next: ranges[top]?.from,
  };
}
