// Copies contents into the directory of a backup or of a store that is restored: byte by byte, since a copy that shares its blocks with the
// store would share their damage. All of them, and their names, are on disk before the copy of the data file gets its name.
import { mkdirSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { StoreError } from '#store';
import { contentPath, contentsOf, prepareContents, spacePath } from '../content/content-path.js';
import {
  closeFile,
  codeOf,
  contentError,
  openFile,
  readFrom,
  syncData,
  writeAll,
} from '../content/system-call.js';
import { syncDirectoryNow } from '../lmdb/sync-file.js';
import type { SoundContent } from './check-contents.js';

const PIECE_BYTES = 1024 * 1024;

/** From the store in one directory to that in another one. Nobody removes the contents meanwhile. */
export async function copyContents(
  contents: readonly SoundContent[],
  from: string,
  to: string,
  onProgress: () => void,
): Promise<void> {
  if (contents.length === 0) return;
  const target = contentsOf(to);
  const piece = Buffer.allocUnsafeSlow(PIECE_BYTES);
  try {
    mkdirSync(target, { recursive: true });
    prepareContents(target, true);
    const spaces = new Set(contents.map(({ space }) => spacePath(target, space)));
    for (const space of spaces) mkdirSync(space);
    for (const { space, id } of contents) {
      const [source, copy] = [contentPath(contentsOf(from), space, id), contentPath(target, space, id)];
      if (source !== undefined && copy !== undefined) await copyContent(source, copy, piece, onProgress);
    }
    for (const space of spaces) syncDirectoryNow(space);
    syncDirectoryNow(target);
  } catch (error) {
    throw failure(error, target);
  }
}

async function copyContent(from: string, to: string, piece: Buffer, onProgress: () => void): Promise<void> {
  const source = await openFile(from, 'r');
  try {
    const target = await openFile(to, 'wx', 0o600);
    try {
      for (let at = 0; ; ) {
        const { bytesRead } = await readFrom(source, piece, 0, piece.length, at);
        if (bytesRead === 0) break;
        await writeAll(target, piece.subarray(0, bytesRead), at);
        at += bytesRead;
        onProgress();
      }
      await syncData(target);
    } finally {
      await closeFile(target);
    }
  } finally {
    await closeFile(source);
  }
  await nextTurn();
}

function failure(error: unknown, place: string): unknown {
  if (codeOf(error) === undefined) return error;
  const told = contentError(error, place);
  return told instanceof StoreError ? new StoreError('unsupported', told.message, error) : told;
}
