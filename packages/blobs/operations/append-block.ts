// Append Block, Append Block From URL, Append Blob Seal (protocol: append-blobs). An append is a row of its own, so it costs the same
// however long the blob is.
import type { Space } from '#store';
import type { BlobContext } from '../blob-context.js';
import { BlobError } from '../blob-error.js';
import { type Incoming, receive, settling } from '../body/receive.js';
import { commitRows } from '../contests.js';
import { APPEND_BYTES_MAX, APPENDED_BLOCKS_MAX } from '../limits.js';
import type { AppendConditions, OperationOf } from '../operation.js';
import type { Outcome } from '../outcome.js';
import { missingContainer, openContainer } from '../rows/container-space.js';
import { encodeExtent } from '../rows/extent.js';
import { decodeHead, encodeHead, type Head } from '../rows/head.js';
import { BLOB_KEY, extentKey } from '../rows/keys.js';
import { leaseAfterWrite } from '../values/conditions.js';
import type { Stamp } from '../values/properties.js';
import { admitWrite, missingBlob, readHead, stampOf } from './admission.js';
import { withBody } from './copy-source.js';
import { emptyBody } from './put-block.js';
import { changeBlob, stamped } from './set-blob.js';

type Appending = Pick<OperationOf<'appendBlock'>, 'container' | 'blob' | 'conditions'>;

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

export async function appendBlock(
  context: BlobContext,
  operation: OperationOf<'appendBlock' | 'appendBlockFromUrl'>,
): Promise<Outcome> {
  const space = await openContainer(context, operation.container);
  return withBody(context, operation, (incoming, withMd5) =>
    append(context, space, operation, incoming, withMd5),
  );
}

interface Appended {
  readonly stamp: Stamp;
  readonly offset: number;
  readonly blocks: number;
}

async function append(
  context: BlobContext,
  space: Space,
  operation: Appending,
  incoming: Incoming,
  withMd5: boolean,
): Promise<Outcome> {
  const { blob } = operation;
  const { length, digests, mismatch, inline, writer } = await receive(context, space, incoming, {
    withMd5,
    precheck: async () => {
      admitAppend(await readHead(context, space, blob), operation, 0, context.clock());
    },
    bytesMax: APPEND_BYTES_MAX,
  });
  const value = encodeExtent({ length, content: writer?.id, from: 0, inline });
  const commit = () =>
    commitRows<Appended>(context, space, blob, { keys: [BLOB_KEY] }, ({ keys: [row] }, tick) => {
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
  const appended = await settling([writer], commit);
  if (!appended) throw missingContainer();
  return { kind: 'appended', digests, ...appended };
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
