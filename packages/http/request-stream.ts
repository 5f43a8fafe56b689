// The body of a request as a stream with back-pressure: pieces wait here until the handler reads them, and when enough wait the
// socket is not read. The same body can be collected in one buffer instead. The connection brings the bytes and decides what becomes
// of a body that is cut off; what a handler may do with one is told by `BodyStream`.
import type { Socket } from 'node:net';
import type { BodyStream, WholeBody } from '#base';
import { BodyFraming } from './body-framing.js';
import { CollectedBody } from './collected-body.js';
import type { ListenerContext } from './listener-context.js';
import { CHUNKED, type RequestHead } from './request-head.js';

/** Pieces that wait beyond it pause the socket. A stream reserves as much memory, or its length if that is less. */
export const WINDOW_BYTES = 262_144;
/** The same in pieces, so that a body in tiny packets does not cost a multiple of its length. */
const WINDOW_PIECES = 64;

export const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';
const EMPTY = Buffer.alloc(0);

const REASONS = {
  aborted: 'The client closed the connection before the end of the body.',
  malformed: 'The body is not framed as its head says.',
  timeout: 'The client sent nothing of the body for too long.',
  answered: 'The request was answered before the end of its body.',
} as const;

/** Why the rest of a body will not come. */
export class BodyError extends Error {
  readonly code: keyof typeof REASONS;

  constructor(code: keyof typeof REASONS) {
    super(REASONS[code]);
    this.name = 'BodyError';
    this.code = code;
  }
}

interface Waiting {
  readonly resolve: (piece: Buffer | undefined) => void;
  readonly reject: (error: Error) => void;
}

export class RequestStream implements BodyStream {
  readonly length: number | undefined;
  /** When the client must have moved, in the listener's time; only while the handler waits for it. */
  deadline = Number.POSITIVE_INFINITY;
  readonly #socket: Socket;
  readonly #context: ListenerContext;
  readonly #note: (collectedBytes: number) => void;
  readonly #framing: BodyFraming;
  /** When a body that is collected must be there. */
  readonly #collectedBy: number;
  /** The client holds the body back until it is told to go on. */
  #awaitsContinue: boolean;
  #pieces: Buffer[] = [];
  #bytes = 0;
  #waiting: Waiting | undefined;
  #failure: BodyError | undefined;
  #use: 'unread' | 'read' | 'collected' = 'unread';
  #isDiscarding = false;
  #isAnswered = false;
  #discarded = 0;

