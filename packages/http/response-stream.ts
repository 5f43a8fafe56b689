// Writes an answer whose body is made while it is sent: framed by its length, in chunks, or by the end of the
// connection, a slice at a time. A body of another length than its head announces throws, so that its connection is
// cut.
import type { Socket } from 'node:net';
import type { StreamedResponse, WireResponse } from '#base';
import type { ListenerContext } from './listener-context.js';
import type { RequestHead } from './request-head.js';
import { endsWithHead, formatEnding, formatHead, isStreamed } from './write-response.js';

/** Written at once, so that a slow client's progress shows. */
const SLICE_BYTES = 65_536;
const FRAMING = /^(?:content-length|transfer-encoding)$/i;
const LENGTH = /^\d{1,15}$/;

type Framing = 'length' | 'chunked' | 'close' | 'none';

/** Releases a body that will not be read. Failures no longer matter then. */
export function abandon(response: WireResponse | StreamedResponse): void {
  if (!isStreamed(response)) return;
  response.body[Symbol.asyncIterator]()
    .return?.()
    .catch(() => undefined);
}

export class ResponseStream {
  /** When the client must have read what was written, in the listener's time; only while the body waits for it. */
  deadline = Number.POSITIVE_INFINITY;
  /** The connection ends with this answer. */
  isLast = false;
  readonly #response: StreamedResponse;
  readonly #request: RequestHead;
  readonly #socket: Socket;
  readonly #context: ListenerContext;
  readonly #note: (writtenBytes: number) => void;
  #framing: Framing = 'none';
  /** Bytes still to come, of a body whose length is known. */
  #remaining = 0;
  #isBegun = false;
  #isCancelled = false;
  #onDrained: (() => void) | undefined;

  /** @param note counts what is written and not read. */
  constructor(
    response: StreamedResponse,
    request: RequestHead,
    socket: Socket,
    context: ListenerContext,
    note: (bytes: number) => void,
  ) {
    this.#response = response;
    this.#request = request;
    this.#socket = socket;
    this.#context = context;
    this.#note = note;
  }

  /** The body ends where the connection does. */
  get endsWithConnection(): boolean {
    return this.#framing === 'close';
  }

  /**
   * Writes head and body, as fast as the client reads them.
   *
   * @param isCut the server ends the connection on its own.
   * @returns whether all of it was written; false once it was cancelled.
   * @throws what the body throws; RangeError for a body of another length than its head announces; TypeError for a bad
   * head.
   */
  async write(isCut: boolean): Promise<boolean> {
    try {
      this.#writeHead(isCut);
    } catch (error) {
      abandon(this.#response);
      throw error;
    }
    if (this.#framing === 'none') {
      abandon(this.#response);
      return true;
    }
    for await (const piece of this.#response.body) {
      for (let at = 0; at < piece.length; at += SLICE_BYTES) {
        if (!this.#isCancelled && !this.#writeSlice(piece.subarray(at, at + SLICE_BYTES)))
          await this.#untilDrained();
      }
      if (this.#isCancelled) return false;
    }
    if (!this.#isCancelled) this.#end();
    return !this.#isCancelled;
  }

  /** The client has read what was written. */
  drained(): void {
    this.deadline = Number.POSITIVE_INFINITY;
    this.#onDrained?.();
  }

  /** Nothing more is written; the body is returned at its next piece. */
  cancel(): void {
    this.#isCancelled = true;
    this.#onDrained?.();
  }

  #writeHead(isCut: boolean): void {
    const { status, headers } = this.#response;
    const { method, isOld, isKept } = this.#request;
    const { text, bodyLength } = formatHead(this.#response);
    const framingLines = headers.filter(([name]) => FRAMING.test(name)).length;
    if (framingLines !== (bodyLength === undefined ? 0 : 1) || !LENGTH.test(bodyLength ?? '0'))
      throw new TypeError('A streamed answer names its framing by Content-Length, once, or not at all.');
    const hasBody = status !== 204 && status !== 304;
    const isChunked = bodyLength === undefined && hasBody && !isOld;
    if (!endsWithHead(status, method))
      this.#framing = bodyLength !== undefined ? 'length' : isChunked ? 'chunked' : 'close';
    this.#remaining = bodyLength === undefined ? Number.POSITIVE_INFINITY : Number(bodyLength);
    this.isLast = isCut || !isKept || this.endsWithConnection;
    const ending = formatEnding(isCut ? 'cut' : this.isLast ? 'closed' : 'kept');
    const coding = isChunked ? 'Transfer-Encoding: chunked\r\n' : '';
    this.#socket.write(text + coding + ending, 'latin1');
  }

  #untilDrained(): Promise<void> {
    const { now, timeouts } = this.#context;
    this.deadline = now + timeouts.stall;
    this.#note(this.#socket.writableLength);
    return new Promise(resolve => {
      this.#onDrained = resolve;
    });
  }

  /** @returns whether the client keeps pace. */
  #writeSlice(slice: Buffer): boolean {
    this.#remaining -= slice.length;
    if (this.#remaining < 0) throw new RangeError('A streamed answer is longer than its Content-Length.');
    if (this.#framing !== 'chunked') return this.#socket.write(slice);
    this.#socket.cork();
    this.#socket.write(`${this.#isBegun ? '\r\n' : ''}${slice.length.toString(16)}\r\n`, 'latin1');
    const isFlushed = this.#socket.write(slice);
    this.#socket.uncork();
    this.#isBegun = true;
    return isFlushed;
  }

  #end(): void {
    if (this.#framing === 'chunked') this.#socket.write(`${this.#isBegun ? '\r\n' : ''}0\r\n\r\n`, 'latin1');
    else if (this.#framing === 'length' && this.#remaining > 0)
      throw new RangeError('A streamed answer is shorter than its Content-Length.');
  }
}
