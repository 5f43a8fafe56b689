// The body of a request that did not arrive with its head, unread until the handler asks for it: then either a stream
// with back-pressure, whose pieces wait here until they are read, or collected in one buffer. The connection delivers
// the bytes and decides what happens to a body that is cut off; `BodyStream` documents what a handler may do with one.
import type { Socket } from 'node:net';
import { type BodyStream, noteStreamed, type WholeBody } from '#base';
import { BodyFraming } from './body-framing.js';
import { GrowingBytes } from './growing-bytes.js';
import { type Evictable, hasMemory, type ListenerContext, UnknownBytes } from './listener-context.js';
import { NODE_READS, ReceivedPieces, readWaiting } from './received-pieces.js';
import { CHUNKED, type RequestHead } from './request-head.js';

/**
 * More waiting bytes pause the socket. A stream that is read reserves this much memory, or its length if that is less.
 */
export const WINDOW_BYTES = 262_144;

export const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';
const EMPTY = Buffer.alloc(0);
const TOO_LARGE: WholeBody = { body: EMPTY, bodyTooLarge: true, isBusy: false };
const BUSY: WholeBody = { body: EMPTY, bodyTooLarge: false, isBusy: true };

const REASONS = {
  aborted: 'The client closed the connection before the end of the body.',
  malformed: 'The body is not framed as its head says.',
  timeout: 'The client sent nothing of the body for too long.',
  answered: 'The request was answered before the end of its body.',
  busy: 'There is no memory for the body.',
} as const;

/** The reason why the rest of a body will not arrive. */
export class BodyError extends Error {
  readonly code: keyof typeof REASONS;

  constructor(code: keyof typeof REASONS) {
    super(REASONS[code]);
    this.name = 'BodyError';
    this.code = code;
  }
}

/** A consumer that waits. */
interface Waiting<Value> {
  readonly resolve: (value: Value) => void;
  readonly reject: (error: Error) => void;
}

/** A consumer that waits for the whole body. */
interface Collecting extends Waiting<WholeBody> {
  readonly bytes: GrowingBytes;
  readonly bytesMax: number;
}

export class RequestStream implements BodyStream, Evictable {
  readonly length: number | undefined;
  /** When the client must have moved, in the listener's time; only while the handler waits for it. */
  deadline = Number.POSITIVE_INFINITY;
  readonly #socket: Socket;
  readonly #context: ListenerContext;
  readonly #note: (collectedBytes: number) => void;
  readonly #framing: BodyFraming;
  /** When a collected body must be there. */
  readonly #collectedBy: number;
  /** The client holds the body back until it gets 100 Continue. */
  #awaitsContinue: boolean;
  #use: 'unread' | 'reserved' | 'read' | 'collected' = 'unread';
  readonly #pieces = new ReceivedPieces();
  /** Waiting bytes are handed over once the system has delivered everything. */
  #isSoon = false;
  #reader: Waiting<Buffer | undefined> | undefined;
  #collecting: Collecting | undefined;
  #failure: BodyError | undefined;
  #isDiscarding = false;
  #isAnswered = false;
  #discarded = 0;
  readonly #unknown: UnknownBytes;

