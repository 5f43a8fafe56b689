// Store failures: the closed set of an engine's errors. "Not found" and a domain's refusal are not among them.

/**
 * - `conflict`: concurrent commits kept changing the partition, and the engine aborted; nothing was changed.
 * - `busy`: the engine cannot do it now, or could not find out whether it was done.
 * - `full`: no space left; nothing was changed, reads and deletes still work.
 * - `tooLarge`: a commit has more bytes than the engine takes at once; nothing was changed.
 * - `closed`: the store is closed or closing.
 * - `corrupt`: bytes on disk break the format; the message names the place.
 * - `unsupported`: the engine or its version of the format cannot do this.
 */
export type StoreErrorCode = 'conflict' | 'busy' | 'full' | 'closed' | 'tooLarge' | 'corrupt' | 'unsupported';

export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly code: StoreErrorCode;

  constructor(code: StoreErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}
