// Syncs to disk what the system may still hold in memory: a file, and the directories that lead to it.
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

/** A power cut loses a new file if its directory was not synced, and a new directory likewise. */
export function syncDirectories(directory: string, created: string | undefined): void {
  if (process.platform === 'win32') return;
  const last = dirname(created ?? directory);
  for (let current = directory; ; current = dirname(current)) {
    syncPath(current, 'r');
    if (current === last || current === dirname(current)) return;
  }
}

/** The same for one existing directory. */
export function syncDirectoryNow(directory: string): void {
  if (process.platform !== 'win32') syncPath(directory, 'r');
}
