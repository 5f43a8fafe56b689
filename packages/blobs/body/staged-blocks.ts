// Sees a block blob at one moment: its head, and the uncommitted blocks that are alive.
import { type Space, StoreError } from '#store';
import type { BlobContext } from '../blob-context.js';
import { decodeHead, type Head } from '../rows/head.js';
import { allBlocks, BLOB_KEY, blockIdOfKey, kindOfKey } from '../rows/keys.js';
import { decodeStagedBlock, decodeStaging, type StagedBlock } from '../rows/staged-block.js';

export interface SeenBlocks {
  readonly head: Head | undefined;
  /** By their ids, in the order of their Base64. */
  readonly staged: ReadonlyMap<string, StagedBlock>;
  /** Of the rows B and C: as long as they are the same, nothing has changed. */
  readonly versions: readonly (bigint | undefined)[];
}

const UNBOUNDED = Number.POSITIVE_INFINITY;
const BUDGET = { rows: UNBOUNDED, bytes: UNBOUNDED, examined: UNBOUNDED, milliseconds: UNBOUNDED };
const ATTEMPTS = 10;

export async function seeBlocks({ store }: BlobContext, space: Space, blob: string): Promise<SeenBlocks> {
  const range = {
    from: { partition: blob, key: BLOB_KEY },
    until: { partition: blob, key: allBlocks.until },
  };
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    let head: Head | undefined;
    let staging: string | undefined;
    const staged = new Map<string, StagedBlock>();
    const versions: (bigint | undefined)[] = [undefined, undefined];
    const { next } = await store.scan(space, range, BUDGET, row => {
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
    if (next === undefined) return { head, staged, versions };
  }
  throw new StoreError('conflict', `The blocks of '${blob}' could not be seen at one moment.`);
}
