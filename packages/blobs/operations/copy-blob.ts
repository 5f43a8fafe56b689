// Put Blob From URL, Copy Blob, Copy Blob From URL, Abort Copy Blob (protocol: blobs#copies). The source is a blob of this server, so a copy is
// complete when it is answered. Contents are copied: a content belongs to one blob and its snapshots.
import { type ContentWriter, type Space, StoreError } from '#store';
import type { BlobContext } from '../blob-context.js';
import { BlobError } from '../blob-error.js';
import { endOf, extentsIn } from '../body/extents-in.js';
import { piecesOf, storePieces } from '../body/pieces-of.js';
import { mismatchOf, type Received, receive, settling, writeContent } from '../body/receive.js';
import { checkBlobName, checkTier, SYNCHRONOUS_COPY_BYTES_MAX } from '../limits.js';
import type { OperationOf } from '../operation.js';
import type { Digests, Outcome } from '../outcome.js';
import { openContainer } from '../rows/container-space.js';
import { EXTENT_BYTES_MAX, encodeExtent, PAGE_EXTENT_BYTES_MAX } from '../rows/extent.js';
import { type Piece, unlimited } from '../rows/head.js';
import { extentKey, newLayer } from '../rows/keys.js';
import { namesNoEtag } from '../values/conditions.js';
import type { ContentProperties, CopyState } from '../values/properties.js';
import { admitRead, onlyTags, readHead } from './admission.js';
import {
  copyFailures,
  type OpenedSource,
  synchronousCopyFailures,
  wholeSourceFailures,
  withSource,
} from './copy-source.js';
import {
  checkWhole,
  EMPTY_CONTENT,
  type NewContent,
  precheckReplacing,
  putIncoming,
  replaceBlob,
} from './put-blob.js';

/** Where the request sets none, those of the source. */
function filledFrom(own: ContentProperties, source: ContentProperties): ContentProperties {
  return {
    contentType: own.contentType ?? source.contentType,
    contentEncoding: own.contentEncoding ?? source.contentEncoding,
    contentLanguage: own.contentLanguage ?? source.contentLanguage,
    contentDisposition: own.contentDisposition ?? source.contentDisposition,
    cacheControl: own.cacheControl ?? source.cacheControl,
    contentMd5: own.contentMd5,
  };
}

/** A text that is no ETag has a code of its own (protocol: conditions#outcomes). */
const ofTarget = (error: unknown, { conditions }: OperationOf<'putBlobFromUrl'>): unknown =>
  error instanceof BlobError && error.code === 'ConditionNotMet' && namesNoEtag(conditions.ifMatch)
    ? new BlobError('TargetConditionNotMet')
    : error;

export async function putBlobFromUrl(
  context: BlobContext,
  operation: OperationOf<'putBlobFromUrl'>,
): Promise<Outcome> {
  checkWhole(operation);
  const space = await openContainer(context, operation.container);
  const { source, md5, crc64, propertiesOfSource, tagsOfSource } = operation;
  return withSource(context, source, undefined, wholeSourceFailures, async ({ head, length, pieces }) => {
    const properties = propertiesOfSource
      ? filledFrom(operation.properties, head.properties)
      : operation.properties;
    const tags = tagsOfSource ? head.tags : operation.tags;
    const whole = { ...operation, properties, tags };
    try {
      return await putIncoming(context, space, whole, { length, pieces, md5, crc64 });
    } catch (error) {
      throw ofTarget(error, operation);
    }
  });
}

/** What a copy has of its source's content. */
interface CopiedContent {
  readonly content: Pick<NewContent, 'manifest' | 'pieces' | 'layers' | 'inline'>;
  readonly puts: readonly { readonly key: string; readonly value: Buffer }[];
  readonly writers: readonly (ContentWriter | undefined)[];
  readonly digests: Digests | undefined;
  readonly mismatch: BlobError | undefined;
}

export async function copyBlob(context: BlobContext, operation: OperationOf<'copyBlob'>): Promise<Outcome> {
  const { container, source, metadata, tags, tier, isSynchronous } = operation;
  checkBlobName(operation.blob);
  checkTier(tier);
  const space = await openContainer(context, container);
  const failures = isSynchronous ? synchronousCopyFailures : copyFailures;
  return withSource(context, source, undefined, failures, async opened => {
    const { head, length } = opened;
    if (isSynchronous && length > SYNCHRONOUS_COPY_BYTES_MAX)
      throw new BlobError('RequestBodyTooLarge', { limit: SYNCHRONOUS_COPY_BYTES_MAX });
    await precheckReplacing(context, space, operation);
    const copied = await copyContent(context, space, operation, opened);
    const id = context.ids();
    const copy: CopyState = {
      id,
      source: source.url,
      status: 'success',
      copied: length,
      total: length,
      completed: context.clock(),
    };
    const content: NewContent = {
      ...EMPTY_CONTENT,
      type: head.type,
      length,
      properties: head.properties,
      metadata: metadata ?? head.metadata,
      tags: operation.tagsOfSource ? head.tags : tags,
      copy,
      isSealed: head.type === 'AppendBlob' && (operation.seal ?? head.isSealed),
      blocks: head.blocks,
      sequenceNumber: head.sequenceNumber,
      ...copied.content,
    };
    const { mismatch, puts, digests, writers } = copied;
    const stamp = await settling(writers, () =>
      replaceBlob(context, space, operation, { content, mismatch, puts }),
    );
    return { kind: 'copied', stamp, copyId: id, digests: isSynchronous ? digests : undefined };
  });
}

