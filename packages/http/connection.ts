// One connection: it reads requests one at a time, in order, hands each on as a plain value, and writes its answer
// before it parses the next. Until then it reads no more from the socket than what has already arrived. listen.ts has
// the set of connections and their clock.
import type { Socket } from 'node:net';
import type { StreamedResponse, WireResponse } from '#base';
import type { ConnectionPhase } from './connection-phase.js';
import { GrowingBytes } from './growing-bytes.js';
import { ownHostOf } from './host.js';
import { hasMemory, type ListenerContext, type Respond } from './listener-context.js';
import { CR, emptyLinesEnd, IncompleteHead, newReading, readLongHead } from './long-head.js';
import {
  type HeadReading,
  parseRequestHead,
  type Refusal,
  type RequestHead,
  SHORT_TEXT,
} from './request-head.js';
import { type BodyError, RequestStream } from './request-stream.js';
import { abandon, ResponseStream } from './response-stream.js';
import { isStreamed, refusalText, writeResponse } from './write-response.js';

const EMPTY = Buffer.alloc(0);
/** Pipelined requests that are handled in a row: then other connections get their turn. */
const REQUESTS_IN_A_ROW = 32;

export class Connection {
  readonly #socket: Socket;
  readonly #context: ListenerContext;
  readonly #remoteAddress: string;
  /** Handles its requests. */
  readonly #respond: Respond;
  #phase: ConnectionPhase = 'head';
  /** When waiting ends, in the listener's time; meaningless while a request is handled. */
  #deadline: number;
  /** What arrived during a request. */
  #buffered: GrowingBytes | undefined;
  #incomplete: IncompleteHead | undefined;
  readonly #reading: HeadReading;
  /** The current request's head. */
  #head: RequestHead | undefined;
  /** The current request's body, if it did not come with its head: until the answer and the end of the body. */
  #stream: RequestStream | undefined;
  /** The current answer, if its body is a stream. */
  #response: ResponseStream | undefined;
  /** How many of the listener's buffered bytes belong to this connection. */
  #counted = 0;
  /** Pipelined requests that were handled one right after the other. */
  #inARow = 0;
  /** The client has closed its half of the connection; it may still read. */
  #hasEnded = false;
  readonly #onFault = (): void => {
    if (this.#isHandling) this.destroy();
    this.#count(0);
  };
  readonly #note = (bytes: number): void => this.#count(bytes);

