// The life of one connection: it reads requests one at a time, in order, hands each on as a plain value, and writes its answer before
// it looks at the next. Meanwhile it reads no more from the socket than what has come already. Which connections there are, and
// when time passes, is connections.ts's.
import type { Socket } from 'node:net';
import type { WireResponse } from '#base';
import { BodyFraming } from './body-framing.js';
import { CollectedBody } from './collected-body.js';
import { GrowingBytes } from './growing-bytes.js';
import { type FieldLine, SHORT_TEXT } from './header-fields.js';
import type { ListenerContext } from './listener-context.js';
import { HEAD_BYTES_MAX, parseRequestHead, type Refusal, type RequestHead } from './request-head.js';
import { endings, writeResponse } from './write-response.js';

/**
 * - `head`: reads a head; of the first, perhaps nothing came yet.
 * - `body`: reads a body into a buffer.
 * - `handling`: handed a request on.
 * - `drain`: wrote the answer, which the client has not read all of.
 * - `idle`: expects the next request.
 * - `refused`: discards what comes, so that the client gets to see why.
 * - `closing`: reads nothing more, but the client has not read all of the last answer.
 * - `gone`: the socket is closed.
 */
type Phase = 'head' | 'body' | 'handling' | 'drain' | 'idle' | 'refused' | 'closing' | 'gone';

const EMPTY = Buffer.alloc(0);
const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';
const REFUSALS: Readonly<Record<Refusal | 503, string>> = {
  400: '400 Bad Request',
  408: '408 Request Timeout',
  417: '417 Expectation Failed',
  431: '431 Request Header Fields Too Large',
  503: '503 Service Unavailable\r\nRetry-After: 1',
};
const LF = 10;
/** Of pipelined requests: then other connections get their turn. */
const REQUESTS_IN_A_ROW = 32;

interface IncompleteBody {
  readonly framing: BodyFraming;
  readonly collected: CollectedBody;
}

