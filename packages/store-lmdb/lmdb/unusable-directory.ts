// Why a directory cannot hold a store, and what its owner can do about it, in one sentence.
import { StoreError } from '#store';

/** By the system's code; for all others the system's own message has to do. */
const REMEDIES: Readonly<Record<string, string>> = {
  EACCES: 'this user may not write there; change its owner or its rights, or choose another directory',
  EPERM: 'this user may not write there; change its owner or its rights, or choose another directory',
  EROFS: 'its file system is read-only; make it writable, or choose another directory',
  EEXIST: 'it is a file; choose another directory',
  ENOTDIR: 'a part of its path is a file; choose another directory',
  ENOSPC: 'no space is left on its disk; make some, or choose another directory',
  EDQUOT: "this user's quota is used up; raise it, or choose another directory",
};

export function unusableDirectory(directory: string, error: unknown): StoreError {
  const words = error instanceof Error ? error.message : String(error);
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const remedy = REMEDIES[code];
  const reason = remedy === undefined ? words : `${remedy} (${words}).`;
  return new StoreError('unsupported', `${directory} cannot hold a store: ${reason}`, error);
}
