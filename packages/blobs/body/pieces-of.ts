// The list of pieces of a block blob, from its head or from its manifest. Manifests never change, so the last ones are kept.
import type { ContentStore, ContentWriter, Space } from '#store';
import type { BlobContext } from '../blob-context.js';
import { decodeManifest, encodeManifest, type Head, type Manifest, type Piece } from '../rows/head.js';
import { writeContent } from './receive.js';

/** A longer list is a content of its own, so that heads stay small. */
const LISTED_MAX = 32;
const KEPT_MAX = 8;

const kept = new WeakMap<ContentStore, Map<string, readonly Piece[]>>();

function cachedLists(content: ContentStore): Map<string, readonly Piece[]> {
  const own = kept.get(content) ?? new Map<string, readonly Piece[]>();
  kept.set(content, own);
  return own;
}

export async function piecesOf(content: ContentStore, space: Space, head: Head): Promise<readonly Piece[]> {
  const { manifest } = head;
  if (manifest === undefined) return head.pieces;
  const lists = cachedLists(content);
  const found = lists.get(manifest.content);
  if (found !== undefined) return found;
  const pieces = decodeManifest(await readWhole(content, space, manifest));
  const oldest = lists.keys().next().value;
  if (lists.size >= KEPT_MAX && oldest !== undefined) lists.delete(oldest);
  lists.set(manifest.content, pieces);
  return pieces;
}

async function readWhole(content: ContentStore, space: Space, manifest: Manifest): Promise<Buffer> {
  const read: Buffer[] = [];
  for await (const piece of content.read(space, manifest.content, 0, manifest.bytes)) read.push(piece);
  return Buffer.concat(read);
}

interface StoredPieces {
  readonly pieces: readonly Piece[];
  readonly manifest: Manifest | undefined;
  /** Of the manifest: finished. */
  readonly writer: ContentWriter | undefined;
}

/** Writes the manifest of a long list. `behind`: a content of the list that nothing names yet, and that is given up if this fails. */
export async function storePieces(
  context: Pick<BlobContext, 'content'>,
  space: Space,
  pieces: readonly Piece[],
  behind: ContentWriter | undefined,
): Promise<StoredPieces> {
  if (pieces.length <= LISTED_MAX) return { pieces, manifest: undefined, writer: undefined };
  const bytes = encodeManifest(pieces);
  const writer = await writeContent(context, space, filled => filled.write(bytes)).catch(
    async (error: unknown) => {
      await behind?.discard();
      throw error;
    },
  );
  return { pieces: [], manifest: { content: writer.id, bytes: bytes.length }, writer };
}
