// What has arrived of a body and waits for its reader. Pieces of a short body are views of what the socket gave. Those
// of a long one are gathered into large, reused buffers, since each piece costs its reader some 20 us: the reader has a
// piece until it asks for the next one. What waits in a plain socket is read into them directly: Node reads 64 KiB at a
// time, each into new memory, which takes twice as long.
import { readSync } from 'node:fs';
import type { Socket } from 'node:net';
import { PIECE_BYTES, returnBuffer, takeBuffer } from '#base';

/** Bodies of at most this length do without such buffers. */
export const GATHERED_MIN = PIECE_BYTES;

export class ReceivedPieces {
  readonly #isGathered: boolean;
  /** Views, or buffers that are full. */
  #pieces: Buffer[] = [];
  #bytes = 0;
  /** The buffer that is being filled, after the full ones. */
  #filling: Buffer | undefined;
  #filled = 0;
  /** The buffer that the reader has. */
  #lent: Buffer | undefined;

  /** @param length of the body, if known. */
  constructor(length: number | undefined) {
    this.#isGathered = length !== undefined && length > GATHERED_MIN;
  }

  /** Bytes waiting. */
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

  /** Lets `read` put at most this many bytes into the buffer that is being filled. @returns how many it put there. */
  fill(bytesMax: number, read: (into: Buffer, at: number, length: number) => number): number {
    if (!this.#isGathered) return 0;
    const buffer = this.#filling ?? takeBuffer();
    const count = read(buffer, this.#filled, Math.min(bytesMax, PIECE_BYTES - this.#filled));
    this.#bytes += count;
    this.#grow(buffer, count);
    return count;
  }

  /** Joins the pieces after the first ones into one: many small chunks in one packet. */
  join(from: number): void {
    if (!this.#isGathered && this.#pieces.length > from + 1)
      this.#pieces.push(Buffer.concat(this.#pieces.splice(from)));
  }

  /** Ready or not. Its buffer returns to the pool with the next call. */
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

  /** What waits will not be read. */
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

/** Node's maximum per read: after this many there is probably more. */
export const NODE_READS = 65_536;

/**
 * The descriptor, which Node does not document. Undefined under TLS, which does not expose it, and once the socket is
 * closed.
 */
export function descriptorOf(socket: Socket): number | undefined {
  if (process.platform === 'win32' || 'encrypted' in socket) return undefined;
  const handle: unknown = Reflect.get(socket, '_handle');
  const fd: unknown = typeof handle === 'object' && handle !== null ? Reflect.get(handle, 'fd') : undefined;
  return typeof fd === 'number' && fd >= 0 ? fd : undefined;
}

/**
 * Call in the socket's `data` event. Reads at most this many bytes. Returns 0 if nothing waits, if Node has bytes that
 * come first, and at the end or after a failure, which Node reports afterwards.
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
