// Append Block, Append Block From URL, Append Blob Seal (protocol: append-blobs). An append is a row of its own, so it costs the same
// however long the blob is.
import type { BlobContext } from '../blob-context.js';
import { BlobError } from '../blob-error.js';
import { commitRows } from '../contests.js';
import { APPEND_BYTES_MAX, APPENDED_BLOCKS_MAX } from '../limits.js';
import type { AppendConditions, OperationOf } from '../operation.js';
import type { Outcome } from '../outcome.js';
import { openContainer, there } from '../rows/container-space.js';
import { encodeExtent } from '../rows/extent.js';
import { decodeHead, encodeHead, type Head } from '../rows/head.js';
import { BLOB_KEY, extentKey } from '../rows/keys.js';
import { leaseAfterWrite } from '../values/conditions.js';
import { admitWrite, missingBlob, stampOf } from './admission.js';
import { storeBody } from './copy-source.js';
import { emptyBody } from './put-block.js';
import { changeBlob, stamped } from './set-blob.js';

type Appending = OperationOf<'appendBlock' | 'appendBlockFromUrl'>;

function admitAppend(
  head: Head | undefined,
  { container, conditions }: Appending,
  bytes: number,
  tick: bigint,
): Head {
  const admitted = admitWrite(head, conditions, tick, container);
  if (admitted.type !== 'AppendBlob') throw new BlobError('InvalidBlobType');
  checkPosition(admitted, conditions, bytes);
  if (admitted.isSealed) throw new BlobError('BlobIsSealed');
  if (admitted.blocks >= APPENDED_BLOCKS_MAX) throw new BlobError('BlockCountExceedsLimit');
  return admitted;
}

function checkPosition({ length }: Head, { appendPosition, maxSize }: AppendConditions, bytes: number): void {
  if (appendPosition !== undefined && appendPosition !== length)
    throw new BlobError('AppendPositionConditionNotMet');
  if (maxSize !== undefined && length + bytes > maxSize) throw new BlobError('MaxBlobSizeConditionNotMet');
}

export function appendBlock(context: BlobContext, operation: Appending): Promise<Outcome> {
  const { blob } = operation;
  const admit = (head: Head | undefined): void => void admitAppend(head, operation, 0, context.clock());
  return storeBody(context, operation, APPEND_BYTES_MAX, admit, async (space, received) => {
    const { length, digests, mismatch, inline, writer } = received;
    const value = encodeExtent({ length, content: writer?.id, from: 0, inline });
    const keys = [BLOB_KEY];
    const appended = await commitRows(context, space, blob, { keys }, ({ keys: [row] }, tick) => {
      const old = admitAppend(row && decodeHead(row.value), operation, length, tick);
      if (length === 0) throw emptyBody();
      if (mismatch) throw mismatch;
      const [layer] = old.layers;
      if (layer === undefined) throw missingBlob();
      const head = appendedHead(old, length, tick);
      return {
        result: { stamp: { etag: tick, lastModified: tick }, offset: old.length, blocks: head.blocks },
        puts: [
          { key: BLOB_KEY, value: encodeHead(head) },
          { key: extentKey(layer.name, old.length), value },
        ],
      };
    });
    return { kind: 'appended', digests, ...there(appended) };
  });
}

/** With all members written out: a spread costs as much as the rest of the decision. */
const appendedHead = (old: Head, length: number, tick: bigint): Head => ({
  type: old.type,
  etag: tick,
  lastModified: tick,
  created: old.created,
  length: old.length + length,
  snapshots: old.snapshots,
  properties:
    old.properties.contentMd5 === undefined ? old.properties : { ...old.properties, contentMd5: undefined },
  metadata: old.metadata,
  tags: old.tags,
  lease: leaseAfterWrite(old.lease, tick),
  tier: old.tier,
  copy: undefined,
  isSealed: old.isSealed,
  blocks: old.blocks + 1,
  sequenceNumber: old.sequenceNumber,
  layers: old.layers,
  manifest: old.manifest,
  pieces: old.pieces,
  inline: old.inline,
});

export async function sealBlob(
  context: BlobContext,
  { container, blob, conditions }: OperationOf<'sealBlob'>,
): Promise<Outcome> {
  const space = await openContainer(context, container);
  const head = await changeBlob(context, space, blob, (old, tick) => {
    const admitted = admitWrite(old, conditions, tick, container);
    if (admitted.type !== 'AppendBlob') throw new BlobError('InvalidBlobType');
    checkPosition(admitted, { ...conditions, maxSize: undefined }, 0);
    return admitted.isSealed ? admitted : { ...stamped(admitted, tick), isSealed: true };
  });
  return { kind: 'sealed', stamp: stampOf(head), length: head.length };
}
