// Size limits of a list's rows. A property holds 64 KiB and a row 1 MiB; the space between these limits and ours is for names, keys, bounds and operation ids.

/** Bytes of a list in one property. */
export const PIECE_BYTES = 60 * 1_024;
/** Properties of a row that hold ids. */
export const PIECES = 15;
/** Bytes of ids in the rows of a list. Tests use smaller limits. */
export interface ListLimits {
  /** A list of up to this size is one row; a longer one has chunks. */
  readonly head: number;
  readonly chunk: number;
}

/**
 * A head of 900 KiB. Each id that is added writes its chunk anew, so chunks are smaller than a row could be. A rename that changes two lists writes at most one head for each, as chunks, in
 * one transaction of 4 MiB.
 */
export const LIMITS: ListLimits = { head: PIECES * PIECE_BYTES, chunk: 4 * PIECE_BYTES };

/** Chunks are made half full, so that the next ids do not divide them again. */
export const newChunkBytes = ({ chunk }: ListLimits): number => chunk / 2;
/** A chunk below this is merged with a neighbour, if the two together are at most a new chunk. */
export const smallChunkBytes = ({ chunk }: ListLimits): number => chunk / 4;

/** Digits of a chunk's number in a row key. */
export const CHUNK_DIGITS = 4;
/** Chunks of one list: some 4 GiB of ids if all were full. */
export const CHUNKS_MAX = 9_999;

/** Most bytes of ids that one transaction changes, so that it fits in 4 MiB whatever it splits. */
export const CHANGE_BYTES = 512 * 1_024;
