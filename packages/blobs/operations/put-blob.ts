// Put Blob of a block, an append or a page blob (protocol: blobs#put-blob, append-blobs#create, page-blobs#create).
import type { Space } from '#store';
import { type BlobContext, openContainer } from '../blob-context.js';
import { type Incoming, type Received, receive, settling } from '../body/receive.js';
import {
  checkBlobMetadata,
  checkBlobName,
  checkPageBlobLength,
  checkSequenceNumberValue,
  checkTags,
  checkTier,
  PUT_BLOB_BYTES_MAX,
} from '../limits.js';
import type { OnBlob, PutAppendBlob, PutBlockBlob, PutPageBlob, WholeBlob } from '../operation.js';
import type { Outcome } from '../outcome.js';
import { unlimited } from '../rows/head.js';
import { newLayer, newWrittenLayer } from '../rows/keys.js';
import type { Piece } from '../rows/pieces.js';
import type { ContentProperties } from '../values/properties.js';
import { EMPTY_CONTENT, type NewContent, precheckReplacing, replaceBlob } from './replace-blob.js';

export function checkWhole({ blob, metadata, tags, tier }: OnBlob<string> & WholeBlob): void {
  checkBlobName(blob);
  checkBlobMetadata(metadata);
  checkTags(tags);
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

export async function putBlockBlob(context: BlobContext, operation: PutBlockBlob): Promise<Outcome> {
  checkWhole(operation);
  const space = await openContainer(context, operation.container);
  return putIncoming(context, space, operation, operation.upload);
}

/** Takes in the whole content of a block blob, and commits it. */
export async function putIncoming(
  context: BlobContext,
  space: Space,
  operation: OnBlob<string> & WholeBlob,
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

/** Empty: blocks are appended to it. */
export async function putAppendBlob(context: BlobContext, operation: PutAppendBlob): Promise<Outcome> {
  checkWhole(operation);
  const space = await openContainer(context, operation.container);
  const { properties, metadata, tags } = operation;
  const layers = [unlimited(newLayer(context.ids()))];
  const content: NewContent = {
    ...EMPTY_CONTENT,
    type: 'AppendBlob',
    length: 0,
    properties,
    metadata,
    tags,
    layers,
  };
  const stamp = await replaceBlob(context, space, operation, { content, mismatch: undefined });
  return { kind: 'blobPut', stamp, digests: undefined };
}

/** All zeros: pages are written to it. */
export async function putPageBlob(context: BlobContext, operation: PutPageBlob): Promise<Outcome> {
  checkWhole(operation);
  const { properties, metadata, tags, length, sequenceNumber } = operation;
  checkPageBlobLength(length);
  checkSequenceNumberValue(sequenceNumber);
  const space = await openContainer(context, operation.container);
  const layers = [unlimited(newWrittenLayer(context.ids()))];
  const content: NewContent = {
    ...EMPTY_CONTENT,
    type: 'PageBlob',
    length,
    properties,
    metadata,
    tags,
    layers,
    sequenceNumber,
  };
  const stamp = await replaceBlob(context, space, operation, { content, mismatch: undefined });
  return { kind: 'blobPut', stamp, digests: undefined };
}
