// Get Page Ranges, and what changed since a snapshot (protocol: page-blobs#page-ranges).
import type { Space } from '#store';
import type { BlobContext } from '../blob-context.js';
import { BlobError } from '../blob-error.js';
import { changesBetween, endOf, extentsIn, type Placed } from '../body/extents-in.js';
import { type Bounds, guard } from '../body/read-body.js';
import { PAGE_BYTES } from '../limits.js';
import type { OperationOf } from '../operation.js';
import type { Outcome } from '../outcome.js';
import { openContainer } from '../rows/container-space.js';
import { isClear } from '../rows/extent.js';
import { areSameLayers, decodeHead, type Head, type Layer } from '../rows/head.js';
import { headKey, snapshotKey } from '../rows/keys.js';
import { admitRead, stampOf } from './admission.js';
import { boundsOf } from './read-blob.js';

interface PageRange {
  readonly from: number;
  readonly until: number;
  readonly isClear: boolean;
}

/** Layers that the blob has got since; undefined where those of the earlier one were merged with others or cut, or are another blob's. */
function layersSince({ layers }: Head, since: Head): readonly Layer[] | undefined {
  const count = layers.length - since.layers.length;
  const isUnder = count >= 0 && areSameLayers(layers.slice(count), since.layers);
  return isUnder ? layers.slice(0, count) : undefined;
}

/** The ranges to return: with an earlier snapshot, what was written or cleared since. */
async function rangesOf(
  { store }: BlobContext,
  space: Space,
  blob: string,
  head: Head,
  since: Head | undefined,
  { from, until }: Bounds,
): Promise<readonly Placed[]> {
  if (from >= until) return [];
  const layers = since === undefined ? head.layers : layersSince(head, since);
  if (layers !== undefined) return extentsIn(store, space, blob, layers, from, until, since !== undefined);
  const before = await extentsIn(store, space, blob, since?.layers ?? [], from, until, true);
  return changesBetween(before, await extentsIn(store, space, blob, head.layers, from, until, true));
}

/** A range that covers part of a page returns the whole page (protocol: page-blobs#page-ranges). */
const wholePages = ({ from, until }: Bounds): Bounds => ({
  from: from - (from % PAGE_BYTES),
  until: Math.ceil(until / PAGE_BYTES) * PAGE_BYTES,
});

export async function getPageRanges(
  context: BlobContext,
  operation: OperationOf<'getPageRanges'>,
): Promise<Outcome> {
  const { container, blob } = operation;
  const space = await openContainer(context, container);
  const release = guard(context, space, blob);
  try {
    return await readRanges(context, space, operation);
  } finally {
    release();
  }
}

async function readRanges(
  context: BlobContext,
  space: Space,
  operation: OperationOf<'getPageRanges'>,
): Promise<Outcome> {
  const { container, blob, snapshot, range, since, from, top, conditions } = operation;
  const keys = [headKey(snapshot), ...(since === undefined ? [] : [snapshotKey(since)])];
  const [row, earlier] = await context.store.read(space, blob, keys);
  const head = admitRead(row && decodeHead(row.value), conditions, snapshot, context.clock(), container);
  if (head.type !== 'PageBlob') throw new BlobError('InvalidBlobType');
  if (since !== undefined && snapshot !== undefined && since > snapshot)
    throw new BlobError('PreviousSnapshotCannotBeNewer');
  if (since !== undefined && earlier === undefined) throw new BlobError('PreviousSnapshotNotFound');
  const bounds = wholePages(boundsOf(range, head.length));
  const first = Math.max(bounds.from, from ?? 0);
  const asked = { from: first, until: bounds.until };
  const extents = await rangesOf(context, space, blob, head, earlier && decodeHead(earlier.value), asked);
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
