// What came of a body and waits for its reader. Pieces of a short body are views of what the socket gave. Those of a long one are gathered into large buffers
// that are used again, since each piece costs its reader some 20 us: the reader has a piece until it asks for the next one. What waits in a plain socket is
// read into them directly: node reads 64 KiB at a time, each into new memory, which takes twice as long.
import { readSync } from 'node:fs';
import type { Socket } from 'node:net';
import { PIECE_BYTES, returnBuffer, takeBuffer } from '#base';

/** A body of this length or a shorter one is read without such buffers. */
export const GATHERED_MIN = PIECE_BYTES;

export class ReceivedPieces {
  readonly #isGathered: boolean;
  /** Views, or buffers that are full. */
  #pieces: Buffer[] = [];
  #bytes = 0;
  /** The buffer that is being filled, behind the full ones. */
  #filling: Buffer | undefined;
  #filled = 0;
  /** What the reader has. */
  #lent: Buffer | undefined;

  /** @param length of the body, where it is known. */
  constructor(length: number | undefined) {
    this.#isGathered = length !== undefined && length > GATHERED_MIN;
  }

  /** That wait. */
  get bytes(): number {
    return this.#bytes;
  }

  get count(): number {
    return this.#pieces.length;
  }

  /** The next piece will not grow. */
  get isReady(): boolean {
    return this.#pieces.length > 0;
  }

  append(piece: Buffer): void {
    this.#bytes += piece.length;
    if (!this.#isGathered) {
      this.#pieces.push(piece);
      return;
    }
    for (let at = 0; at < piece.length; ) {
      const buffer = this.#filling ?? takeBuffer();
      const copied = piece.copy(buffer, this.#filled, at, at + PIECE_BYTES - this.#filled);
      at += copied;
      this.#grow(buffer, copied);
    }
  }

  /** Lets `read` put bytes into the buffer that is being filled, at most so many. @returns how many it put there. */
  fill(bytesMax: number, read: (into: Buffer, at: number, length: number) => number): number {
    if (!this.#isGathered) return 0;
    const buffer = this.#filling ?? takeBuffer();
    const count = read(buffer, this.#filled, Math.min(bytesMax, PIECE_BYTES - this.#filled));
    this.#bytes += count;
    this.#grow(buffer, count);
    return count;
  }

  /** Makes one piece of those behind the first so many: many small chunks in one packet. */
  join(from: number): void {
    if (!this.#isGathered && this.#pieces.length > from + 1)
      this.#pieces.push(Buffer.concat(this.#pieces.splice(from)));
  }

  /** Ready or not. What was taken before is the buffers' again. */
  take(): Buffer | undefined {
    this.giveBack();
    const piece = this.#pieces.shift();
    if (piece !== undefined) return this.#lend(piece, this.#isGathered ? PIECE_BYTES : piece.length);
    const filling = this.#filling;
    if (filling === undefined || this.#filled === 0) return undefined;
    const filled = this.#filled;
    this.#filling = undefined;
    this.#filled = 0;
    return this.#lend(filling, filled);
  }

  /** The reader is done with what it took last. */
  giveBack(): void {
    if (this.#lent !== undefined) returnBuffer(this.#lent);
    this.#lent = undefined;
  }

  /** Nobody will read what waits. */
  clear(): void {
    if (this.#isGathered) for (const buffer of this.#pieces) returnBuffer(buffer);
    if (this.#filling !== undefined) returnBuffer(this.#filling);
    this.#pieces = [];
    this.#filling = undefined;
    this.#filled = 0;
    this.#bytes = 0;
  }

  #grow(buffer: Buffer, count: number): void {
    this.#filled += count;
    this.#filling = buffer;
    if (this.#filled < PIECE_BYTES) return;
    this.#pieces.push(buffer);
    this.#filling = undefined;
    this.#filled = 0;
  }

  #lend(buffer: Buffer, length: number): Buffer {
    this.#bytes -= length;
    if (this.#isGathered) this.#lent = buffer;
    return this.#isGathered ? buffer.subarray(0, length) : buffer;
  }
}

/** What node reads at most: behind as much there is likely more. */
export const NODE_READS = 65_536;

/** The descriptor, which node does not document. Undefined under TLS, where the system does not tell it, and once the socket is closed. */
export function descriptorOf(socket: Socket): number | undefined {
  if (process.platform === 'win32' || 'encrypted' in socket) return undefined;
  const handle: unknown = Reflect.get(socket, '_handle');
  const fd: unknown = typeof handle === 'object' && handle !== null ? Reflect.get(handle, 'fd') : undefined;
  return typeof fd === 'number' && fd >= 0 ? fd : undefined;
}

/**
 * To be called in the socket's event of data. Reads at most so many bytes, and 0 where nothing waits, where node has bytes that come first, and at the end or
 * after a failure, which node tells afterwards.
 */
export function readWaiting(socket: Socket, into: Buffer, at: number, length: number): number {
  const fd = socket.readableLength === 0 ? descriptorOf(socket) : undefined;
  if (fd === undefined) return 0;
  try {
    return readSync(fd, into, at, length, null);
  } catch {
    return 0;
  }
}