async function copyContent(
  context: BlobContext,
  space: Space,
  operation: OperationOf<'copyBlob'>,
  opened: OpenedSource,
): Promise<CopiedContent> {
  const { head } = opened;
  if (head.type === 'PageBlob') return copyPages(context, space, operation, opened);
  const listed = head.type === 'BlockBlob' ? await piecesOf(context.content, opened.space, head) : undefined;
  const received = await receive(
    context,
    space,
    { length: opened.length, pieces: opened.pieces, md5: operation.md5, crc64: undefined },
    { withMd5: operation.isSynchronous, precheck: async () => undefined, bytesMax: Number.POSITIVE_INFINITY },
  );
  if (received.length !== opened.length) {
    await received.writer?.discard();
    throw new StoreError('corrupt', 'The source of the copy is shorter than it was.');
  }
  return listed === undefined
    ? copyAppended(context, received)
    : copyBlocks(context, space, listed, received);
}

/** The blocks stay blocks, one after the other in a content. */
async function copyBlocks(
  context: BlobContext,
  space: Space,
  listed: readonly Piece[],
  { inline, writer, digests, mismatch }: Received,
): Promise<CopiedContent> {
  const content = writer?.id ?? '';
  let from = 0;
  const pieces = listed.map(({ block, length }): Piece => {
    const at = from;
    from += length;
    return { block, length, content, from: at };
  });
  const stored = await storePieces(context, space, pieces, writer);
  return {
    content: { manifest: stored.manifest, pieces: stored.pieces, layers: [], inline },
    puts: [],
    writers: [writer, stored.writer],
    digests,
    mismatch,
  };
}

function copyAppended(
  { ids }: BlobContext,
  { length, inline, writer, digests, mismatch }: Received,
): CopiedContent {
  const layer = newLayer(ids());
  const puts: { key: string; value: Buffer }[] = [];
  for (let from = 0; from < length; from += EXTENT_BYTES_MAX) {
    const part = Math.min(EXTENT_BYTES_MAX, length - from);
    const value = encodeExtent({ length: part, content: writer?.id, from, inline });
    puts.push({ key: extentKey(layer, from), value });
  }
  return {
    content: { manifest: undefined, pieces: [], layers: [unlimited(layer)], inline: undefined },
    puts,
    writers: [writer],
    digests,
    mismatch,
  };
}

/** Only what was written: the rest has zeros in the copy too. */
async function copyPages(
  context: BlobContext,
  space: Space,
  { source, md5 }: OperationOf<'copyBlob'>,
  { space: sourceSpace, head, length }: OpenedSource,
): Promise<CopiedContent> {
  const { store, content, ids } = context;
  const layer = newLayer(ids());
  const puts: { key: string; value: Buffer }[] = [];
  const placed = await extentsIn(store, sourceSpace, source.blob, head.layers, 0, length);
  const write = async (writer: ContentWriter): Promise<void> => {
    for (const { extent } of placed) {
      const { inline, content: name, from, length: bytes } = extent;
      if (inline !== undefined) await writer.write(inline);
      else if (name !== undefined)
        for await (const piece of content.read(sourceSpace, name, from, from + bytes))
          await writer.write(piece);
    }
  };
  const writer = placed.length === 0 ? undefined : await writeContent(context, space, write);
  let from = 0;
  for (const each of placed)
    for (let at = each.start; at < endOf(each); at += PAGE_EXTENT_BYTES_MAX) {
      const part = Math.min(PAGE_EXTENT_BYTES_MAX, endOf(each) - at);
      const value = encodeExtent({ length: part, content: writer?.id, from, inline: undefined });
      puts.push({ key: extentKey(layer, at), value });
      from += part;
    }
  return {
    content: { manifest: undefined, pieces: [], layers: [unlimited(layer)], inline: undefined },
    puts,
    writers: [writer],
    digests: undefined,
    mismatch: md5 && head.properties.contentMd5 && mismatchOfMd5(md5, head.properties.contentMd5),
  };
}

const mismatchOfMd5 = (said: Buffer, stored: Buffer): BlobError | undefined =>
  mismatchOf({ md5: said, crc64: undefined }, { md5: stored, crc64: stored });

/** No copy is ever pending. */
export async function abortCopy(
  context: BlobContext,
  { container, blob, leaseId }: OperationOf<'abortCopy'>,
): Promise<Outcome> {
  const space = await openContainer(context, container);
  const head = await readHead(context, space, blob);
  admitRead(head, onlyTags(leaseId, undefined), undefined, context.clock(), container);
  throw new BlobError('NoPendingCopyOperation');
}
