// Brings a subject's files into the system's memory. Some systems evict pages that were not used for a while, although
// there is memory to spare; a run would then measure the disk, and not the subject.
import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

const BLOCK_BYTES = 0x400000;

/** Reads every file of the directory once; returns the number of bytes. */
export async function warm(directory: string): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const blocks = createReadStream(join(directory, entry.name), { highWaterMark: BLOCK_BYTES });
    for await (const block of blocks) bytes += (block as Buffer).length;
  }
  return bytes;
}
