// Creates LMDB's lock file with all its bytes on the disk. LMDB creates it as a hole and writes to it as memory: on a
// full disk that ends the process with a bus error, at the opening or when one more reader needs a new block.
import { closeSync, fstatSync, linkSync, openSync, rmSync, statSync, writeSync } from 'node:fs';

/** Leaves an existing file alone: it may be in use. Fails with the system's error if there is no space. */
export function makeLockFile(dataPath: string, bytes: number): void {
  const path = `${dataPath}-lock`;
  if (statSync(path, { throwIfNoEntry: false }) !== undefined) return;
  const own = `${path}.${process.pid}`;
  try {
    writeZeros(own, bytes);
    // A faster process has created the same file.
    linkSync(own, path);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error) || error.code !== 'EEXIST') throw error;
  } finally {
    rmSync(own, { force: true });
  }
}

function writeZeros(path: string, bytes: number): void {
  const file = openSync(path, 'w');
  try {
    const zeros = Buffer.alloc(bytes);
    while (fstatSync(file).size < bytes) writeSync(file, zeros, 0, bytes - fstatSync(file).size);
  } finally {
    closeSync(file);
  }
}
