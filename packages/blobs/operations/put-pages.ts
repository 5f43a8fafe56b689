// Put Page, Put Page From URL, and clearing (protocol: page-blobs#put-page). Pages are extents in the blob's first layer; a write replaces the
// overlapping parts of extents in the same commit.
import type { ReadRows, Space } from '#store';
import type { BlobContext } from '../blob-context.js';
import { BlobError } from '../blob-error.js';
import { clip, endOf, extentsIn, type Placed, placedOf } from '../body/extents-in.js';
import { type GivenUp, reclaimPagesLater } from '../body/reclaim.js';
import { commitRows, contend } from '../contests.js';
import { PUT_PAGES_BYTES_MAX } from '../limits.js';
import type { OperationOf, PageSpan } from '../operation.js';
import type { Outcome } from '../outcome.js';
import { openContainer, there } from '../rows/container-space.js';
import { cleared, type Extent, encodeExtent, PAGE_EXTENT_BYTES_MAX } from '../rows/extent.js';
import { decodeHead, encodeHead, type Head } from '../rows/head.js';
import { BLOB_KEY, extentKey } from '../rows/keys.js';
import { checkSequenceNumber } from '../values/conditions.js';
import { admitWrite, missingBlob, readHead } from './admission.js';
import { storeBody } from './copy-source.js';
import { stamped } from './set-blob.js';

type Paging = Pick<OperationOf<'putPages'>, 'container' | 'blob' | 'span' | 'conditions'>;

function admitPages(head: Head | undefined, { container, span, conditions }: Paging, tick: bigint): Head {
  const admitted = admitWrite(head, conditions, tick, container);
  if (admitted.type !== 'PageBlob') throw new BlobError('InvalidBlobType');
  checkSequenceNumber(conditions, admitted.sequenceNumber);
  if (span.until > admitted.length) throw new BlobError('InvalidPageRange');
  return admitted;
}

export function putPages(
  context: BlobContext,
  operation: OperationOf<'putPages' | 'putPagesFromUrl'>,
): Promise<Outcome> {
  const { span } = operation;
  const admit = (head: Head | undefined): void => void admitPages(head, operation, context.clock());
  return storeBody(context, operation, PUT_PAGES_BYTES_MAX, admit, async (space, received) => {
    const { length, digests, mismatch, inline, writer } = received;
    const refusal =
      length === span.until - span.from
        ? mismatch
        : new BlobError('InvalidHeaderValue', { name: 'Content-Length', value: length });
    const extent: Extent = { length, content: writer?.id, from: 0, inline };
    const extents = async () => [{ start: span.from, extent }];
    return { kind: 'pagesPut', digests, ...(await commitPages(context, space, operation, extents, refusal)) };
  });
}

/** With snapshots, zeros hide what was written, even since the last one: the range is listed as cleared (protocol: page-blobs#page-ranges). Otherwise the rows are removed. */
export async function clearPages(
  context: BlobContext,
  operation: OperationOf<'clearPages'>,
): Promise<Outcome> {
  const space = await openContainer(context, operation.container);
  const { from, until } = operation.span;
  const hide = async (head: Head): Promise<readonly Placed[]> => {
    const end = Math.min(until, head.length);
    if (head.layers.length === 1) return [];
    const hidden = await extentsIn(context.store, space, operation.blob, head.layers, from, end, true);
    return hidden.map(({ start, extent }) => ({ start, extent: cleared(extent.length) }));
  };
  const written = await commitPages(context, space, operation, hide, undefined);
  return { kind: 'pagesPut', digests: undefined, ...written };
}

interface PagesWritten {
  readonly stamp: { readonly etag: bigint; readonly lastModified: bigint };
  readonly sequenceNumber: bigint;
}

interface Replaced {
  readonly written: PagesWritten;
  readonly givenUp: readonly GivenUp[];
}

/** The first layer is known from a read before; a snapshot that is taken in between gives the blob another one. */
async function commitPages(
  context: BlobContext,
  space: Space,
  operation: Paging,
  extentsFor: (head: Head) => Promise<readonly Placed[]>,
  refusal: BlobError | undefined,
): Promise<PagesWritten> {
  const { blob, span } = operation;
  return contend(context, space, blob, async own => {
    const head = admitPages(await readHead(context, space, blob), operation, context.clock());
    const layer = head.layers[0]?.name;
    if (layer === undefined) throw missingBlob();
    const extents = await extentsFor(head);
    const range = {
      from: extentKey(layer, Math.max(0, span.from - PAGE_EXTENT_BYTES_MAX)),
      until: extentKey(layer, span.until),
      rows: Number.MAX_SAFE_INTEGER,
    };
    const replaced = await commitRows<Replaced | 'again'>(
      own,
      space,
      blob,
      { keys: [BLOB_KEY], range },
      (rows, tick) => {
        const [current] = rows.keys;
        const old = admitPages(current && decodeHead(current.value), operation, tick);
        if (old.layers[0]?.name !== layer) return { result: 'again' };
        if (refusal) throw refusal;
        return replacePages(old, layer, span, extents, rows, tick);
      },
    );
    const done = there(replaced);
    if (done === 'again') return undefined;
    reclaimPagesLater(context, space, blob, layer, done.givenUp);
    return done.written;
  });
}

function replacePages(
  old: Head,
  layer: string,
  { from, until }: PageSpan,
  extents: readonly Placed[],
  { range }: ReadRows,
  tick: bigint,
) {
  const puts = new Map<string, Buffer>();
  const deletes = new Set<string>();
  const givenUp: GivenUp[] = [];
  const put = ({ start, extent }: Placed) => puts.set(extentKey(layer, start), encodeExtent(extent));
  for (const row of range) {
    const placed = placedOf(row);
    if (endOf(placed) <= from) continue;
    deletes.add(row.key);
    const { content, from: offset } = placed.extent;
    if (content !== undefined) givenUp.push({ content, origin: placed.start - offset });
    const [left, right] = [clip(placed, 0, from), clip(placed, until, endOf(placed))];
    if (left !== undefined) put(left);
    if (right !== undefined) put(right);
  }
  for (const extent of extents) put(extent);
  for (const key of puts.keys()) deletes.delete(key);
  const head = encodeHead({ ...stamped(old, tick), copy: undefined });
  return {
    result: {
      written: { stamp: { etag: tick, lastModified: tick }, sequenceNumber: old.sequenceNumber },
      givenUp,
    },
    puts: [{ key: BLOB_KEY, value: head }, ...[...puts].map(([key, value]) => ({ key, value }))],
    deletes: [...deletes],
  };
}
