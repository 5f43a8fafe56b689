// A store's directory: created with its parents, with a lock file that LMDB can use, and synced; and why a directory
// cannot hold a store.
import {
  closeSync,
  fstatSync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import { StoreError } from '#store';
import { codeOf } from './system-call.js';

/** By the system's code; for all others the system's own message has to do. */
const REMEDIES: Readonly<Record<string, string>> = {
  EACCES: 'this user may not write there; change its owner or its rights, or choose another directory',
  EPERM: 'this user may not write there; change its owner or its rights, or choose another directory',
  EROFS: 'its file system is read-only; make it writable, or choose another directory',
  EEXIST: 'it is a file; choose another directory',
  ENOTDIR: 'a part of its path is a file; choose another directory',
  ENOSPC: 'no space is left on its disk; make some, or choose another directory',
  EDQUOT: "this user's quota is used up; raise it, or choose another directory",
};

/** The reason and what its owner can do about it, in one sentence. */
export function unusableDirectory(directory: string, error: unknown): StoreError {
  const words = error instanceof Error ? error.message : String(error);
  const remedy = REMEDIES[String(codeOf(error))];
  const reason = remedy === undefined ? words : `${remedy} (${words}).`;
  return new StoreError('unsupported', `${directory} cannot hold a store: ${reason}`, error);
}

function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // Whatever hides it also makes mkdir fail, with the reason.
    return false;
  }
}

const isDirectory = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

/**
 * Node's own recursive mkdir never ends where a file system answers ENOENT below an existing directory, as /proc does,
 * and reports ENOENT where the file system is read-only.
 *
 * @returns the first directory that was missing. Fails with the system's error, of the actual obstacle.
 */
export function makeDirectory(directory: string): string | undefined {
  const missing: string[] = [];
  for (let at = resolve(directory); !isThere(at); at = dirname(at)) missing.unshift(at);
  const [first] = missing;
  if (first === undefined && !isDirectory(directory)) mkdirSync(directory);
  for (const path of missing) {
    try {
      mkdirSync(path);
    } catch (error) {
      // Another process has created it since.
      if (!isDirectory(path)) throw error;
    }
  }
  return first;
}

/**
 * Creates LMDB's lock file with all its bytes on the disk. LMDB creates it as a hole and writes to it as memory: on a
 * full disk that ends the process with a bus error, at the opening or when one more reader needs a new block. Leaves an
 * existing file alone: it may be in use. Fails with the system's error if there is no space.
 */
export function makeLockFile(dataPath: string, bytes: number): void {
  const path = `${dataPath}-lock`;
  if (statSync(path, { throwIfNoEntry: false }) !== undefined) return;
  const own = `${path}.${process.pid}`;
  try {
    withFile(own, 'w', file => {
      const zeros = Buffer.alloc(bytes);
      while (fstatSync(file).size < bytes) writeSync(file, zeros, 0, bytes - fstatSync(file).size);
    });
    // A faster process has created the same file.
    linkSync(own, path);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  } finally {
    rmSync(own, { force: true });
  }
}

export const syncFile = (path: string): void => withFile(path, 'r+', fsyncSync);

/** A power cut loses a new file if its directory was not synced, and a new directory likewise. */
export function syncDirectories(directory: string, created: string | undefined): void {
  const last = dirname(created ?? directory);
  for (let current = directory; ; current = dirname(current)) {
    syncDirectoryNow(current);
    if (current === last || current === dirname(current)) return;
  }
}

/** The same for one existing directory. */
export function syncDirectoryNow(directory: string): void {
  if (process.platform !== 'win32') withFile(directory, 'r', fsyncSync);
}

function withFile(path: string, flags: string, use: (file: number) => void): void {
  const file = openSync(path, flags);
  try {
    use(file);
  } finally {
    closeSync(file);
  }
}
