// What has arrived of a body and waits for its reader, in large, reused buffers however small its packets are, since each
// piece costs its reader some 20 us: the reader has a piece until it asks for the next one. What waits in a plain socket is
// read into them directly: Node reads 64 KiB at a time, each into new memory, which takes twice as long.
import { readSync } from 'node:fs';
import type { Socket } from 'node:net';
import { PIECE_BYTES, returnBuffer, takeBuffer } from '#base';

export class ReceivedPieces {
  readonly #full: Buffer[] = [];
  /** The buffer that is being filled, after the full ones. */
  #filling: Buffer | undefined;
  #filled = 0;
  /** The buffer that the reader has. */
  #lent: Buffer | undefined;

  /** Bytes waiting. */
  get bytes(): number {
    return this.#full.length * PIECE_BYTES + this.#filled;
  }

  /** The next piece will not grow. */
  get isReady(): boolean {
    return this.#full.length > 0;
  }

  append(piece: Buffer): void {
    for (let at = 0; at < piece.length; )
      at += this.#grow(piece.copy(this.#open(), this.#filled, at, at + PIECE_BYTES - this.#filled));
  }

  /** Lets `read` put at most this many bytes into the buffer that is being filled. @returns how many it put there. */
  fill(bytesMax: number, read: (into: Buffer, at: number, length: number) => number): number {
    return this.#grow(read(this.#open(), this.#filled, Math.min(bytesMax, PIECE_BYTES - this.#filled)));
  }

  /** Ready or not. Its buffer returns to the pool with the next call. */
  take(): Buffer | undefined {
    this.giveBack();
    const full = this.#full.shift();
    this.#lent = full ?? this.#filling;
    const piece = this.#lent?.subarray(0, full ? PIECE_BYTES : this.#filled);
    if (full === undefined) this.#restart();
    return piece?.length === 0 ? undefined : piece;
  }

  /** The reader is done with what it took last. */
  giveBack(): void {
    if (this.#lent !== undefined) returnBuffer(this.#lent);
    this.#lent = undefined;
  }

  /** What waits will not be read. */
  clear(): void {
    for (const buffer of this.#full.splice(0)) returnBuffer(buffer);
    if (this.#filling !== undefined) returnBuffer(this.#filling);
    this.#restart();
  }

  #open(): Buffer {
    this.#filling ??= takeBuffer();
    return this.#filling;
  }

  #grow(count: number): number {
    this.#filled += count;
    if (this.#filled < PIECE_BYTES) return count;
    this.#full.push(this.#open());
    this.#restart();
    return count;
  }

  #restart(): void {
    this.#filling = undefined;
    this.#filled = 0;
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
