// Put Block List and Get Block List (protocol: blocks#put-block-list, blocks#get-block-list). The list is built from one consistent read,
// and committed if nothing has changed since.
import type { ContentWriter, Space } from '#store';
import type { BlobContext } from '../blob-context.js';
import { BlobError } from '../blob-error.js';
import { storePieces } from '../body/pieces-of.js';
import { INLINE_BYTES_MAX, settling, writeContent } from '../body/receive.js';
import { type SeenBlocks, seeBlocks, seeSnapshot } from '../body/staged-blocks.js';
import { contend } from '../contests.js';
import type { ListedBlockId, OperationOf } from '../operation.js';
import type { Outcome, SeenBlock } from '../outcome.js';
import { openContainer } from '../rows/container-space.js';
import type { Piece } from '../rows/head.js';
import type { Stamp } from '../values/properties.js';
import { admitCreate, admitRead, missingBlob, onlyTags, stampOf } from './admission.js';
import { checkWhole, EMPTY_CONTENT, type NewContent, replaceBlob } from './put-blob.js';

/** A listed block, and its bytes where it is in a row. */
interface Found {
  readonly piece: Piece;
  readonly bytes: Buffer | undefined;
}

function finder({ head, staged, committed }: SeenBlocks): (listed: ListedBlockId) => Found | undefined {
  const inline = head?.inline;
  const byId = new Map(committed.map(piece => [piece.block, piece]));
  byId.delete('');
  const uncommittedOf = (id: string): Found | undefined => {
    const block = staged.get(id);
    if (block === undefined) return undefined;
    const { length, content = '' } = block;
    return { piece: { block: id, length, content, from: 0 }, bytes: block.inline };
  };
  const committedOf = (id: string): Found | undefined => {
    const piece = byId.get(id);
    if (piece === undefined) return undefined;
    const bytes = piece.content === '' ? inline?.subarray(piece.from, piece.from + piece.length) : undefined;
    return { piece, bytes };
  };
  return ({ from, id }) => {
    if (from === 'committed') return committedOf(id);
    if (from === 'uncommitted') return uncommittedOf(id);
    return uncommittedOf(id) ?? committedOf(id);
  };
}

interface Assembled {
  readonly length: number;
  readonly pieces: readonly Piece[];
  readonly inline: Buffer | undefined;
  readonly writer: ContentWriter | undefined;
}

/** What is in rows becomes the head's own content if nothing else is there and it is small, and one content otherwise. */
async function assemble(context: BlobContext, space: Space, found: readonly Found[]): Promise<Assembled> {
  const length = found.reduce((sum, { piece }) => sum + piece.length, 0);
  const loose = found.flatMap(({ bytes }) => bytes ?? []);
  const isSmall = loose.length === found.length && length <= INLINE_BYTES_MAX;
  const writer =
    loose.length === 0 || isSmall
      ? undefined
      : await writeContent(context, space, async filled => {
          for (const bytes of loose) await filled.write(bytes);
        });
  const name = writer?.id ?? '';
  let at = 0;
  const pieces = found.map(({ piece, bytes }) => {
    if (bytes === undefined) return piece;
    const from = at;
    at += bytes.length;
    return { block: piece.block, length: piece.length, content: name, from };
  });
  return { length, pieces, inline: isSmall ? Buffer.concat(loose) : undefined, writer };
}

/** Blocks were put, or the blob was replaced, since they were seen. */
class ChangedMeanwhile extends Error {}

export async function putBlockList(
  context: BlobContext,
  operation: OperationOf<'putBlockList'>,
): Promise<Outcome> {
  checkWhole(operation);
  const space = await openContainer(context, operation.container);
  const stamp = await contend(context, space, operation.blob, own => commitList(own, space, operation));
  return { kind: 'blobPut', stamp, digests: undefined };
}

/** Undefined where others have changed what the list is made from. */
async function commitList(
  context: BlobContext,
  space: Space,
  operation: OperationOf<'putBlockList'>,
): Promise<Stamp | undefined> {
  const { container, blob, conditions, properties, metadata, tags } = operation;
  const seen = await seeBlocks(context, space, blob);
  if (seen === undefined) return undefined;
  const { head, versions } = seen;
  admitCreate(head, conditions, context.clock(), container);
  if (head !== undefined && head.type !== 'BlockBlob') throw new BlobError('InvalidBlobType');
  const find = finder(seen);
  const found = operation.blocks.map(listed => find(listed) ?? missingBlock());
  const { length, pieces, inline, writer } = await assemble(context, space, found);
  const stored = await storePieces(context, space, pieces, writer);
  const content: NewContent = {
    ...EMPTY_CONTENT,
    type: 'BlockBlob',
    length,
    properties,
    metadata,
    tags,
    manifest: stored.manifest,
    pieces: stored.pieces,
    inline,
  };
  const commit = () =>
    replaceBlob(context, space, operation, {
      content,
      mismatch: undefined,
      sharesContents: true,
      check: ({ keys }) => {
        if (versions.some((version, at) => keys[at]?.version !== version)) throw new ChangedMeanwhile();
      },
    });
  return settling([writer, stored.writer], commit).catch((error: unknown) => {
    if (error instanceof ChangedMeanwhile) return undefined;
    throw error;
  });
}

function missingBlock(): never {
  throw new BlobError('InvalidBlockList');
}

export async function getBlockList(
  context: BlobContext,
  operation: OperationOf<'getBlockList'>,
): Promise<Outcome> {
  const { container, blob, snapshot, leaseId, ifTags } = operation;
  const space = await openContainer(context, container);
  const { head, staged, committed } = await contend(context, space, blob, own =>
    snapshot === undefined ? seeBlocks(own, space, blob) : seeSnapshot(own, space, blob, snapshot),
  );
  if (head === undefined && staged.size === 0) throw missingBlob();
  if (head !== undefined) {
    admitRead(head, onlyTags(leaseId, ifTags), snapshot, context.clock(), container);
    if (head.type !== 'BlockBlob') throw new BlobError('InvalidBlobType');
  }
  return {
    kind: 'blocks',
    committedBlob: head && { stamp: stampOf(head), length: head.length },
    committed: operation.committed ? committedBlocks(committed) : undefined,
    uncommitted: operation.uncommitted ? uncommittedBlocks(staged) : undefined,
  };
}

const committedBlocks = (pieces: readonly Piece[]): readonly SeenBlock[] =>
  pieces.filter(({ block }) => block !== '').map(({ block, length }) => ({ id: block, length }));

/**
 * By the bytes of their ids, because Base64 does not keep their order: clients that number blocks in big-endian bytes commit them in the order of the list (protocol:
 * blocks#get-block-list).
 */
const uncommittedBlocks = (staged: SeenBlocks['staged']): readonly SeenBlock[] =>
  [...staged]
    .map(([id, { length }]) => ({ id, length, bytes: Buffer.from(id, 'base64') }))
    .sort((a, b) => Buffer.compare(a.bytes, b.bytes))
    .map(({ id, length }) => ({ id, length }));
