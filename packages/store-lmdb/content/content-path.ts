// Where contents are on disk: one file a content, `contents/<space id>/<content id>` beside the data file, whose bytes are the content's
// and its checksums (content-sums.ts). docs/storage-format.md draws it.
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StoreError } from '#store';
import { syncDirectoryNow, syncFile } from '../lmdb/sync-file.js';

const CONTENTS_NAME = 'contents';
export const PROCESSES_NAME = 'processes';
export const FORMAT_NAME = 'format';
/** Contents have checksums behind their bytes from 2 on. */
const FORMAT = 2;
const FORMATS: readonly string[] = ['1', String(FORMAT)];
/** A content's id begins with that of the process that wrote it. */
export const PROCESS_ID_LENGTH = 14;
const CONTENT_ID = /^[0-9a-z]{1,40}$/;
const SPACE_ID = /^[1-9]\d{0,9}$/;

/** Behind the process's id: a count never begins with it. */
const SUMMED_MARK = '0';

/** The id of the content that a process writes as its `count`th: one with checksums. */
export const newContentId = (process: string, count: number): string =>
  `${process}${SUMMED_MARK}${count.toString(36)}`;

/** Whether the file of a content has checksums behind its bytes. Those of format 1 have none. */
export const isSummed = (id: string): boolean => id[PROCESS_ID_LENGTH] === SUMMED_MARK;

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
  mkdirSync(join(directory, PROCESSES_NAME), { recursive: true });
  if (!existsSync(join(directory, FORMAT_NAME))) writeFormat(directory, isDurable);
  assertFormat(directory);
  // Whoever made it may have been killed before it was durable.
  if (isDurable) for (const changed of [directory, join(directory, '..')]) syncDirectoryNow(changed);
}

/** To be called before the first content of this format is written: an earlier program would take its checksums for bytes of it. */
export function raiseFormat(directory: string, isDurable: boolean): void {
  if (formatOf(join(directory, FORMAT_NAME)) === String(FORMAT)) return;
  writeFormat(directory, isDurable);
  if (isDurable) syncDirectoryNow(directory);
}

/** Under another name first: a power cut leaves any bytes in what is not synced, and a store is not opened with an unknown format. */
function writeFormat(directory: string, isDurable: boolean): void {
  const path = join(directory, FORMAT_NAME);
  const written = `${path}.${process.pid}`;
  rmSync(written, { force: true });
  writeFileSync(written, `${FORMAT}\n`);
  if (isDurable) syncFile(written);
  renameSync(written, path);
}

/** Fails with `unsupported` if a newer version made the directory of all contents. */
export function assertFormat(directory: string): void {
  const text = formatOf(join(directory, FORMAT_NAME));
  // There is none before the first content. Empty it may be where an earlier program was cut off from power as it began, with no content
  // whose writing was answered.
  if (FORMATS.includes(text) || text === '') return;
  const known = `this program knows formats up to ${FORMAT}`;
  throw new StoreError('unsupported', `${directory} has format ${text}; ${known}. Use a newer one.`);
}

const formatOf = (path: string): string => (existsSync(path) ? readFileSync(path, 'latin1').trim() : '');