  /**
   * @param headBy when the head had to be complete.
   * @param note counts what is collected, in addition to what the stream reserves.
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
    this.#unknown = new UnknownBytes(context, this);
    this.#collectedBy = headBy + context.timeouts.request - context.timeouts.head;
    this.#awaitsContinue = awaitsContinue;
    this.#framing = new BodyFraming(bodyLength, (bytes, from, until) =>
      this.#append(bytes.subarray(from, until)),
    );
  }

  /** For bytes from the socket. @returns where the next request begins; a negative number if it is malformed. */
  decode(bytes: Buffer): number {
    noteStreamed(bytes.length);
    const end = this.#framing.decode(bytes);
    if (bytes.length === NODE_READS) this.#readMore();
    if (end < 0) return end;
    if (bytes.length > 0) this.#awaitsContinue = false;
    if (this.isUnread) this.#unknown.hold(this.#pieces.bytes);
    else if (this.#collecting) this.#advance(this.#collecting);
    else this.#deliver();
    if ((this.#isFull && !this.isComplete) || (this.#isDiscarding && this.isEndless)) this.#socket.pause();
    return end;
  }

  get #isFull(): boolean {
    return this.#pieces.bytes >= WINDOW_BYTES;
  }

  get isComplete(): boolean {
    return this.#framing.isComplete;
  }

  /** No handler has asked for it, so the caller is unauthenticated. */
  get isUnread(): boolean {
    return this.#use === 'unread' && !this.#isDiscarding;
  }

  /** What counts against the listener's memory while a stream is read, however much of it waits. */
  get reservedBytes(): number {
    const isReserved = (this.#use === 'reserved' || this.#use === 'read') && !this.#isDiscarding;
    return isReserved ? Math.min(this.length ?? WINDOW_BYTES, WINDOW_BYTES) : 0;
  }

  /** More is to come than is worth discarding, or whether it will come is unknown: the connection is closed instead. */
  get isEndless(): boolean {
    if (this.isComplete) return false;
    const more = this.#discarded + (this.#framing.remaining ?? 0);
    return this.#awaitsContinue || more > this.#context.limits.discardedBytesMax;
  }

  /** An answer has begun, so no client can get 100 Continue any more. */
  onAnswer(): void {
    this.#isAnswered = true;
  }

  /** Drops what has arrived and what is still to come. */
  discard(): void {
    this.#drop();
    this.#fail(new BodyError('answered'));
  }

  /** The same for lack of memory: fails a caller that asks for the body, or waits for it. */
  evict(): void {
    this.#drop();
    this.#conclude(BUSY);
    this.#note(0);
  }

  /** Nothing more will arrive. A body that arrived whole is not affected, unless its trailers are the fault. */
  fail(code: BodyError['code']): void {
    this.#unknown.hold(0);
    if (this.isComplete && code !== 'malformed') return;
    this.#pieces.clear();
    this.#fail(new BodyError(code));
  }

  reserve(): boolean {
    this.#begin('reserved');
    this.#unknown.hold(0);
    this.#note(0);
    const { bufferedBytes, limits } = this.#context;
    if (!this.#isDiscarding && bufferedBytes > limits.bufferedBytesMax && !hasMemory(this.#context))
      this.evict();
    return !this.#isDiscarding;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer, void, undefined> {
    if (this.#use !== 'reserved' && !this.reserve()) throw new BodyError('busy');
    this.#use = 'read';
    try {
      for (let piece = await this.#read(); piece !== undefined; piece = await this.#read()) yield piece;
    } finally {
      this.#pieces.giveBack();
    }
  }

  async collect(bytesMax: number): Promise<WholeBody> {
    this.#begin('collected');
    if (this.#failure !== undefined) throw this.#failure;
    if (this.length !== undefined && this.length > bytesMax) return TOO_LARGE;
    if (this.#isDiscarding) return BUSY;
    const bytes = new GrowingBytes(Math.min(this.length ?? 0, bytesMax));
    for (let piece = this.#pieces.take(); piece !== undefined; piece = this.#pieces.take())
      bytes.append(piece);
    this.#unknown.hold(0);
    return new Promise((resolve, reject) => {
      this.#collecting = { bytes, bytesMax, resolve, reject };
      this.#context.collecting.enter(this);
      this.#advance(this.#collecting);
      if (this.#collecting) this.#want(this.#collectedBy);
    });
  }

  /** For a long body that is read: reads what the system has of it, too. */
  #readMore(): void {
    const { remaining = 0 } = this.#framing;
    if (remaining === 0 || this.#use !== 'read' || this.#isDiscarding || this.#failure !== undefined) return;
    const read = (into: Buffer, at: number, length: number): number =>
      readWaiting(this.#socket, into, at, length);
    this.#framing.skip(this.#pieces.fill(remaining, read));
  }

  #begin(use: 'reserved' | 'collected'): void {
    if (this.#use !== 'unread') throw new TypeError('The body of a request can be read once.');
    this.#use = use;
  }

  #append(piece: Buffer): void {
    if (this.#isDiscarding) this.#discarded += piece.length;
    else if (this.#collecting) this.#collecting.bytes.append(piece);
    else if (this.#failure === undefined) this.#pieces.append(piece);
  }

  /**
   * Something of a collected body arrived. When memory is short, slow bodies are evicted; if there are none, this one.
   */
  #advance(collecting: Collecting): void {
    const { bytes, bytesMax } = collecting;
    const { limits } = this.#context;
    const isTooLarge = bytes.length > bytesMax;
    this.#note(isTooLarge ? 0 : bytes.length);
    if (isTooLarge) {
      this.#discarded = bytes.length;
      this.#drop();
      this.#conclude(TOO_LARGE);
    } else if (this.#context.bufferedBytes > limits.bufferedBytesMax && !hasMemory(this.#context)) {
      this.evict();
    } else if (this.isComplete && this.#collecting === collecting) {
      this.#conclude({ body: bytes.view(), bodyTooLarge: false, isBusy: false });
    }
  }

  #conclude(whole: WholeBody): void {
    const collecting = this.#collecting;
    this.#endWaiting();
    collecting?.resolve(whole);
  }

  #endWaiting(): void {
    this.#reader = undefined;
    this.#collecting = undefined;
    this.deadline = Number.POSITIVE_INFINITY;
    this.#context.collecting.leave(this);
  }

  #drop(): void {
    this.#isDiscarding = true;
    this.#pieces.clear();
    this.#unknown.hold(0);
  }

  #read(): Promise<Buffer | undefined> {
    const wasFull = this.#isFull;
    if (this.#pieces.isReady || this.isComplete) {
      const piece = this.#pieces.take();
      // The next one arrives while the reader has this one.
      if (wasFull && !this.isComplete) this.#socket.resume();
      if (piece !== undefined) return Promise.resolve(piece);
    }
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    if (this.isComplete) return Promise.resolve(undefined);
    const read = new Promise<Buffer | undefined>((resolve, reject) => {
      this.#reader = { resolve, reject };
    });
    this.#want(this.#context.now + this.#context.timeouts.stall);
    this.#deliver();
    return read;
  }

  /** It is the client's turn. */
  #want(deadline: number): void {
    this.deadline = deadline;
    if (this.#awaitsContinue && !this.#isAnswered) {
      this.#socket.write(CONTINUE, 'latin1');
      this.#awaitsContinue = false;
    }
    this.#socket.resume();
  }

  #deliver(): void {
    if (this.#pieces.isReady || this.isComplete) this.#handOver();
    else if (this.#pieces.bytes > 0 && !this.#isSoon) {
      this.#isSoon = true;
      setImmediate(() => {
        this.#isSoon = false;
        this.#handOver();
      });
    }
  }

  #handOver(): void {
    const reader = this.#reader;
    if (reader === undefined) return;
    const piece = this.#pieces.take();
    if (piece === undefined && !this.isComplete) return;
    this.#endWaiting();
    reader.resolve(piece);
  }

  #fail(error: BodyError): void {
    this.#failure ??= error;
    const waiting = this.#reader ?? this.#collecting;
    this.#endWaiting();
    waiting?.reject(error);
  }
}
