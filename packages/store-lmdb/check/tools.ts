// What can be done with a store's files apart from serving them: check, backup, restore. A backup is an ordinary store,
// so both copies use the same code. The caller runs the functions that read files in a process of their own, since
// damage may crash it.
//
// A copy of the data file has a temporary name until it is whole and on disk, so a torn copy is never taken for a store,
// and it replaces no file. All contents and their names are on disk before it gets its name (copy-contents.ts).
import { existsSync, linkSync, readdirSync, renameSync, rmdirSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type EngineTools, type Inspection, type StoreCopy, StoreError, type StoreReport } from '#store';
import { contentsOf } from '../content/content-path.js';
import { FILE_NAME } from '../environment.js';
import { makeDirectory, syncDirectories, syncFile } from '../lmdb/directory.js';
import { checkFile } from './check.js';
import { CheckedContents } from './check-contents.js';
import { ContentCopies } from './copy-contents.js';
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
