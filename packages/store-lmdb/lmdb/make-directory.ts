// Makes the directory of a store, with those above it, and fails with what keeps it from being made.
import { lstatSync, mkdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

function firstMissing(path: string): string | undefined {
  let missing: string | undefined;
  for (let at = path; lstatSync(at, { throwIfNoEntry: false }) === undefined; at = dirname(at)) missing = at;
  return missing;
}

/** @returns the first directory that was not there before. Fails with the system's error. */
export function makeDirectory(directory: string): string | undefined {
  try {
    return mkdirSync(directory, { recursive: true });
  } catch (error) {
    const isAbsent = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    const missing = isAbsent ? firstMissing(resolve(directory)) : undefined;
    // Node says ENOENT where the file system is read-only; alone, the first one says why.
    if (missing !== undefined) mkdirSync(missing);
    throw error;
  }
}
