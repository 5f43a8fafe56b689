// Put Block and Put Block From URL (protocol: blocks#put-block). Uncommitted blocks are rows of their own, so that parallel uploads share only
// their count.
import type { ReadRows, Space } from '#store';
import type { BlobContext } from '../blob-context.js';
import { BlobError } from '../blob-error.js';
import { type Incoming, type Received, receive, settling } from '../body/receive.js';
import { commitRows } from '../contests.js';
import { BLOCK_BYTES_MAX, checkBlobName, UNCOMMITTED_BLOCKS_MAX } from '../limits.js';
import type { OperationOf } from '../operation.js';
import type { Outcome } from '../outcome.js';
import { missingContainer, openContainer } from '../rows/container-space.js';
import { decodeHead } from '../rows/head.js';
import { BLOB_KEY, blockKey, newLayer, STAGING_KEY } from '../rows/keys.js';
import {
  decodeStagedBlock,
  decodeStaging,
  encodeStagedBlock,
  encodeStaging,
  type Staging,
} from '../rows/staged-block.js';
import { checkLease } from '../values/conditions.js';
import { readHead } from './admission.js';
import { withBody } from './copy-source.js';

type Staged = Pick<OperationOf<'putBlock'>, 'container' | 'blob' | 'id' | 'leaseId'>;

export const emptyBody = (): BlobError =>
  new BlobError('InvalidHeaderValue', { name: 'Content-Length', value: 0 });

export async function putBlock(
  context: BlobContext,
  operation: OperationOf<'putBlock' | 'putBlockFromUrl'>,
): Promise<Outcome> {
  checkBlobName(operation.blob);
  const space = await openContainer(context, operation.container);
  return withBody(context, operation, (incoming, withMd5) =>
    stage(context, space, operation, incoming, withMd5),
  );
}

async function stage(
  context: BlobContext,
  space: Space,
  operation: Staged,
  incoming: Incoming,
  withMd5: boolean,
): Promise<Outcome> {
  const { blob, leaseId } = operation;
  const received = await receive(context, space, incoming, {
    withMd5,
    precheck: async () => {
      checkLease((await readHead(context, space, blob))?.lease, leaseId, context.clock(), true, 'Blob');
    },
    bytesMax: BLOCK_BYTES_MAX,
  });
  const replaced = await settling([received.writer], () => commitBlock(context, space, operation, received));
  if (replaced !== undefined) context.background.later(() => context.content.drop(space, replaced));
  return { kind: 'blockPut', digests: received.digests };
}

/** Returns the content of the block that it replaced. */
async function commitBlock(
  context: BlobContext,
  space: Space,
  operation: Staged,
  received: Received,
): Promise<string | undefined> {
  const key = blockKey(operation.id);
  const name = newLayer(context.ids());
  const committed = await commitRows(
    context,
    space,
    operation.blob,
    { keys: [BLOB_KEY, STAGING_KEY, key] },
    (rows, tick) => {
      const { staging, replaced, isNew } = admitBlock(rows, operation, name, tick);
      if (received.length === 0) throw emptyBody();
      if (received.mismatch) throw received.mismatch;
      const { length, inline, writer } = received;
      const blocks = staging.blocks + (isNew ? 1 : 0);
      if (blocks > UNCOMMITTED_BLOCKS_MAX) throw new BlobError('BlockCountExceedsLimit');
      const puts = [
        { key: STAGING_KEY, value: encodeStaging({ ...staging, blocks, lastPut: tick }) },
        {
          key,
          value: encodeStagedBlock({ staging: staging.name, length, content: writer?.id, inline }),
        },
      ];
      return { result: { replaced }, puts };
    },
  );
  if (!committed) throw missingContainer();
  return committed.replaced;
}

interface AdmittedBlock {
  readonly staging: Staging;
  readonly isNew: boolean;
  readonly replaced: string | undefined;
}

function admitBlock(
  { keys: [row, common, block] }: ReadRows,
  { id, leaseId }: Staged,
  name: string,
  tick: bigint,
): AdmittedBlock {
  const head = row && decodeHead(row.value);
  checkLease(head?.lease, leaseId, tick, true, 'Blob');
  if (head !== undefined && head.type !== 'BlockBlob') throw new BlobError('InvalidBlobType');
  const staging =
    common === undefined
      ? { name, idLength: id.length, blocks: 0, lastPut: tick }
      : decodeStaging(common.value);
  if (staging.idLength !== id.length) throw new BlobError('InvalidBlobOrBlock');
  const old = block && decodeStagedBlock(block.value);
  const isNew = old === undefined || old.staging !== staging.name;
  // The content of a dead block may be the committed blob's by now.
  return { staging, isNew, replaced: isNew ? undefined : old.content };
}
