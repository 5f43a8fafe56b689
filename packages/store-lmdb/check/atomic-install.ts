// Puts a copy of a data file in its place: under another name until it is whole and on disk, so that a torn one is never
// taken for a store, and never over a file that is there. What the copy is made of is the caller's affair.
import { existsSync, linkSync, readdirSync, renameSync, rmdirSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { StoreError } from '#store';
import { FILE_NAME } from '../environment.js';
import { makeDirectory } from '../lmdb/make-directory.js';
import { syncDirectories, syncFile } from '../lmdb/sync-file.js';

const PARTIAL_NAME = `${FILE_NAME}.partial`;

/** Where a copy is to be written that is to be placed in the directory. */
export const partialPathIn = (directory: string): string => join(resolve(directory), PARTIAL_NAME);

export class AtomicInstall {
  readonly directory: string;
  /** Where the copy is to be written; nothing is there yet. */
  readonly partialPath: string;
  /** The outermost directory that was made for it. */
  readonly #created: string | undefined;

  /** Makes the directory. Fails with `unsupported` if it is not empty or cannot be had. */
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

  /** Gives the copy its name, once it is on disk. */
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

  /** Leaves nothing behind of what was made, as far as it can be removed. */
  discard(): void {
    rmSync(this.partialPath, { force: true });
    rmSync(`${this.partialPath}-lock`, { force: true });
    if (this.#created === undefined) return;
    try {
      for (let current = this.directory; ; current = dirname(current)) {
        rmdirSync(current);
        if (current === this.#created) return;
      }
    } catch {
      // Somebody else has put something there.
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

/** A link fails if somebody has made a file of that name meanwhile; renaming would write over it. */
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
