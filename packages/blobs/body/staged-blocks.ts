// Reads a block blob at one moment: its head, and its live uncommitted blocks.
import { type Space, StoreError } from '#store';
import type { BlobContext } from '../blob-context.js';
import { decodeHead, type Head, type Piece } from '../rows/head.js';
import { allBlocks, BLOB_KEY, blockIdOfKey, kindOfKey, snapshotKey } from '../rows/keys.js';
import { decodeStagedBlock, decodeStaging, type StagedBlock } from '../rows/staged-block.js';
import { piecesOf } from './pieces-of.js';

export interface SeenBlocks {
  readonly head: Head | undefined;
  /** Of the head. */
  readonly committed: readonly Piece[];
  /** By their ids, in the order of their Base64. */
  readonly staged: ReadonlyMap<string, StagedBlock>;
  /** Of the rows B and C: as long as they are the same, nothing has changed. */
  readonly versions: readonly (bigint | undefined)[];
}

const UNBOUNDED = Number.POSITIVE_INFINITY;
const BUDGET = { rows: UNBOUNDED, bytes: UNBOUNDED, examined: UNBOUNDED, milliseconds: UNBOUNDED };
const NO_PIECES: readonly Piece[] = [];
const NO_BLOCKS: ReadonlyMap<string, StagedBlock> = new Map();

/** Undefined where others changed it while it was read. */
export async function seeBlocks(
  context: BlobContext,
  space: Space,
  blob: string,
): Promise<SeenBlocks | undefined> {
  const range = {
    from: { partition: blob, key: BLOB_KEY },
    until: { partition: blob, key: allBlocks.until },
  };
  let head: Head | undefined;
  let staging: string | undefined;
  const staged = new Map<string, StagedBlock>();
  const versions: (bigint | undefined)[] = [undefined, undefined];
  const { next } = await context.store.scan(space, range, BUDGET, row => {
    const kind = kindOfKey(row.key);
    if (kind === 'blob') {
      // A view is valid during the call only.
      head = decodeHead(Buffer.from(row.value));
      versions[0] = row.version;
    } else if (kind === 'staging') {
      staging = decodeStaging(row.value).name;
      versions[1] = row.version;
    } else {
      const block = decodeStagedBlock(row.value);
      if (block.staging === staging)
        staged.set(blockIdOfKey(row.key), { ...block, inline: block.inline && Buffer.from(block.inline) });
    }
    return true;
  });
  if (next !== undefined) return undefined;
  const committed = head ? await committedOf(context, space, blob, BLOB_KEY, head, versions[0]) : NO_PIECES;
  return committed && { head, committed, staged, versions };
}

/** The same for a snapshot, which has no uncommitted blocks. */
export async function seeSnapshot(
  context: BlobContext,
  space: Space,
  blob: string,
  snapshot: bigint,
): Promise<SeenBlocks | undefined> {
  const key = snapshotKey(snapshot);
  const [row] = await context.store.read(space, blob, [key]);
  const head = row && decodeHead(row.value);
  const committed = head ? await committedOf(context, space, blob, key, head, row?.version) : NO_PIECES;
  return committed && { head, committed, staged: NO_BLOCKS, versions: [row?.version] };
}

/** A long list is a content, which is gone with the head that names it: undefined then. */
async function committedOf(
  { store, content }: BlobContext,
  space: Space,
  blob: string,
  key: string,
  head: Head,
  version: bigint | undefined,
): Promise<readonly Piece[] | undefined> {
  try {
    return await piecesOf(content, space, head);
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== 'corrupt') throw error;
    const [row] = await store.read(space, blob, [key]);
    if (row?.version === version) throw error;
    return undefined;
  }
}
