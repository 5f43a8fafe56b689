// Buffers for pieces of long bodies and contents, used again and again: memory outside of V8's heap comes back late when it is left to the
// collector, and fresh memory of this size costs more than a copy into memory that is there.

/** What one call of the system writes, and a reader of a body gets at a time: fewer calls than pieces of a socket, and little memory for many uploads at once. */
export const PIECE_BYTES = 256 * 1024;
/** Behind it in each buffer, for what is added to the last piece: the checksums of a content of up to 126 MiB then need no write of their own. */
export const ADDED_BYTES_MAX = 4096;
/** More than these go to the garbage collector. */
const SPARE_MAX = 32;

const spare: Buffer[] = [];

export function takeBuffer(): Buffer {
  return spare.pop() ?? Buffer.allocUnsafeSlow(PIECE_BYTES + ADDED_BYTES_MAX);
}

/** Nobody may use it any more. */
export function returnBuffer(buffer: Buffer): void {
  if (spare.length < SPARE_MAX) spare.push(buffer);
}
