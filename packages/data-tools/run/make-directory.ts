// Creates a directory with its parents: one at a time, since Node's own recursive mkdir never ends where a file system
// answers ENOENT below an existing directory, as /proc does.
import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { systemCodeOf } from '../source/tool-error.js';

/** Fails with the system's error. */
export function makeDirectory(path: string, mode?: number): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    if (systemCodeOf(error) !== 'ENOENT' || existsSync(dirname(path))) throw error;
    makeDirectory(dirname(path), mode);
    mkdirSync(path, { mode });
  }
}
