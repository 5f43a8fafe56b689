// A dump into a container: made in a local directory, from which --resume continues, then uploaded, and last of all
// SHA256SUMS, without which it is unfinished.
import { createHash } from 'node:crypto';
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { ToolContext } from '../run/context.js';
import { inParallel } from '../run/in-parallel.js';
import { makeDirectory } from '../run/make-directory.js';
import { ToolError } from '../source/tool-error.js';
import type { ContainerFiles } from './container-files.js';
import { FolderFiles } from './dump-files.js';
import { MANIFEST_PATH, SUMS_PATH } from './manifest.js';

/** Different for each place: a resumed dump finds its own. */
const workOf = ({ name }: ContainerFiles): string =>
  join(tmpdir(), `shelfmark-dump-${createHash('sha256').update(name).digest('hex').slice(0, 16)}`);

/** @param dumpTo makes the dump in a directory. @throws ToolError */
export async function dumpToContainer<T>(
  files: ContainerFiles,
  resume: boolean,
  dumpTo: (directory: string) => Promise<T>,
  { parallel, source }: ToolContext,
): Promise<T> {
  const directory = workOf(files);
  const isFinished = await files.has(SUMS_PATH);
  const there = await files.paths();
  if (!resume && there.length > 0)
    throw new ToolError(
      'conflict',
      `${files.name} is not empty: give another folder of it${isFinished ? '' : ', or go on with --resume'}.`,
    );
  if (isFinished) return lookAt(files, dumpTo);
  // In a place that all users of the machine share.
  makeDirectory(directory, 0o700);
  const result = await dumpTo(directory);
  const paths = (await new FolderFiles(directory).paths()).filter(path => path !== SUMS_PATH);
  const wanted = new Set(paths);
  await inParallel(paths, parallel, async path => {
    source.signal?.throwIfAborted();
    await files.put(path, join(directory, path));
  });
  // Files that a killed run uploaded and that are now obsolete.
  for (const path of there) if (!wanted.has(path)) await files.remove(path);
  await files.put(SUMS_PATH, join(directory, SUMS_PATH));
  rmSync(directory, { recursive: true, force: true });
  return result;
}

/**
 * A finished dump is not started again: its manifest alone shows whether it is this one. Uses a directory of its own,
 * which no other run resumes.
 */
async function lookAt<T>(files: ContainerFiles, dumpTo: (directory: string) => Promise<T>): Promise<T> {
  const directory = mkdtempSync(join(tmpdir(), 'shelfmark-look-'));
  try {
    for (const path of [MANIFEST_PATH, SUMS_PATH])
      await pipeline(files.pieces(path), createWriteStream(join(directory, path)));
    return await dumpTo(directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
