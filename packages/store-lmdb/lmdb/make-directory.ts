// Creates a store's directory with its parents, and fails with the actual obstacle. Node's own recursive mkdir never
// ends where a file system answers ENOENT below an existing directory, as /proc does, and reports ENOENT where the file
// system is read-only.
import { lstatSync, mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

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

/** @returns the first directory that was missing. Fails with the system's error. */
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