export class Connection {
  readonly #socket: Socket;
  readonly #context: ListenerContext;
  readonly #remoteAddress: string;
  #phase: Phase = 'head';
  /** When the connection stops to wait, in the listener's time; means nothing while a request is handled. */
  #deadline: number;
  /** The head that is not complete, or what came while a request was under way. */
  #buffered: GrowingBytes | undefined;
  /** The header lines of the last request. */
  readonly #lines: FieldLine[] = [];
  /** Of the request under way. */
  #head: RequestHead | undefined;
  /** Only while it is incomplete. */
  #body: IncompleteBody | undefined;
  /** How many of the listener's buffered bytes are this connection's. */
  #counted = 0;
  /** The rest of the request is never read. */
  #isCut = false;
  #isPaused = false;
  /** Pipelined requests that were handled one right after the other. */
  #inARow = 0;
  /** The client has closed its half of the connection; it may still read. */
  #hasEnded = false;
  readonly #onAnswer = (response: WireResponse): void => this.#answer(response);
  readonly #onFault = (): void => {
    this.destroy();
    this.#count(0);
  };

  constructor(socket: Socket, context: ListenerContext) {
    this.#socket = socket;
    this.#context = context;
    this.#remoteAddress = socket.remoteAddress ?? '';
    this.#deadline = context.now + context.timeouts.head;
    socket.on('data', (bytes: Buffer) => this.#receive(bytes));
    socket.on('drain', () => {
      if (this.#phase !== 'drain') return;
      this.#count(this.#buffered?.length ?? 0);
      this.#next();
    });
    socket.on('end', () => {
      this.#hasEnded = true;
      this.#end();
    });
    // A failure closes too, and a request under way then has nobody to answer.
    socket.on('error', () => this.destroy());
    socket.on('close', () => this.destroy());
  }

  /** A handler that is under way keeps the body in memory, which is counted until it answers. */
  destroy(): void {
    if (this.#phase !== 'handling' && this.#phase !== 'gone') this.#count(0);
    this.#phase = 'gone';
    this.#buffered = undefined;
    this.#socket.destroy();
  }

  /** There are too many connections: says so, and ends it. */
  turnAway(): void {
    this.#refuse(503);
  }

  /** Nothing came yet. */
  get #isFresh(): boolean {
    return this.#phase === 'head' && this.#buffered === undefined;
  }

  /** The listener closes: ends the connection if it is idle; to a fresh one a request may be on its way. */
  closeIfIdle(): void {
    const { head, linger } = this.#context.timeouts;
    if (this.#phase === 'idle' && this.#buffered === undefined) this.destroy();
    else if (this.#isFresh) this.#deadline += linger - head;
  }

  /** Ends what takes too long; called at intervals. */
  expire(): void {
    if (this.#context.now > this.#deadline) this.#timeOut();
  }

  /** Memory is short: ends a connection whose client is slow to read its answer. */
  hurry(): void {
    const { now, timeouts } = this.#context;
    const isDraining = this.#phase === 'drain' || this.#phase === 'closing';
    if (isDraining && now > this.#deadline - timeouts.drain + timeouts.drainWhenShort) this.destroy();
  }

  /** No client is cut for the time that its handler takes. */
  #timeOut(): void {
    if (this.#phase === 'handling') return;
    const isAsking = this.#phase === 'head' || this.#phase === 'body';
    if (isAsking && !(this.#context.isClosing && this.#isFresh)) this.#refuse(408);
    else this.destroy();
  }

  #receive(bytes: Buffer): void {
    if (this.#phase === 'idle' || this.#phase === 'head') {
      if (this.#buffered) this.#readMore(this.#buffered, bytes);
      else this.#readHead(bytes);
    } else if (this.#phase === 'body') this.#readBody(bytes);
    else if (this.#phase === 'handling' || this.#phase === 'drain') {
      this.#buffered ??= new GrowingBytes();
      this.#buffered.append(bytes);
      this.#count(this.#counted + bytes.length);
      this.#pause();
    }
  }

  /** Notes how much memory this connection takes. */
  #count(bytes: number): void {
    this.#context.bufferedBytes += bytes - this.#counted;
    this.#counted = bytes;
  }

  /** A head that was incomplete is still so without the end of another line. */
  #readMore(buffered: GrowingBytes, bytes: Buffer): void {
    buffered.append(bytes);
    this.#count(buffered.length);
    if (bytes.includes(LF) || buffered.length > HEAD_BYTES_MAX) this.#readHead(buffered.view());
  }

  #readHead(bytes: Buffer): void {
    if (this.#phase === 'idle') {
      this.#phase = 'head';
      this.#deadline = this.#context.now + this.#context.timeouts.head;
    }
    const { spelledPrefix } = this.#context;
    let head = parseRequestHead(bytes.toString('latin1', 0, SHORT_TEXT), this.#lines, spelledPrefix);
    if (head === undefined && bytes.length > SHORT_TEXT) {
      const text = bytes.toString('latin1', 0, HEAD_BYTES_MAX + 1);
      head = parseRequestHead(text, this.#lines, spelledPrefix);
    }
    if (typeof head === 'number') this.#refuse(head);
    else if (head !== undefined && head.end <= HEAD_BYTES_MAX) this.#begin(head, bytes);
    else if (bytes.length > HEAD_BYTES_MAX) this.#refuse(431);
    else if (this.#context.bufferedBytes > 2 * this.#context.limits.bufferedBytesMax) this.#refuse(503);
    else if (!this.#buffered) this.#buffer(bytes);
  }

  #begin(head: RequestHead, bytes: Buffer): void {
    const { end, bodyLength } = head;
    this.#head = head;
    if (head.awaitsContinue) this.#socket.write(CONTINUE, 'latin1');
    const until = end + bodyLength;
    if (bodyLength >= 0 && bodyLength <= this.#context.limits.bodyBytesMax && until <= bytes.length) {
      this.#buffered = undefined;
      if (until < bytes.length) this.#buffer(bytes.subarray(until));
      this.#handOn(head, bodyLength === 0 ? EMPTY : bytes.subarray(end, until), false);
      return;
    }
    this.#buffered = undefined;
    this.#phase = 'body';
    this.#deadline += this.#context.timeouts.request - this.#context.timeouts.head;
    const collected = new CollectedBody(this.#context.limits.bodyBytesMax);
    const framing = new BodyFraming(bodyLength, (piece, from, to) => collected.append(piece, from, to));
    this.#body = { framing, collected };
    this.#readBody(bytes.subarray(end));
  }

  /** Keeps what cannot be parsed yet. */
  #buffer(bytes: Buffer): void {
    this.#buffered = new GrowingBytes();
    this.#buffered.adopt(bytes);
    this.#count(bytes.length);
  }

  #readBody(bytes: Buffer): void {
    const [head, body] = [this.#head, this.#body];
    if (!head || !body) return;
    const { framing, collected } = body;
    const end = framing.decode(bytes);
    if (end < 0) {
      this.#refuse(400);
    } else if (framing.isComplete || collected.isEndless) {
      this.#body = undefined;
      this.#isCut = !framing.isComplete;
      if (this.#isCut) this.#pause();
      if (end < bytes.length) this.#buffer(bytes.subarray(end));
      this.#handOn(head, collected.bytes, collected.isTooLarge, collected.isDropped);
    } else {
      this.#count(collected.bufferedBytes);
      if (this.#context.bufferedBytes > this.#context.limits.bufferedBytesMax) this.#count(collected.drop());
    }
  }

  /** Where memory is short, requests with a body are refused; the others, which are reads and deletes, go on for longer. */
  #handOn(head: RequestHead, whole: Buffer, bodyTooLarge: boolean, isDropped = false): void {
    const { respond, secure, limits } = this.#context;
    const { method, target, headers } = head;
    this.#phase = 'handling';
    this.#count(whole.length + (this.#buffered?.length ?? 0));
    const bytesMax = whole.length > 0 ? limits.bufferedBytesMax : 2 * limits.bufferedBytesMax;
    const isBusy = isDropped || this.#context.bufferedBytes > bytesMax;
    const body = isBusy ? EMPTY : whole;
    const remoteAddress = this.#remoteAddress;
    const request = { method, target, headers, body, bodyTooLarge, isBusy, secure, remoteAddress };
    try {
      respond(request).then(this.#onAnswer, this.#onFault);
    } catch {
      this.#onFault();
    }
  }

  /** An answer that cannot be written is a fault: nobody gets half of it. */
  #answer(response: WireResponse): void {
    this.#count(this.#buffered?.length ?? 0);
    const head = this.#head;
    if (this.#phase !== 'handling' || !head) return;
    // An idle connection keeps nothing of its last request.
    this.#head = undefined;
    const { method, isKept } = head;
    const { kept, closed, cut } = endings();
    const isCut = this.#isCut || this.#context.isClosing;
    let isFlushed: boolean;
    try {
      isFlushed = writeResponse(this.#socket, response, method, isCut ? cut : isKept ? kept : closed);
    } catch {
      this.destroy();
      return;
    }
    if (isCut || !isKept) this.#finish();
    else if (isFlushed) this.#next();
    else this.#wait('drain');
  }

  /** Until the client has read what is written. */
  #wait(phase: 'drain' | 'closing'): void {
    this.#phase = phase;
    this.#deadline = this.#context.now + this.#context.timeouts.drain;
    this.#count((this.#buffered?.length ?? 0) + this.#socket.writableLength);
  }

  /** The answer is out; what came meanwhile is the next request. */
  #next(): void {
    this.#phase = 'idle';
    this.#deadline = this.#context.now + this.#context.timeouts.idle;
    this.#inARow = this.#buffered ? this.#inARow + 1 : 0;
    if (this.#inARow < REQUESTS_IN_A_ROW) {
      this.#readBuffered();
    } else {
      this.#inARow = 0;
      this.#pause();
      setImmediate(() => this.#readBuffered());
    }
  }

  #readBuffered(): void {
    if (this.#phase !== 'idle') return;
    if (this.#buffered) this.#readHead(this.#buffered.view());
    else if (this.#context.isClosing) this.#finish();
    if (this.#isPaused) this.#resume();
    if (this.#hasEnded) this.#end();
  }

  /** The client sends no more: an idle connection is done, a request that is not complete never will be. */
  #end(): void {
    if (this.#phase === 'idle' || this.#isFresh) this.#finish();
    else if (this.#phase === 'head' || this.#phase === 'body') this.#refuse(400);
  }

  /** Closes the connection once all is written. */
  #finish(): void {
    this.#buffered = undefined;
    this.#wait('closing');
    this.#socket.destroySoon();
  }

  #refuse(status: Refusal | 503): void {
    this.#phase = 'refused';
    this.#deadline = this.#context.now + this.#context.timeouts.linger;
    this.#buffered = undefined;
    this.#body = undefined;
    this.#count(0);
    this.#socket.end(
      `HTTP/1.1 ${REFUSALS[status]}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`,
      'latin1',
    );
  }

  #pause(): void {
    this.#isPaused = true;
    this.#socket.pause();
  }

  /** Unless the next request is under way already. */
  #resume(): void {
    if (this.#phase === 'handling') return;
    this.#isPaused = false;
    this.#socket.resume();
  }
}