  /**
   * @param headBy when the head had to be complete.
   * @param note counts what is collected, besides what the stream reserves.
   */
  constructor(
    head: RequestHead,
    headBy: number,
    socket: Socket,
    context: ListenerContext,
    note: (bytes: number) => void,
  ) {
    const { bodyLength, awaitsContinue } = head;
    this.length = bodyLength === CHUNKED ? undefined : bodyLength;
    this.#socket = socket;
    this.#context = context;
    this.#note = note;
    this.#collectedBy = headBy + context.timeouts.request - context.timeouts.head;
    this.#awaitsContinue = awaitsContinue;
    this.#framing = new BodyFraming(bodyLength, (bytes, from, until) =>
      this.#append(bytes.subarray(from, until)),
    );
  }

  /** From the socket. @returns where what follows the body begins; a negative number if it is malformed. */
  decode(bytes: Buffer): number {
    const before = this.#pieces.length;
    const end = this.#framing.decode(bytes);
    // Many small chunks in one packet become one piece.
    if (this.#pieces.length > before + 1) this.#pieces.push(Buffer.concat(this.#pieces.splice(before)));
    if (end < 0) return end;
    this.#deliver();
    if (bytes.length > 0) this.#awaitsContinue = false;
    const isFull = this.#bytes >= WINDOW_BYTES || this.#pieces.length >= WINDOW_PIECES;
    if ((isFull && !this.isComplete) || (this.#isDiscarding && this.isEndless)) this.#socket.pause();
    return end;
  }

  get isComplete(): boolean {
    return this.#framing.isComplete;
  }

  /** What counts against the listener's memory for as long as the stream lasts, however much of it waits. */
  get reservedBytes(): number {
    return this.#isDiscarding ? 0 : Math.min(this.length ?? WINDOW_BYTES, WINDOW_BYTES);
  }

  /** There is more to come than is worth discarding, or nobody knows whether it will come: the connection is closed instead. */
  get isEndless(): boolean {
    if (this.isComplete) return false;
    const more = this.#discarded + (this.#framing.remaining ?? 0);
    return this.#awaitsContinue || more > this.#context.limits.discardedBytesMax;
  }

  /** An answer has begun, in which no client can be told to go on. */
  onAnswer(): void {
    this.#isAnswered = true;
  }

  /** What came and what is to come is dropped. */
  discard(): void {
    this.#isDiscarding = true;
    this.#pieces = [];
    this.#bytes = 0;
    this.#fail(new BodyError('answered'));
  }

  /** Nothing more will come. A body that came as a whole is not affected, unless its trailers are what is wrong. */
  fail(code: BodyError['code']): void {
    if (this.isComplete && code !== 'malformed') return;
    this.#pieces = [];
    this.#bytes = 0;
    this.#fail(new BodyError(code));
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer, void, undefined> {
    this.#begin('read');
    for (let piece = await this.#read(); piece !== undefined; piece = await this.#read()) yield piece;
  }

  async collect(bytesMax: number): Promise<WholeBody> {
    this.#begin('collected');
    if (this.length !== undefined && this.length > bytesMax)
      return { body: EMPTY, bodyTooLarge: true, isBusy: false };
    const { limits } = this.#context;
    const collected = new CollectedBody(bytesMax, limits.discardedBytesMax, this.length ?? 0);
    for (let piece = await this.#read(); piece !== undefined; piece = await this.#read()) {
      collected.append(piece, 0, piece.length);
      if (collected.isTooLarge) this.#discarded += piece.length;
      if (collected.isEndless) break;
      this.#note(collected.bufferedBytes);
      if (this.#context.bufferedBytes > limits.bufferedBytesMax) this.#note(collected.drop());
    }
    return { body: collected.bytes, bodyTooLarge: collected.isTooLarge, isBusy: collected.isDropped };
  }

  #begin(use: 'read' | 'collected'): void {
    if (this.#use !== 'unread') throw new TypeError('The body of a request can be read once.');
    this.#use = use;
  }

  #append(piece: Buffer): void {
    if (this.#isDiscarding) {
      this.#discarded += piece.length;
    } else if (this.#failure === undefined) {
      this.#pieces.push(piece);
      this.#bytes += piece.length;
    }
  }

  #read(): Promise<Buffer | undefined> {
    const piece = this.#pieces.shift();
    if (piece !== undefined) {
      this.#bytes -= piece.length;
      return Promise.resolve(piece);
    }
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    if (this.isComplete) return Promise.resolve(undefined);
    const read = new Promise<Buffer | undefined>((resolve, reject) => {
      this.#waiting = { resolve, reject };
    });
    this.#want();
    return read;
  }

  /** It is the client's turn. */
  #want(): void {
    const { now, timeouts } = this.#context;
    this.deadline = this.#use === 'collected' ? this.#collectedBy : now + timeouts.stall;
    if (this.#awaitsContinue && !this.#isAnswered) {
      this.#socket.write(CONTINUE, 'latin1');
      this.#awaitsContinue = false;
    }
    this.#socket.resume();
  }

  #deliver(): void {
    const waiting = this.#waiting;
    if (waiting === undefined) return;
    const piece = this.#pieces.shift();
    if (piece === undefined && !this.isComplete) return;
    this.#bytes -= piece?.length ?? 0;
    this.#waiting = undefined;
    this.deadline = Number.POSITIVE_INFINITY;
    waiting.resolve(piece);
  }

  #fail(error: BodyError): void {
    this.#failure ??= error;
    const waiting = this.#waiting;
    this.#waiting = undefined;
    this.deadline = Number.POSITIVE_INFINITY;
    waiting?.reject(error);
  }
}
