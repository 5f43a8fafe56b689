// Reads the blobs of a finished dump from its files, without the tools' code.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Blobs of a dump by name: their bytes. */
export async function dumpedBlobs(
  directory: string,
  container: string,
): Promise<ReadonlyMap<string, Buffer>> {
  const index = await readFile(join(directory, 'blob-containers', container, 'blobs.jsonl'), 'utf8');
  const found = new Map<string, Buffer>();
  for (const line of index.split('\n').slice(0, -1)) {
    const { name, sha256, bytes } = JSON.parse(line) as { name: string; sha256: string; bytes: number };
    assert(!found.has(name), `${name} is there twice`);
    const content = await readFile(join(directory, 'blob-contents', sha256.slice(0, 2), sha256));
    assert.equal(content.length, bytes);
    found.set(name, content);
  }
  return found;
}
