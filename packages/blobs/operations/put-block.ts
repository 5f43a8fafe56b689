// Put Block and Put Block From URL (protocol: blocks#put-block). Uncommitted blocks are rows of their own, so that parallel uploads share only
// their count.
import type { ReadRows, Space } from '#store';
import type { BlobContext } from '../blob-context.js';
import { BlobError } from '../blob-error.js';
import type { Received } from '../body/receive.js';
import { commitRows } from '../contests.js';
import { BLOCK_BYTES_MAX, checkBlobName, UNCOMMITTED_BLOCKS_MAX } from '../limits.js';
import type { OperationOf } from '../operation.js';
import type { Outcome } from '../outcome.js';
import { there } from '../rows/container-space.js';
import { decodeHead, type Head } from '../rows/head.js';
import { BLOB_KEY, blockKey, newLayer, STAGING_KEY } from '../rows/keys.js';
import {
  decodeStagedBlock,
  decodeStaging,
  encodeStagedBlock,
  encodeStaging,
  type Staging,
} from '../rows/staged-block.js';
import { checkLease } from '../values/conditions.js';
import { storeBody } from './copy-source.js';

type Staged = OperationOf<'putBlock' | 'putBlockFromUrl'>;

export const emptyBody = (): BlobError =>
  new BlobError('InvalidHeaderValue', { name: 'Content-Length', value: 0 });

export async function putBlock(context: BlobContext, operation: Staged): Promise<Outcome> {
  checkBlobName(operation.blob);
  const admit = (head: Head | undefined): void =>
    checkLease(head?.lease, operation.leaseId, context.clock(), true, 'Blob');
  return storeBody(context, operation, BLOCK_BYTES_MAX, admit, async (space, received) => {
    const replaced = await commitBlock(context, space, operation, received);
    if (replaced !== undefined) context.background.later(() => context.content.drop(space, replaced));
    return { kind: 'blockPut', digests: received.digests };
  });
}

/** Returns the content of the block that it replaced. */
async function commitBlock(
  context: BlobContext,
  space: Space,
  operation: Staged,
  { length, inline, writer, mismatch }: Received,
): Promise<string | undefined> {
  const key = blockKey(operation.id);
  const name = newLayer(context.ids());
  const keys = [BLOB_KEY, STAGING_KEY, key];
  const committed = await commitRows(context, space, operation.blob, { keys }, (rows, tick) => {
    const { staging, replaced, isNew } = admitBlock(rows, operation, name, tick);
    if (length === 0) throw emptyBody();
    if (mismatch) throw mismatch;
    const blocks = staging.blocks + (isNew ? 1 : 0);
    if (blocks > UNCOMMITTED_BLOCKS_MAX) throw new BlobError('BlockCountExceedsLimit');
    const value = encodeStagedBlock({ staging: staging.name, length, content: writer?.id, inline });
    return {
      result: { replaced },
      puts: [
        { key: STAGING_KEY, value: encodeStaging({ ...staging, blocks, lastPut: tick }) },
        { key, value },
      ],
    };
  });
  return there(committed).replaced;
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
