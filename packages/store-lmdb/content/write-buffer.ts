// Buffers in which small pieces of a content are gathered before they are written to its file, used again by other contents.

/** What one call of the system writes: fewer calls than pieces of a socket, and little memory for many uploads at once. */
export const WRITE_BYTES = 256 * 1024;
/** Behind them, for the checksums of a content of up to 126 MiB, which then need no write of their own. */
export const TRAILER_BYTES_MAX = 4096;
/** More than these go to the garbage collector. */
const SPARE_MAX = 16;

const spare: Buffer[] = [];

export function takeBuffer(): Buffer {
  return spare.pop() ?? Buffer.allocUnsafeSlow(WRITE_BYTES + TRAILER_BYTES_MAX);
}

/** Nobody may use it any more. */
export function returnBuffer(buffer: Buffer): void {
  if (spare.length < SPARE_MAX) spare.push(buffer);
}
