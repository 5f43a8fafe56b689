// System calls on files as promises, on libuv's threads, and their failures as errors of the store.
import { close, fdatasync, open, opendir, read, rm, rmdir, unlink, write } from 'node:fs';
import { promisify } from 'node:util';
import { StoreError } from '#store';

export const openFile = promisify(open);
export const openDirectory = promisify(opendir);
export const closeFile = promisify(close);
export const readFrom = promisify(read);
const writeTo = promisify(write);
export const syncData = promisify(fdatasync);
export const unlinkFile = promisify(unlink);
export const removeDirectory = promisify(rmdir);
export const removeFile = promisify(rm);

const NO_SPACE: readonly unknown[] = ['ENOSPC', 'EDQUOT', 'EFBIG'];

export function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

export const isAbsent = (error: unknown): boolean => codeOf(error) === 'ENOENT';

export const isNoSpace = (error: unknown): boolean => NO_SPACE.includes(codeOf(error));

/** As the error that the store's callers get. */
export function contentError(error: unknown, path: string): unknown {
  if (error instanceof StoreError || !(error instanceof Error)) return error;
  if (codeOf(error) === undefined) return error;
  if (isNoSpace(error)) return new StoreError('full', `${path}: No space is left on the disk.`, error);
  return new StoreError('busy', `${path}: ${error.message}`, error);
}

/** Writes all of it. */
export async function writeAll(file: number, bytes: Buffer, at: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await writeTo(file, bytes, done, bytes.length - done, at + done);
    done += bytesWritten;
  }
}
