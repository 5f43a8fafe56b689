// Shorthands of the contents' laws: bytes that encode their position, and a content written and read in one call.
import assert from 'node:assert/strict';
import { until } from '#base/testing/until';
import type { ContentStore, ContentWriter } from '../content.js';
import type { Space } from '../store.js';
import { StoreError } from '../store-error.js';

/** Bytes with a long period, so that no piece equals another one. */
export function bytesOf(length: number, seed = 1): Buffer {
  const words = new Uint32Array(Math.ceil(length / 4));
  let state = seed;
  for (let index = 0; index < words.length; index += 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    words[index] = state;
  }
  return Buffer.from(words.buffer, 0, length);
}

/** Finished, in pieces of this many bytes; not released. */
export async function written(
  content: ContentStore,
  space: Space,
  bytes: Buffer,
  pieceBytes = 100_000,
): Promise<ContentWriter> {
  const writer = await content.create(space);
  for (let at = 0; at < bytes.length; at += pieceBytes)
    await writer.write(bytes.subarray(at, at + pieceBytes));
  await writer.finish();
  return writer;
}

/** The id of a content that is finished and released. */
export async function put(content: ContentStore, space: Space, bytes: Buffer): Promise<string> {
  const writer = await written(content, space, bytes);
  writer.release();
  return writer.id;
}

export async function readAll(
  content: ContentStore,
  space: Space,
  id: string,
  from: number,
  until: number,
): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of content.read(space, id, from, until)) pieces.push(piece);
  return Buffer.concat(pieces);
}

export async function idsOf(content: ContentStore, space: Space): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of content.list(space)) ids.push(id);
  return ids.toSorted();
}

/** Asserts that a content is gone, which a drop achieves in the background. */
export async function assertGone(content: ContentStore, space: Space, id: string): Promise<void> {
  await until(`the content ${id} is gone`, async () => {
    try {
      await readAll(content, space, id, 0, 1);
    } catch (error) {
      assert(isMissing(error), String(error));
      return true;
    }
    return false;
  });
}

export const isMissing = (error: unknown): boolean => error instanceof StoreError && error.code === 'corrupt';
