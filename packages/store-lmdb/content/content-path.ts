// Where contents are on disk: one file a content, `contents/<space id>/<content id>` beside the data file, whose bytes are the content's
// and no others. docs/storage-format.md draws it.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StoreError } from '#store';
import { syncDirectoryNow, syncFile } from '../lmdb/sync-file.js';

const CONTENTS_NAME = 'contents';
export const PROCESSES_NAME = 'processes';
export const FORMAT_NAME = 'format';
const FORMAT = 1;
/** A content's id begins with that of the process that wrote it. */
export const PROCESS_ID_LENGTH = 14;
const CONTENT_ID = /^[0-9a-z]{1,40}$/;
const SPACE_ID = /^[1-9]\d{0,9}$/;

/** The directory of all contents, of the store in a directory. */
export const contentsOf = (directory: string): string => join(directory, CONTENTS_NAME);

/** Undefined for what is no id that this engine gives: a row may be damaged. */
export function contentPath(directory: string, space: number, id: string): string | undefined {
  return CONTENT_ID.test(id) ? join(spacePath(directory, space), id) : undefined;
}

/** `directory` is that of all contents. */
export const spacePath = (directory: string, space: number): string => join(directory, String(space));

/** The space that a directory's name stands for; undefined for any other name. */
export const spaceOf = (name: string): number | undefined => (SPACE_ID.test(name) ? Number(name) : undefined);

export const isContentId = (name: string): boolean => CONTENT_ID.test(name);

/** Makes the directory of all contents, durably if asked for. Fails with `unsupported` if a newer version made it. */
export function prepareContents(directory: string, isDurable: boolean): void {
  const path = join(directory, FORMAT_NAME);
  mkdirSync(join(directory, PROCESSES_NAME), { recursive: true });
  if (!existsSync(path)) {
    writeFileSync(path, `${FORMAT}\n`);
    if (isDurable) syncFile(path);
  }
  assertFormat(directory);
  // Whoever made it may have been killed before it was durable.
  if (isDurable) for (const changed of [directory, join(directory, '..')]) syncDirectoryNow(changed);
}

/** Fails with `unsupported` if a newer version made the directory of all contents. */
export function assertFormat(directory: string): void {
  const path = join(directory, FORMAT_NAME);
  const text = existsSync(path) ? readFileSync(path, 'latin1').trim() : '';
  // A power cut may have left it empty, with no content whose writing was answered.
  if (text === String(FORMAT) || text === '') return;
  const known = `this program knows formats up to ${FORMAT}`;
  throw new StoreError('unsupported', `${directory} has format ${text}; ${known}. Use a newer one.`);
}
