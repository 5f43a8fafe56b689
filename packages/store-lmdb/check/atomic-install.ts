// The atomic install of a copied data file, next to contents that are already there: the copy has a temporary name
// until it is whole and on disk, so a torn copy is never taken for a store, and it replaces no file. The caller makes
// the copy.
import { existsSync, linkSync, readdirSync, renameSync, rmdirSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { StoreError } from '#store';
import { contentsOf } from '../content/content-path.js';
import { FILE_NAME } from '../environment.js';
import { makeDirectory, syncDirectories, syncFile } from '../lmdb/directory.js';

const PARTIAL_NAME = `${FILE_NAME}.partial`;

/** The temporary path of a copy to be installed in the directory. */
export const partialPathIn = (directory: string): string => join(resolve(directory), PARTIAL_NAME);

export class AtomicInstall {
  readonly directory: string;
  /** The path to write the copy to; nothing exists there yet. */
  readonly partialPath: string;
  /** The outermost directory that the constructor created. */
  readonly #created: string | undefined;

  /** Creates the directory. Fails with `unsupported` if it is not empty or cannot be created or read. */
  constructor(directory: string) {
    this.directory = resolve(directory);
    this.partialPath = partialPathIn(directory);
    let names: readonly string[];
    try {
      this.#created = makeDirectory(this.directory);
      names = readdirSync(this.directory);
    } catch (error) {
      throw failure(`${this.directory} cannot be made or read`, error);
    }
    if (names.length > 0) throw new StoreError('unsupported', notEmpty(this.directory, names));
  }

  /** Syncs the copy, then renames it. */
  finish(): void {
    const path = join(this.directory, FILE_NAME);
    try {
      syncFile(this.partialPath);
      takeName(this.partialPath, path);
      syncDirectories(this.directory, this.#created);
    } catch (error) {
      throw failure(`${path} cannot be put in its place`, error);
    }
  }

  /** Removes the copy and the directories that the constructor created, as far as possible. */
  discard(): void {
    rmSync(this.partialPath, { force: true });
    rmSync(`${this.partialPath}-lock`, { force: true });
    rmSync(contentsOf(this.directory), { recursive: true, force: true });
    if (this.#created === undefined) return;
    try {
      for (let current = this.directory; ; current = dirname(current)) {
        rmdirSync(current);
        if (current === this.#created) return;
      }
    } catch {
      // Another process has put something there.
    }
  }
}

function notEmpty(directory: string, names: readonly string[]): string {
  if (!names.includes(PARTIAL_NAME))
    return `${directory} is not empty: choose a directory that is, or a new one.`;
  return `${directory} holds ${PARTIAL_NAME} of a copy that is under way or was interrupted: remove it, or choose another directory.`;
}

function failure(what: string, error: unknown): StoreError {
  return new StoreError(
    'unsupported',
    `${what}: ${error instanceof Error ? error.message : String(error)}`,
    error,
  );
}

/** Fails if another process has created a file of that name since; a rename would replace that file. */
function takeName(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch (error) {
    if (existsSync(to)) throw error;
    // A file system without links.
    renameSync(from, to);
    return;
  }
  rmSync(from);
}
