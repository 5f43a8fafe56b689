// Put Blob of a block, an append or a page blob (protocol: blobs#put-blob, append-blobs#create, page-blobs#create), and
// its common part with Put Block List and Copy Blob: one commit that creates or replaces the blob. Lease and snapshots
// stay, uncommitted blocks go.
import type { ReadRows, Space } from '#store';
import type { BlobContext } from '../blob-context.js';
import type { BlobError } from '../blob-error.js';
import { type Incoming, type Received, receive, settling } from '../body/receive.js';
import { reclaimLater } from '../body/reclaim.js';
import { commitRows } from '../contests.js';
import { checkBlobName, checkPageBlobLength, checkTier, PUT_BLOB_BYTES_MAX } from '../limits.js';
import type { OnBlob, OperationOf, WholeBlob } from '../operation.js';
import type { Outcome } from '../outcome.js';
import { openContainer, there } from '../rows/container-space.js';
import { decodeHead, encodeHead, type Head, type Piece, unlimited } from '../rows/head.js';
import { BLOB_KEY, newLayer, newWrittenLayer, STAGING_KEY } from '../rows/keys.js';
import { leaseAfterWrite } from '../values/conditions.js';
import type { ContentProperties, Stamp } from '../values/properties.js';
import { admitCreate, checkOnline, readHead } from './admission.js';

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

type Replacing = OnBlob & Pick<WholeBlob, 'conditions' | 'tier'>;

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
  const committed = await commitRows(context, space, blob, REPLACED_KEYS, (rows, tick) => {
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
  const { stamp, old, hadStaging } = there(committed);
  const mayShare = hadStaging || sharesContents;
  if (mayShare || old !== undefined) reclaimLater(context, space, blob, old, mayShare);
  return stamp;
}

/** Refuses what the commit would refuse, before a large body is taken in. */
export async function precheckReplacing(
  context: BlobContext,
  space: Space,
  { container, blob, conditions }: Replacing,
): Promise<void> {
  const old = await readHead(context, space, blob);
  admitCreate(old, conditions, context.clock(), container);
  checkOnline(old);
}

export function checkWhole({ blob, tier }: OnBlob & WholeBlob): void {
  checkBlobName(blob);
  checkTier(tier);
}

const NO_PIECES: readonly Piece[] = [];
const NO_LAYERS: NewContent['layers'] = [];

/** A content that was put at once: no blocks. */
const piecesOfReceived = ({ writer, length }: Received): readonly Piece[] =>
  writer === undefined ? NO_PIECES : [{ block: '', length, content: writer.id, from: 0 }];

function withMd5(properties: ContentProperties, contentMd5: Buffer | undefined): ContentProperties {
  if (properties.contentMd5 !== undefined || contentMd5 === undefined) return properties;
  const { contentType, contentEncoding, contentLanguage, contentDisposition, cacheControl } = properties;
  return { contentType, contentEncoding, contentLanguage, contentDisposition, cacheControl, contentMd5 };
}

export async function putBlockBlob(
  context: BlobContext,
  operation: OperationOf<'putBlockBlob'>,
): Promise<Outcome> {
  checkWhole(operation);
  const space = await openContainer(context, operation.container);
  return putIncoming(context, space, operation, operation.upload);
}

/** Takes in the whole content of a block blob, and commits it. */
export async function putIncoming(
  context: BlobContext,
  space: Space,
  operation: OnBlob & WholeBlob,
  incoming: Incoming,
): Promise<Outcome> {
  const { properties, metadata, tags } = operation;
  const received = await receive(context, space, incoming, {
    withMd5: true,
    precheck: () => precheckReplacing(context, space, operation),
    bytesMax: PUT_BLOB_BYTES_MAX,
  });
  const { length, digests, mismatch, inline, writer } = received;
  // All members written out: of a small blob a spread costs as much as the rest.
  const content: NewContent = {
    type: 'BlockBlob',
    length,
    properties: withMd5(properties, digests.md5),
    metadata,
    tags,
    copy: undefined,
    isSealed: false,
    blocks: 0,
    sequenceNumber: 0n,
    layers: NO_LAYERS,
    manifest: undefined,
    pieces: piecesOfReceived(received),
    inline,
  };
  const stamp = await settling([writer], () => replaceBlob(context, space, operation, { content, mismatch }));
  return { kind: 'blobPut', stamp, digests };
}

/** An append blob without blocks, or a page blob that is all zeros. */
export async function putEmptyBlob(
  context: BlobContext,
  operation: OperationOf<'putAppendBlob' | 'putPageBlob'>,
): Promise<Outcome> {
  checkWhole(operation);
  const { properties, metadata, tags } = operation;
  const whole = { ...EMPTY_CONTENT, properties, metadata, tags };
  let content: NewContent;
  if (operation.kind === 'putPageBlob') {
    const { length, sequenceNumber } = operation;
    checkPageBlobLength(length);
    const layers = [unlimited(newWrittenLayer(context.ids()))];
    content = { ...whole, type: 'PageBlob', length, sequenceNumber, layers };
  } else content = { ...whole, type: 'AppendBlob', length: 0, layers: [unlimited(newLayer(context.ids()))] };
  const space = await openContainer(context, operation.container);
  const stamp = await replaceBlob(context, space, operation, { content, mismatch: undefined });
  return { kind: 'blobPut', stamp, digests: undefined };
}
