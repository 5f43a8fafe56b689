// Where contents are on disk: one file per content, `contents/<space id>/<content id>` next to the data file, holding
// the content's bytes and their checksums (content-sums.ts). docs/storage-format.md draws it.
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StoreError } from '#store';
import { syncDirectoryNow, syncFile } from '../lmdb/directory.js';

const CONTENTS_NAME = 'contents';
export const PROCESSES_NAME = 'processes';
export const FORMAT_NAME = 'format';
const FORMAT = '2';
/** A content's id begins with that of the process that wrote it. */
export const PROCESS_ID_LENGTH = 14;
const CONTENT_ID = /^[0-9a-z]{1,40}$/;
const SPACE_ID = /^[1-9]\d{0,9}$/;

/** The id of the `count`th content that a process writes. */
export const newContentId = (process: string, count: number): string => `${process}0${count.toString(36)}`;

/** The directory of all contents of the store in `directory`. */
export const contentsOf = (directory: string): string => join(directory, CONTENTS_NAME);

/** Undefined for an id that this engine never issues: a row may be damaged. */
export function contentPath(directory: string, space: number, id: string): string | undefined {
  return CONTENT_ID.test(id) ? join(spacePath(directory, space), id) : undefined;
}

/** `directory` holds all contents. */
export const spacePath = (directory: string, space: number): string => join(directory, String(space));

/** The space that a directory's name stands for; undefined for any other name. */
export const spaceOf = (name: string): number | undefined => (SPACE_ID.test(name) ? Number(name) : undefined);

export const isContentId = (name: string): boolean => CONTENT_ID.test(name);

/**
 * Creates the directory of all contents, durably if asked for. Fails with `unsupported` if another version created it.
 */
export function prepareContents(directory: string, isDurable: boolean): void {
  mkdirSync(join(directory, PROCESSES_NAME), { recursive: true });
  if (!existsSync(join(directory, FORMAT_NAME))) writeFormat(directory, isDurable);
  assertFormat(directory);
  // The process that created it may have been killed before it was durable.
  if (isDurable) for (const changed of [directory, join(directory, '..')]) syncDirectoryNow(changed);
}

/**
 * Writes under another name first: a power cut leaves arbitrary bytes in an unsynced file, and a store with an unknown
 * format does not open.
 */
function writeFormat(directory: string, isDurable: boolean): void {
  const path = join(directory, FORMAT_NAME);
  const written = `${path}.${process.pid}`;
  rmSync(written, { force: true });
  writeFileSync(written, `${FORMAT}\n`);
  if (isDurable) syncFile(written);
  renameSync(written, path);
}

/** Fails with `unsupported` if another version created the directory of all contents. */
export function assertFormat(directory: string): void {
  const path = join(directory, FORMAT_NAME);
  // It does not exist before the first content.
  const text = existsSync(path) ? readFileSync(path, 'latin1').trim() : '';
  if (text === FORMAT || text === '') return;
  throw new StoreError(
    'unsupported',
    `${directory} has format ${text}; this program knows format ${FORMAT}. Use the version that wrote it.`,
  );
}
