// Files that appear whole under their names: written under another name, synced, renamed, and the directory synced.
import { closeSync, fsyncSync, openSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

export function syncFile(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Gives a complete file its name. */
export function install(from: string, to: string): void {
  syncFile(from);
  renameSync(from, to);
  syncFile(dirname(to));
}

export function installText(path: string, text: string, workPath = `${path}.partial`): void {
  writeFileSync(workPath, text);
  install(workPath, path);
}
