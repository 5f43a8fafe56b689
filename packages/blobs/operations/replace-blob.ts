// The common part of Put Blob, Put Block List and Copy Blob: one commit that creates or replaces the blob. Lease and
// snapshots stay, uncommitted blocks go (protocol: blobs#put-blob).
import type { ReadRows, Space } from '#store';
import { type BlobContext, missingContainer } from '../blob-context.js';
import type { BlobError } from '../blob-error.js';
import { commitRows } from '../body/contend.js';
import { reclaimLater } from '../body/reclaim.js';
import type { OnBlob, WholeBlob } from '../operation.js';
import { decodeHead, encodeHead, type Head } from '../rows/head.js';
import { BLOB_KEY, STAGING_KEY } from '../rows/keys.js';
import { leaseAfterWrite } from '../values/lease-machine.js';
import type { Stamp } from '../values/properties.js';
import { admitCreate, checkOnline } from './admission.js';

/** What the new blob has of its own. */
export type NewContent = Pick<
  Head,
  | 'type'
  | 'length'
  | 'properties'
  | 'metadata'
  | 'tags'
  | 'copy'
  | 'isSealed'
  | 'blocks'
  | 'sequenceNumber'
  | 'layers'
  | 'manifest'
  | 'pieces'
  | 'inline'
>;

const NONE: readonly never[] = [];

/** The members that only some kinds of content have. */
export const EMPTY_CONTENT = {
  copy: undefined,
  isSealed: false,
  blocks: 0,
  sequenceNumber: 0n,
  layers: NONE,
  manifest: undefined,
  pieces: NONE,
  inline: undefined,
} as const;

/** The new head; a blob keeps the time of its creation while it is replaced (protocol: blobs#put-blob). */
function replacingHead(
  old: Head | undefined,
  content: NewContent,
  tier: string | undefined,
  tick: bigint,
): Head {
  return {
    type: content.type,
    etag: tick,
    lastModified: tick,
    created: old?.created ?? tick,
    length: content.length,
    snapshots: old?.snapshots ?? 0,
    properties: content.properties,
    metadata: content.metadata,
    tags: content.tags,
    lease: leaseAfterWrite(old?.lease, tick),
    tier: tier === undefined ? undefined : { name: tier, changed: tick },
    copy: content.copy,
    isSealed: content.isSealed,
    blocks: content.blocks,
    sequenceNumber: content.sequenceNumber,
    layers: content.layers,
    manifest: content.manifest,
    pieces: content.pieces,
    inline: content.inline,
  };
}

type Replacing = OnBlob<string> & Pick<WholeBlob, 'conditions' | 'tier'>;

interface Replacement {
  readonly content: NewContent;
  /** A digest mismatch of the body: thrown only if all other checks pass. */
  readonly mismatch: BlobError | undefined;
  /** Further checks, of the rows that are replaced. */
  readonly check?: ((rows: ReadRows, old: Head | undefined) => void) | undefined;
  /** The new blob has contents of the old one, or of its uncommitted blocks. */
  readonly sharesContents?: boolean | undefined;
  /** Further rows of the new blob. */
  readonly puts?: readonly { readonly key: string; readonly value: Buffer }[] | undefined;
}

interface Replaced {
  readonly stamp: Stamp;
  readonly old: Head | undefined;
  readonly hadStaging: boolean;
}

const REPLACED_KEYS = { keys: [BLOB_KEY, STAGING_KEY] } as const;
const STAGING_KEYS: readonly string[] = [STAGING_KEY];

export async function replaceBlob(
  context: BlobContext,
  space: Space,
  operation: Replacing,
  { content, mismatch, check, puts, sharesContents = false }: Replacement,
): Promise<Stamp> {
  const { container, blob, conditions, tier } = operation;
  const replaced = await commitRows(context, space, blob, REPLACED_KEYS, (rows, tick) => {
    const [row, staging] = rows.keys;
    const old = row && decodeHead(row.value);
    admitCreate(old, conditions, tick, container);
    checkOnline(old);
    check?.(rows, old);
    if (mismatch) throw mismatch;
    const head = encodeHead(replacingHead(old, content, tier, tick));
    const put = { key: BLOB_KEY, value: head };
    const result: Replaced = {
      stamp: { etag: tick, lastModified: tick },
      // Its content is not needed any more, and would be a view of what is gone.
      old: old && { ...old, inline: undefined },
      hadStaging: staging !== undefined,
    };
    return {
      result,
      puts: puts === undefined ? [put] : [put, ...puts],
      deletes: staging === undefined ? NONE : STAGING_KEYS,
    };
  });
  if (!replaced) throw missingContainer();
  reclaimLater(context, space, blob, replaced.old, replaced.hadStaging || sharesContents);
  return replaced.stamp;
}

/** Refuses what the commit would refuse, before a large body is taken in. */
export async function precheckReplacing(
  { store, clock }: BlobContext,
  space: Space,
  { container, blob, conditions }: Replacing,
): Promise<void> {
  const [row] = await store.read(space, blob, [BLOB_KEY]);
  const old = row && decodeHead(row.value);
  admitCreate(old, conditions, clock(), container);
  checkOnline(old);
}
