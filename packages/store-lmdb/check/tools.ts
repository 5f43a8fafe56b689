// What can be done with a store's files apart from serving them: check, backup, restore. A backup is an ordinary store,
// so both copies use the same code. The caller runs the functions that read files in a process of their own, since
// damage may crash it.
//
// A copy of the data file has a temporary name until it is whole and on disk, so a torn copy is never taken for a store,
// and it replaces no file. All contents and their names are on disk before it gets its name.
import { existsSync, linkSync, mkdirSync, readdirSync, renameSync, rmdirSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type EngineTools, type Inspection, type StoreCopy, StoreError, type StoreReport } from '#store';
import { contentPath, contentsOf, prepareContents, spacePath } from '../content/content-path.js';
import { FILE_NAME } from '../environment.js';
import { makeDirectory, syncDirectories, syncDirectoryNow, syncFile } from '../lmdb/directory.js';
import { closeFile, codeOf, contentError, openFile, syncData, writeAll } from '../lmdb/system-call.js';
import { checkFile } from './check.js';
import { CheckedContents, type ContentFile } from './check-contents.js';
import { type Damage, readContent } from './read-content.js';
import { checkSnapshot, copySnapshot, dataFile, withContentsPinned } from './snapshot.js';

/** LMDB's reader slots are dimensioned for this many (environment.ts). */
const WORKERS_MAX = 64;
/** How often a copy reports progress. */
const PROGRESS_MS = 1000;
const PARTIAL_NAME = `${FILE_NAME}.partial`;

export function lmdbTools(place: string): EngineTools {
  const directory = resolve(place);
  return {
    place: directory,
    directory,
    workersMax: WORKERS_MAX,
    check: (inspection, onProgress) => checkSnapshot(directory, inspection, onProgress),
    backup: to => copyOf(directory, to),
    restore: from => copyOf(from, directory),
  };
}

const copyOf = (from: string, to: string): StoreCopy => ({
  prepare: () => prepareCopy(resolve(to)),
  make: (inspection, onProgress) =>
    copyAndCheck(from, join(resolve(to), PARTIAL_NAME), inspection, onProgress),
});

async function copyAndCheck(
  from: string,
  path: string,
  inspection: Inspection,
  onProgress: () => void,
): Promise<StoreReport> {
  const source = dataFile(from);
  return withContentsPinned(source, async () => {
    // The system copies; it has no loop that damage could keep from ending.
    const copying = setInterval(onProgress, PROGRESS_MS);
    try {
      await copySnapshot(from, path);
    } finally {
      clearInterval(copying);
    }
    const copies = new ContentCopies(dirname(path), onProgress);
    const contents = new CheckedContents(contentsOf(dirname(source)), [], content => copies.add(content));
    const report = await checkFile(path, inspection, onProgress, contents);
    if (report.findingCount === 0) copies.finish();
    return report;
  });
}

/** Creates the directory. Fails with `unsupported` if it is not empty or cannot be created or read. */
function prepareCopy(directory: string): ReturnType<StoreCopy['prepare']> {
  /** The outermost directory that was created. */
  let created: string | undefined;
  let names: readonly string[];
  try {
    created = makeDirectory(directory);
    names = readdirSync(directory);
  } catch (error) {
    throw failure(`${directory} cannot be made or read`, error);
  }
  if (names.length > 0) throw new StoreError('unsupported', notEmpty(directory, names));
  const partial = join(directory, PARTIAL_NAME);
  return {
    finish() {
      const path = join(directory, FILE_NAME);
      try {
        syncFile(partial);
        takeName(partial, path);
        syncDirectories(directory, created);
      } catch (error) {
        throw failure(`${path} cannot be put in its place`, error);
      }
    },
    discard() {
      for (const path of [partial, `${partial}-lock`, contentsOf(directory)])
        rmSync(path, { recursive: true, force: true });
      if (created !== undefined) removeDirectories(directory, created);
    },
  };
}

/** As far as no other process has put something there. */
function removeDirectories(inner: string, outer: string): void {
  try {
    for (let current = inner; ; current = dirname(current)) {
      rmdirSync(current);
      if (current === outer) return;
    }
  } catch {}
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

/**
 * Copies contents into the directory of a backup or of a restored store: byte by byte, since a copy that shares blocks
 * with the store would share their damage, and checking checksums on the way. No process may remove them meanwhile.
 */
class ContentCopies {
  readonly #target: string;
  readonly #onProgress: () => void;
  readonly #spaces = new Set<string>();

  constructor(to: string, onProgress: () => void) {
    this.#target = contentsOf(to);
    this.#onProgress = onProgress;
  }

  /** Returns what is wrong with the content: the copy of a damaged one is of no use. */
  async add({ path, space, id }: ContentFile): Promise<Damage | undefined> {
    try {
      const copy = contentPath(this.#target, space, id);
      if (copy === undefined) return undefined;
      this.#prepare(spacePath(this.#target, space));
      const damage = await this.#copy(path, id, copy);
      // Small ones would otherwise follow each other without a turn of the event loop.
      await nextTurn();
      return damage;
    } catch (error) {
      throw copyError(error, this.#target);
    }
  }

  /** Makes their names durable. */
  finish(): void {
    if (this.#spaces.size === 0) return;
    for (const space of [...this.#spaces, this.#target]) syncDirectoryNow(space);
  }

  #prepare(space: string): void {
    if (this.#spaces.has(space)) return;
    if (this.#spaces.size === 0) {
      mkdirSync(this.#target, { recursive: true });
      prepareContents(this.#target, true);
    }
    mkdirSync(space);
    this.#spaces.add(space);
  }

  async #copy(from: string, id: string, to: string): Promise<Damage | undefined> {
    const target = await openFile(to, 'wx', 0o600);
    try {
      const damage = await readContent(from, id, async (piece, at) => {
        await writeAll(target, piece, at);
        this.#onProgress();
      });
      if (damage === undefined) await syncData(target);
      return damage;
    } finally {
      await closeFile(target);
    }
  }
}

function copyError(error: unknown, place: string): unknown {
  if (codeOf(error) === undefined) return error;
  const told = contentError(error, place);
  return told instanceof StoreError ? new StoreError('unsupported', told.message, error) : told;
}
