// The life of one connection: requests are taken one at a time, in order, each handed on as a plain value, and its answer written
// before the next is looked at. Meanwhile the socket is not read beyond what is there already. Which connections there are, and
// when time passes, is listen.ts's.
import type { Socket } from 'node:net';
import { releaseBuffer, type WireRequest, type WireResponse } from '#base';
import { endings, formatHead, type ResponseHead } from './format-head.js';
import { GrowingBytes } from './growing-bytes.js';
import { type FieldLine, SHORT_TEXT } from './header-fields.js';
import { BODY_BYTES_MAX, RequestBody } from './request-body.js';
import { HEAD_BYTES_MAX, parseRequestHead, type Refusal, type RequestHead } from './request-head.js';

export type Respond = (request: WireRequest) => Promise<WireResponse>;

/** All in milliseconds. */
export interface Timeouts {
  /** From the first byte of a request, or from the connection's beginning, to the end of its head. */
  readonly head: number;
  /** From the first byte of a request to its last. */
  readonly request: number;
  /** From an answer to the next request. */
  readonly idle: number;
  /** How long a client that was refused may go on to send, or one that says nothing keeps a listener from closing. */
  readonly linger: number;
  /** From an answer's writing until its client has taken all of it. */
  readonly taking: number;
  /** The same while memory is short. */
  readonly takingWhenShort: number;
  /** From a listener's closing until what is still under way is cut. */
  readonly closing: number;
}

/** What the connections of a listener have in common. */
export interface Site {
  readonly respond: Respond;
  readonly secure: boolean;
  readonly timeouts: Timeouts;
  /** Milliseconds since some beginning, a second late at most. */
  now: number;
  /** Connections are not kept any longer. */
  isClosing: boolean;
  /** When that began. */
  closingSince: number;
  /** Heads and bodies that came, until their answers, and answers that are not taken yet: of all connections. */
  heldBytes: number;
  /** Beyond it bodies are refused, and beyond twice as much every request: reads go on for longer. */
  readonly heldBytesMax: number;
}

/**
 * - `head`: the end of a head is waited for; of the first, perhaps nothing came yet.
 * - `body`: the end of a body is waited for.
 * - `answer`: a request was handed on.
 * - `drain`: its answer is written, but the client has yet to read of it.
 * - `idle`: the next request is waited for.
 * - `refused`: what comes is thrown away, so that the client gets to see why.
 * - `closing`: nothing is taken any more, but the client has yet to read of the last answer.
 * - `gone`: there is nobody any more.
 */
type Phase = 'head' | 'body' | 'answer' | 'drain' | 'idle' | 'refused' | 'closing' | 'gone';

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
/** Up to here it costs less to copy a body behind its head than to hand the system two pieces. */
const JOINED_BYTES_MAX = 16_384;
/** Of requests that came before they were waited for: then other connections get their turn. */
const REQUESTS_IN_A_ROW = 32;

/** Answers to HEAD, and of these statuses, end with the head, whatever length it names. */
const endsWithHead = (status: number, method: string): boolean =>
  method === 'HEAD' || status === 204 || status === 304;

/** @throws RangeError where a client would take the end of an answer for another place than it is. */
function checkLength({ bodyLength }: ResponseHead, length: number): void {
  if (Number(bodyLength) !== length) throw new RangeError(`An answer of ${length} bytes says ${bodyLength}.`);
}

/** As many bytes as characters are all ASCII. Of text that is not, the head goes out as the body does: so node does it. */
function encodingOf(text: string, head: ResponseHead): 'latin1' | 'utf8' {
  if (head.isAscii && Number(head.bodyLength) === text.length) return 'latin1';
  checkLength(head, Buffer.byteLength(text));
  return text === '' ? 'latin1' : 'utf8';
}

