// Makes the directory of a store, with those above it, and fails with what keeps it from being made. Node's own recursive mkdir never ends where a file system answers ENOENT below a directory that is there, as /proc does,
// and says ENOENT where the file system is read-only.
import { lstatSync, mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // What keeps it from being seen keeps it from being made, and mkdir says so.
    return false;
  }
}

const isDirectory = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

/** @returns the first directory that was not there before. Fails with the system's error. */
export function makeDirectory(directory: string): string | undefined {
  const missing: string[] = [];
  for (let at = resolve(directory); !isThere(at); at = dirname(at)) missing.unshift(at);
  const [first] = missing;
  if (first === undefined && !isDirectory(directory)) mkdirSync(directory);
  for (const path of missing) {
    try {
      mkdirSync(path);
    } catch (error) {
      // Somebody else made it meanwhile.
      if (!isDirectory(path)) throw error;
    }
  }
  return first;
}
