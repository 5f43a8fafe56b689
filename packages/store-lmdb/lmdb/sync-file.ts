// Puts on disk what the system may still hold in memory: a file, and the directories by which it is found.
import { closeSync, fsyncSync, openSync } from 'node:fs';
import { dirname } from 'node:path';

function syncPath(path: string, flags: string): void {
  const file = openSync(path, flags);
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

export function syncFile(path: string): void {
  syncPath(path, 'r+');
}

/** A new file is lost in a power cut if the directory does not know it, and a new directory likewise. */
export function syncDirectories(directory: string, created: string | undefined): void {
  if (process.platform === 'win32') return;
  const last = dirname(created ?? directory);
  for (let current = directory; ; current = dirname(current)) {
    syncPath(current, 'r');
    if (current === last || current === dirname(current)) return;
  }
}

/** The same for one directory that is there. */
export function syncDirectoryNow(directory: string): void {
  if (process.platform !== 'win32') syncPath(directory, 'r');
}