export class Connection {
  readonly #socket: Socket;
  readonly #site: Site;
  readonly #remoteAddress: string;
  #phase: Phase = 'head';
  /** When what is waited for is given up, in the site's time; means nothing while an answer is waited for. */
  #deadline: number;
  /** The head that is not complete, or what came while a request was under way. */
  #held: GrowingBytes | undefined;
  /** The header lines of the last request. */
  readonly #lines: FieldLine[] = [];
  /** Of the request under way. */
  #head: RequestHead | undefined;
  /** Only while it is incomplete. */
  #body: RequestBody | undefined;
  /** What of the site's bytes is this connection's. */
  #counted = 0;
  /** The rest of the request is never read. */
  #isCut = false;
  #isPaused = false;
  /** Requests that were held when they were begun, one right after the other. */
  #inARow = 0;
  /** The client has said all it has to say; it may still listen. */
  #hasEnded = false;
  readonly #onAnswer = (response: WireResponse): void => this.#answer(response);
  readonly #onFault = (): void => {
    this.destroy();
    this.#count(0);
  };

  constructor(socket: Socket, site: Site) {
    this.#socket = socket;
    this.#site = site;
    this.#remoteAddress = socket.remoteAddress ?? '';
    this.#deadline = site.now + site.timeouts.head;
    socket.on('data', (bytes: Buffer) => this.#receive(bytes));
    socket.on('drain', () => {
      if (this.#phase !== 'drain') return;
      this.#count(this.#held?.length ?? 0);
      this.#goOn();
    });
    socket.on('end', () => {
      this.#hasEnded = true;
      this.#end();
    });
    // What fails closes too, and whoever is under way then has nobody to answer.
    socket.on('error', () => this.destroy());
    socket.on('close', () => this.destroy());
  }

  /** Who is answering meanwhile goes on to hold the body, which is counted until then. */
  destroy(): void {
    if (this.#phase !== 'answer' && this.#phase !== 'gone') this.#count(0);
    this.#phase = 'gone';
    this.#held = undefined;
    this.#socket.destroy();
  }

  /** There are too many connections: says so, and ends it. */
  turnAway(): void {
    this.#refuse(503);
  }

  /** The first request is waited for, and none of it came yet. */
  get #isFresh(): boolean {
    return this.#phase === 'head' && this.#held === undefined;
  }

  /** The listener closes: ends the connection if it was used and is not; of one that is fresh, a request may be on its way. */
  closeIfIdle(): void {
    const { head, linger } = this.#site.timeouts;
    if (this.#phase === 'idle' && this.#held === undefined) this.destroy();
    else if (this.#isFresh) this.#deadline += linger - head;
  }

  /** Ends what takes too long; to be called every now and then. */
  expire(): void {
    if (this.#site.now > this.#deadline) this.#giveUp();
  }

  /** The same for who takes long to take an answer, while memory is short. */
  hurry(): void {
    const { now, timeouts } = this.#site;
    const isTaking = this.#phase === 'drain' || this.#phase === 'closing';
    if (isTaking && now > this.#deadline - timeouts.taking + timeouts.takingWhenShort) this.destroy();
  }

  /** How long an answer takes is not the client's affair. */
  #giveUp(): void {
    if (this.#phase === 'answer') return;
    const isAsking = this.#phase === 'head' || this.#phase === 'body';
    if (isAsking && !(this.#site.isClosing && this.#isFresh)) this.#refuse(408);
    else this.destroy();
  }

  #receive(bytes: Buffer): void {
    if (this.#phase === 'idle' || this.#phase === 'head') {
      if (this.#held) this.#readMore(this.#held, bytes);
      else this.#readHead(bytes);
    } else if (this.#phase === 'body') this.#readBody(bytes);
    else if (this.#phase === 'answer' || this.#phase === 'drain') {
      this.#held ??= new GrowingBytes();
      this.#held.append(bytes);
      this.#count(this.#counted + bytes.length);
      this.#pause();
    }
  }

  /** Notes how much memory this connection takes. */
  #count(bytes: number): void {
    this.#site.heldBytes += bytes - this.#counted;
    this.#counted = bytes;
  }

  /** A head that was incomplete is still so without the end of another line. */
  #readMore(held: GrowingBytes, bytes: Buffer): void {
    held.append(bytes);
    this.#count(held.length);
    if (bytes.includes(LF) || held.length > HEAD_BYTES_MAX) this.#readHead(held.view());
  }

  #readHead(bytes: Buffer): void {
    if (this.#phase === 'idle') {
      this.#phase = 'head';
      this.#deadline = this.#site.now + this.#site.timeouts.head;
    }
    let head = parseRequestHead(bytes.toString('latin1', 0, SHORT_TEXT), this.#lines);
    if (head === undefined && bytes.length > SHORT_TEXT)
      head = parseRequestHead(bytes.toString('latin1', 0, HEAD_BYTES_MAX + 1), this.#lines);
    if (typeof head === 'number') this.#refuse(head);
    else if (head !== undefined && head.end <= HEAD_BYTES_MAX) this.#begin(head, bytes);
    else if (bytes.length > HEAD_BYTES_MAX) this.#refuse(431);
    else if (this.#site.heldBytes > 2 * this.#site.heldBytesMax) this.#refuse(503);
    else if (!this.#held) this.#hold(bytes);
  }

  #begin(head: RequestHead, bytes: Buffer): void {
    const { end, bodyLength } = head;
    this.#head = head;
    if (head.awaitsContinue) this.#socket.write(CONTINUE, 'latin1');
    const until = end + bodyLength;
    if (bodyLength >= 0 && bodyLength <= BODY_BYTES_MAX && until <= bytes.length) {
      this.#held = undefined;
      if (until < bytes.length) this.#hold(bytes.subarray(until));
      this.#ask(head, bodyLength === 0 ? EMPTY : bytes.subarray(end, until), false);
      return;
    }
    this.#held = undefined;
    this.#phase = 'body';
    this.#deadline += this.#site.timeouts.request - this.#site.timeouts.head;
    this.#body = new RequestBody(bodyLength);
    this.#readBody(bytes.subarray(end));
  }

  /** Keeps what cannot be looked at yet. */
  #hold(bytes: Buffer): void {
    this.#held = new GrowingBytes();
    this.#held.adopt(bytes);
    this.#count(bytes.length);
  }

  #readBody(bytes: Buffer): void {
    const [head, body] = [this.#head, this.#body];
    if (!head || !body) return;
    const taken = body.take(bytes);
    if (taken < 0) {
      this.#refuse(400);
    } else if (body.isComplete || body.isEndless) {
      this.#body = undefined;
      this.#isCut = !body.isComplete;
      if (this.#isCut) this.#pause();
      if (taken < bytes.length) this.#hold(bytes.subarray(taken));
      this.#ask(head, body.bytes, body.isTooLarge, body.isDropped);
    } else {
      this.#count(body.heldBytes);
      if (this.#site.heldBytes > this.#site.heldBytesMax) this.#count(body.drop());
    }
  }

  /** Where memory is short, requests with a body are refused; the others, which are reads and deletes, go on for longer. */
  #ask(head: RequestHead, came: Buffer, bodyTooLarge: boolean, isDropped = false): void {
    const { respond, secure, heldBytesMax } = this.#site;
    const { method, target, headers } = head;
    this.#phase = 'answer';
    this.#count(came.length + (this.#held?.length ?? 0));
    const isBusy = isDropped || this.#site.heldBytes > (came.length > 0 ? heldBytesMax : 2 * heldBytesMax);
    const body = isBusy ? EMPTY : came;
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
    this.#count(this.#held?.length ?? 0);
    const head = this.#head;
    if (this.#phase !== 'answer' || !head) return;
    // A connection that rests keeps nothing of its last request.
    this.#head = undefined;
    const { method, isKept } = head;
    const { kept, closed, cut } = endings();
    const isCut = this.#isCut || this.#site.isClosing;
    let isFlushed: boolean;
    try {
      isFlushed = this.#write(response, method, isCut ? cut : isKept ? kept : closed);
    } catch {
      this.destroy();
      return;
    }
    if (isCut || !isKept) this.#finish();
    else if (isFlushed) this.#goOn();
    else this.#wait('drain');
  }

  /** Until the client has taken what is written. */
  #wait(phase: 'drain' | 'closing'): void {
    this.#phase = phase;
    this.#deadline = this.#site.now + this.#site.timeouts.taking;
    this.#count((this.#held?.length ?? 0) + this.#socket.writableLength);
  }

  /** @returns whether the client keeps pace. */
  #write(response: WireResponse, method: string, ending: string): boolean {
    const socket = this.#socket;
    const head = formatHead(response);
    const { status, body = '' } = response;
    if (endsWithHead(status, method)) return socket.write(head.text + ending, 'latin1');
    if (typeof body === 'string') return socket.write(head.text + ending + body, encodingOf(body, head));
    checkLength(head, body.length);
    if (body.length <= JOINED_BYTES_MAX)
      return socket.write(head.text + ending + body.toString('latin1'), 'latin1');
    socket.cork();
    socket.write(head.text + ending, 'latin1');
    const isFlushed = socket.write(body);
    socket.uncork();
    if (socket.writableLength === 0) releaseBuffer(body);
    return isFlushed;
  }

  /** The answer is out, and what came meanwhile gets its turn. */
  #goOn(): void {
    this.#phase = 'idle';
    this.#deadline = this.#site.now + this.#site.timeouts.idle;
    this.#inARow = this.#held ? this.#inARow + 1 : 0;
    if (this.#inARow < REQUESTS_IN_A_ROW) {
      this.#readHeld();
    } else {
      this.#inARow = 0;
      this.#pause();
      setImmediate(() => this.#readHeld());
    }
  }

  #readHeld(): void {
    if (this.#phase !== 'idle') return;
    if (this.#held) this.#readHead(this.#held.view());
    else if (this.#site.isClosing) this.#finish();
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
    this.#held = undefined;
    this.#wait('closing');
    this.#socket.destroySoon();
  }

  #refuse(status: Refusal | 503): void {
    this.#phase = 'refused';
    this.#deadline = this.#site.now + this.#site.timeouts.linger;
    this.#held = undefined;
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
    if (this.#phase === 'answer') return;
    this.#isPaused = false;
    this.#socket.resume();
  }
}
