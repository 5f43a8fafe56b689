// Reusable buffers for pieces of long bodies and contents: memory outside of V8's heap returns late when it is left to
// the collector, and allocating this size costs more than a copy into existing memory.

/**
 * What one system call writes, and a reader of a body gets at a time: fewer calls than a socket has pieces, and little
 * memory for many concurrent uploads.
 */
export const PIECE_BYTES = 256 * 1024;
/**
 * Extra space in each buffer, for what is added to the last piece: the checksums of a content of up to 126 MiB then
 * need no separate write.
 */
export const ADDED_BYTES_MAX = 4096;
/** More than these go to the garbage collector. */
const SPARE_MAX = 32;

const spare: Buffer[] = [];

export function takeBuffer(): Buffer {
  return spare.pop() ?? Buffer.allocUnsafeSlow(PIECE_BYTES + ADDED_BYTES_MAX);
}

/** The buffer must not be used any more. */
export function returnBuffer(buffer: Buffer): void {
  if (spare.length < SPARE_MAX) spare.push(buffer);
}