  constructor(socket: Socket, context: ListenerContext) {
    this.#socket = socket;
    this.#context = context;
    this.#remoteAddress = socket.remoteAddress ?? '';
    const { proxies, respond } = context;
    this.#respond = proxies?.has(this.#remoteAddress) ? proxies.unwrap(respond) : respond;
    this.#reading = newReading(context.spelledPrefix, () => ownHostOf(socket));
    this.#deadline = context.now + context.timeouts.head;
    socket.on('data', (bytes: Buffer) => this.#receive(bytes));
    socket.on('drain', () => {
      if (this.#phase !== 'drain' && this.#phase !== 'responding') return;
      this.#count(0);
      if (this.#response) this.#response.drained();
      else this.#next();
    });
    socket.on('end', () => {
      this.#hasEnded = true;
      this.#end();
    });
    // A failure also closes the socket; a request in progress then has no client to answer.
    socket.on('error', () => this.destroy());
    socket.on('close', () => this.destroy());
  }

  /** The handler keeps the body in memory, which counts until it answers. */
  destroy(): void {
    const isHandling = this.#phase === 'handling' || this.#phase === 'gone';
    this.#phase = 'gone';
    this.#dropInput();
    this.#stream?.fail('aborted');
    this.#stream = undefined;
    if (!isHandling) this.#count(0);
    this.#response?.cancel();
    // The client would take the end of the connection for the end of the answer. Not under TLS, where nothing marks it
    // as one.
    if (this.#response?.endsWithConnection && !this.#context.secure) this.#socket.resetAndDestroy();
    else this.#socket.destroy();
    this.#response = undefined;
  }

  /** Nothing has arrived yet. */
  get #isFresh(): boolean {
    return this.#phase === 'head' && this.#incomplete === undefined;
  }

  get #isHandling(): boolean {
    return this.#phase === 'handling' || this.#phase === 'responding';
  }

  /** The listener closes: ends the connection if it is idle; a fresh one may have a request on its way. */
  closeIfIdle(): void {
    const { head, linger } = this.#context.timeouts;
    if (this.#phase === 'idle' && this.#buffered === undefined) this.destroy();
    else if (this.#isFresh) this.#deadline += linger - head;
  }

  /** Ends connections that take too long; called at intervals. No client is cut for the time that its handler takes. */
  expire(): void {
    const { now, isClosing } = this.#context;
    if (this.#isHandling) {
      if (now > (this.#stream?.deadline ?? now)) this.#breakOff('timeout');
      if (now > (this.#response?.deadline ?? now)) this.destroy();
    } else if (now > this.#deadline) {
      if (this.#phase === 'head' && !(isClosing && this.#isFresh)) this.refuse(408);
      else this.destroy();
    }
  }

  /** Memory is short: ends a connection whose client is slow to read its answer. */
  hurry(): void {
    const { now, timeouts } = this.#context;
    const isDraining = this.#phase === 'drain' || this.#phase === 'closing';
    const streamedAt = (this.#response?.deadline ?? Number.POSITIVE_INFINITY) - timeouts.stall;
    const wroteAt = isDraining ? this.#deadline - timeouts.drain : streamedAt;
    if (now > wroteAt + timeouts.drainWhenShort) this.destroy();
  }

  #receive(bytes: Buffer): void {
    if (this.#phase === 'idle' || this.#phase === 'head') {
      if (this.#incomplete) this.#readMore(this.#incomplete, bytes);
      else this.#readHead(bytes);
    } else if (this.#stream?.isComplete === false) this.#readStream(this.#stream, bytes);
    else if (this.#isHandling || this.#phase === 'drain') this.#keep(bytes);
  }

  /** Counts a known caller's memory: this many bytes, plus what waits to be parsed and what a stream reserves. */
  #count(bytes: number): void {
    const all = bytes + (this.#buffered?.length ?? 0) + (this.#stream?.reservedBytes ?? 0);
    this.#context.bufferedBytes += all - this.#counted;
    this.#counted = all;
  }

  #readHead(bytes: Buffer): void {
    if (bytes[0] === CR) {
      this.#skipEmptyLines(bytes);
      return;
    }
    if (this.#phase === 'idle') {
      this.#phase = 'head';
      this.#deadline = this.#context.now + this.#context.timeouts.head;
    }
    let head = parseRequestHead(bytes.toString('latin1', 0, SHORT_TEXT), this.#reading);
    if (head === undefined && bytes.length > SHORT_TEXT) head = readLongHead(bytes, this.#reading);
    if (typeof head === 'number') this.refuse(head);
    else if (head !== undefined) this.#begin(head, bytes);
    else this.#await(bytes);
  }

  /** Keeps the beginning of a head until more of it arrives. */
  #await(bytes: Buffer): void {
    this.#buffered = undefined;
    this.#count(0);
    this.#incomplete = new IncompleteHead(bytes, this.#reading, this.#context, () => this.refuse(503));
  }

  #readMore(incomplete: IncompleteHead, bytes: Buffer): void {
    const isEmptyLine = incomplete.bytes[0] === CR;
    const head = isEmptyLine ? undefined : incomplete.append(bytes);
    if (head === undefined && !isEmptyLine) return;
    const whole = incomplete.bytes;
    this.#dropInput();
    if (isEmptyLine) this.#readHead(Buffer.concat([whole, bytes]));
    else if (typeof head === 'number') this.refuse(head);
    else if (head !== undefined) this.#begin(head, whole);
  }

  /** Empty lines do not begin a request, so that they cause no timeout of an incomplete one. */
  #skipEmptyLines(bytes: Buffer): void {
    const rest = bytes.subarray(emptyLinesEnd(bytes));
    this.#buffered = undefined;
    if (rest.length === 0) this.#count(0);
    else if (rest[0] !== CR) this.#readHead(rest);
    else if (rest.length === 1) this.#await(rest);
    else this.refuse(400);
  }

  #dropInput(): void {
    this.#buffered = undefined;
    this.#incomplete?.release();
    this.#incomplete = undefined;
  }

  #begin(head: RequestHead, bytes: Buffer): void {
    const { end, bodyLength } = head;
    const until = end + bodyLength;
    this.#head = head;
    this.#buffered = undefined;
    if (bodyLength < 0 || until > bytes.length || bodyLength > this.#context.limits.bodyBytesMax) {
      this.#beginStream(head, bytes.subarray(end));
      return;
    }
    if (until < bytes.length) this.#buffered = new GrowingBytes(0, bytes.subarray(until));
    this.#handOn(head, bodyLength === 0 ? EMPTY : bytes.subarray(end, until));
  }

  /** Hands a request on with its body unread, and reads the body only when it is asked for. */
  #beginStream(head: RequestHead, bytes: Buffer): void {
    const stream = new RequestStream(head, this.#deadline, this.#socket, this.#context, this.#note);
    this.#stream = stream;
    this.#phase = 'handling';
    this.#readStream(stream, bytes);
    if (!this.#stream) return;
    this.#handOn(head, EMPTY);
    if (stream.isUnread && !stream.isComplete) this.#socket.pause();
  }

  #readStream(stream: RequestStream, bytes: Buffer): void {
    const end = stream.decode(bytes);
    if (end < 0) this.#breakOff('malformed');
    else if (stream.isComplete) {
      if (end < bytes.length) this.#keep(bytes.subarray(end));
      if (this.#phase === 'discard') this.#settle(false);
    } else if (this.#phase === 'discard' && stream.isEndless) this.#finish();
  }

  /** The rest of a body will not arrive: fails the handler's read, and refuses the request if it still can. */
  #breakOff(code: BodyError['code']): void {
    this.#stream?.fail(code);
    this.#stream = undefined;
    if (this.#phase === 'handling') this.refuse(code === 'timeout' ? 408 : 400);
    else this.destroy();
  }

  /** Keeps what arrives during a request, and reads no more. */
  #keep(bytes: Buffer): void {
    this.#buffered ??= new GrowingBytes();
    this.#buffered.append(bytes);
    this.#context.bufferedBytes += bytes.length;
    this.#counted += bytes.length;
    this.#socket.pause();
  }

  /** When memory is short, requests with a body are refused first; those without are reads and deletes. */
  #handOn(head: RequestHead, whole: Buffer): void {
    const { secure, limits } = this.#context;
    const { method, target, headers } = head;
    this.#phase = 'handling';
    this.#count(whole.length);
    const bytesMax = whole.length > 0 ? limits.bufferedBytesMax : 2 * limits.bufferedBytesMax;
    const isBusy = this.#context.bufferedBytes > bytesMax && !hasMemory(this.#context, bytesMax);
    if (isBusy) this.#stream?.evict();
    const body = isBusy ? EMPTY : whole;
    const stream = this.#stream;
    const remoteAddress = this.#remoteAddress;
    const request = { method, target, headers, body, isBusy, stream, secure, remoteAddress };
    try {
      this.#respond(request).then(this.#answer, this.#onFault);
    } catch {
      this.#onFault();
    }
  }

  /** An answer that cannot be written is a fault: no client gets half of it. */
  readonly #answer = (response: WireResponse | StreamedResponse): void => {
    this.#count(0);
    const head = this.#head;
    if (this.#phase !== 'handling' || !head) {
      abandon(response);
      return;
    }
    // An idle connection keeps nothing of its last request.
    this.#head = undefined;
    const { method, isKept } = head;
    if (isStreamed(response)) {
      this.#beginAnswer(response, head, this.#context.isClosing);
      return;
    }
    const isCut = this.#context.isClosing || this.#stream?.isEndless === true;
    const ending = isCut ? 'cut' : isKept ? 'kept' : 'closed';
    let isFlushed: boolean;
    try {
      isFlushed = writeResponse(this.#socket, response, method, ending);
    } catch {
      this.destroy();
      return;
    }
    if (isFlushed && ending === 'kept' && this.#stream === undefined) this.#next();
    else this.#settle(ending !== 'kept');
  };

  /** Begins an answer whose body is a stream. */
  #beginAnswer(response: StreamedResponse, head: RequestHead, isCut: boolean): void {
    const stream = new ResponseStream(response, head, this.#socket, this.#context, this.#note);
    this.#phase = 'responding';
    this.#response = stream;
    this.#stream?.onAnswer();
    stream.write(isCut).then(isWhole => {
      this.#response = undefined;
      if (isWhole && this.#phase === 'responding') this.#settle(stream.isLast);
    }, this.#onFault);
  }

  /** The answer is written: what remains is the rest of the request's body, and for the client to read the answer. */
  #settle(isLast: boolean): void {
    if (isLast || this.#stream?.isEndless) this.#finish();
    else if (this.#stream?.isComplete === false) {
      this.#phase = 'discard';
      this.#deadline = this.#context.now + this.#context.timeouts.request;
      this.#stream.discard();
      this.#count(this.#socket.writableLength);
      this.#socket.resume();
    } else {
      this.#stream?.discard();
      this.#stream = undefined;
      this.#count(0);
      if (this.#socket.writableNeedDrain) this.#wait('drain');
      else this.#next();
    }
  }

  /** Until the client has read what is written. */
  #wait(phase: 'drain' | 'closing'): void {
    this.#phase = phase;
    this.#deadline = this.#context.now + this.#context.timeouts.drain;
    this.#count(this.#socket.writableLength);
  }

  /** The answer is out; what has arrived since is the next request. */
  #next(): void {
    this.#phase = 'idle';
    this.#deadline = this.#context.now + this.#context.timeouts.idle;
    this.#inARow = this.#buffered ? this.#inARow + 1 : 0;
    if (this.#inARow < REQUESTS_IN_A_ROW) this.#readBuffered();
    else {
      this.#inARow = 0;
      this.#socket.pause();
      setImmediate(() => {
        if (this.#phase === 'idle') this.#readBuffered();
      });
    }
  }

  #readBuffered(): void {
    if (this.#buffered) this.#readHead(this.#buffered.view());
    if (this.#phase === 'idle' && this.#context.isClosing) this.#finish();
    if (this.#socket.isPaused() && !this.#isHandling) this.#socket.resume();
    if (this.#hasEnded) this.#end();
  }

  /** The client sends no more: an idle connection is done, an incomplete request never will be. */
  #end(): void {
    if (this.#phase === 'idle' || this.#phase === 'discard' || this.#isFresh) this.#finish();
    else if (this.#phase === 'head') this.refuse(400);
    else if (this.#stream?.isComplete === false) this.#breakOff('aborted');
  }

  /** Closes the connection once all is written. Reads on for a while, so that the client does not miss the answer. */
  #finish(): void {
    this.#dropInput();
    const isSending = this.#stream?.isComplete === false;
    this.#stream?.discard();
    this.#stream = undefined;
    if (isSending) {
      this.#linger();
      this.#socket.end();
    } else {
      this.#wait('closing');
      this.#socket.destroySoon();
    }
  }

  /** Answers without a handler, and ends the connection. */
  refuse(status: Refusal): void {
    this.#dropInput();
    this.#linger();
    this.#socket.end(refusalText(status), 'latin1');
  }

  /** Discards what arrives until the client ends, or for some time. */
  #linger(): void {
    const { now, timeouts } = this.#context;
    this.#phase = 'refused';
    this.#deadline = now + (this.#socket.writableNeedDrain ? timeouts.drain : timeouts.linger);
    this.#count(this.#socket.writableLength);
    this.#socket.resume();
  }
}
