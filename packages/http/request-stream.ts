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
/** The same in pieces, so that a body in tiny packets does not cost a multiple of its length. */
const WINDOW_PIECES = 64;

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

/** The pieces of a body in one buffer, up to a limit. Beyond the limit it keeps nothing. */
class CollectedBody {
  readonly #bytesMax: number;
  readonly #bytes: GrowingBytes;
  #receivedBytes = 0;

  /** @param length as in the head; 0 if the head has none. */
  constructor(bytesMax: number, length: number) {
    this.#bytes = new GrowingBytes(Math.min(length, bytesMax));
    this.#bytesMax = bytesMax;
  }

  append(bytes: Buffer): void {
    this.#receivedBytes += bytes.length;
    if (this.isTooLarge) this.#bytes.clear();
    else this.#bytes.append(bytes);
  }

  get isTooLarge(): boolean {
    return this.#receivedBytes > this.#bytesMax;
  }

  get receivedBytes(): number {
    return this.#receivedBytes;
  }

  get bufferedBytes(): number {
    return this.#bytes.length;
  }

  /** Empty if there was too much. */
  get bytes(): Buffer {
    return this.#bytes.view();
  }
}

/** A consumer that waits for a piece, or for the whole body. */
interface Waiting<Value> {
  readonly resolve: (value: Value) => void;
  readonly reject: (error: Error) => void;
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
  readonly #pieces: ReceivedPieces;
  /** Waiting bytes are handed over once the system has delivered everything. */
  #isSoon = false;
  #reader: Waiting<Buffer | undefined> | undefined;
  #collected: CollectedBody | undefined;
  #collector: Waiting<WholeBody> | undefined;
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
    this.#pieces = new ReceivedPieces(this.length);
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
    const before = this.#pieces.count;
    const end = this.#framing.decode(bytes);
    this.#pieces.join(before);
    if (bytes.length === NODE_READS) this.#readMore();
    if (end < 0) return end;
    if (bytes.length > 0) this.#awaitsContinue = false;
    if (this.isUnread) this.#unknown.hold(this.#pieces.bytes);
    else if (this.#collector) this.#advance(this.#collector);
    else this.#deliver();
    if ((this.#isFull && !this.isComplete) || (this.#isDiscarding && this.isEndless)) this.#socket.pause();
    return end;
  }

  get #isFull(): boolean {
    return this.#pieces.bytes >= WINDOW_BYTES || this.#pieces.count >= WINDOW_PIECES;
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
    const collected = new CollectedBody(bytesMax, this.length ?? 0);
    for (let piece = this.#pieces.take(); piece !== undefined; piece = this.#pieces.take())
      collected.append(piece);
    this.#unknown.hold(0);
    this.#collected = collected;
    return new Promise((resolve, reject) => {
      this.#collector = { resolve, reject };
      this.#context.collecting.enter(this);
      this.#advance(this.#collector);
      if (this.#collector) this.#want(this.#collectedBy);
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
    if (this.#isDiscarding) {
      this.#discarded += piece.length;
    } else if (this.#collected) {
      this.#collected.append(piece);
    } else if (this.#failure === undefined) {
      this.#pieces.append(piece);
    }
  }

  /**
   * Something of a collected body arrived. When memory is short, slow bodies are evicted; if there are none, this one.
   */
  #advance(collector: Waiting<WholeBody>): void {
    const collected = this.#collected;
    if (!collected) return;
    const { limits } = this.#context;
    this.#note(collected.bufferedBytes);
    if (collected.isTooLarge) {
      this.#discarded = collected.receivedBytes;
      this.#drop();
      this.#conclude(TOO_LARGE);
    } else if (this.#context.bufferedBytes > limits.bufferedBytesMax && !hasMemory(this.#context)) {
      this.evict();
    } else if (this.isComplete && this.#collector === collector) {
      this.#conclude({ body: collected.bytes, bodyTooLarge: false, isBusy: false });
    }
  }

  #conclude(whole: WholeBody): void {
    const collector = this.#collector;
    this.#collector = undefined;
    this.#collected = undefined;
    this.deadline = Number.POSITIVE_INFINITY;
    this.#context.collecting.leave(this);
    collector?.resolve(whole);
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
    this.#reader = undefined;
    this.deadline = Number.POSITIVE_INFINITY;
    reader.resolve(piece);
  }

  #fail(error: BodyError): void {
    this.#failure ??= error;
    const waiting = this.#reader ?? this.#collector;
    this.#reader = undefined;
    this.#collector = undefined;
    this.#collected = undefined;
    this.deadline = Number.POSITIVE_INFINITY;
    this.#context.collecting.leave(this);
    waiting?.reject(error);
  }
}
