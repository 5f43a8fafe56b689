// Translates LMDB's failures into errors of the store contract. The commit queue decides what a failure means for the
// commits that shared a transaction.
import { StoreError, type StoreErrorCode } from '#store';

// lmdb.h, "Return Codes", and errno of the systems that Node runs on.
const CODES: ReadonlyMap<number, StoreErrorCode> = new Map([
  [-30799, 'corrupt'], // MDB_KEYEXIST from an append that was not one.
  [-30797, 'corrupt'], // MDB_PAGE_NOTFOUND
  [-30796, 'corrupt'], // MDB_CORRUPTED
  [-30795, 'closed'], // MDB_PANIC: a write of the meta page failed; nothing works until the file is opened again.
  [-30794, 'unsupported'], // MDB_VERSION_MISMATCH
  [-30793, 'corrupt'], // MDB_INVALID
  [-30792, 'full'], // MDB_MAP_FULL
  [-30788, 'full'], // MDB_TXN_FULL
  [-30785, 'unsupported'], // MDB_INCOMPATIBLE
  [27, 'full'], // EFBIG: a limit on the size of files.
  [28, 'full'], // ENOSPC
  [69, 'full'], // EDQUOT of macOS
  [122, 'full'], // EDQUOT of Linux
]);

/** A `StoreError` of the engine itself, not of a caller's function that it ran. */
export class EngineError extends StoreError {}

/** The failure as an `EngineError`; unchanged if it did not come from LMDB, which makes it a bug. */
export function engineError(error: unknown, path: string): unknown {
  if (error instanceof StoreError || !(error instanceof Error)) return error;
  if (!('code' in error) || typeof error.code !== 'number') return error;
  return new EngineError(CODES.get(error.code) ?? 'busy', `${path}: ${error.message}`, error);
}

/**
 * Call before reading a failed transaction's reason in a later turn or elsewhere: `lmdb` rejects that promise at once,
 * and Node.js ends a process if a rejected promise has no handler by the end of the turn.
 */
export function keepCommitError(error: unknown): void {
  if (error instanceof Error && 'commitError' in error)
    Promise.resolve(error.commitError).catch(() => undefined);
}

/** The reason of a failed transaction: `lmdb` provides it as a promise that rejects with it. */
export async function commitError(error: unknown, path: string): Promise<unknown> {
  if (!(error instanceof Error) || !('commitError' in error)) return engineError(error, path);
  try {
    await error.commitError;
  } catch (reason) {
    return engineError(reason, path);
  }
  return new EngineError('busy', `${path}: ${error.message}`, error);
}
