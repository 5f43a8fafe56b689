// What the connections of one listener share: who handles requests, the bounds on time and memory, and how much memory is in use.
// listen.ts makes it, connections.ts moves its clock, each connection counts its own bytes in it.
import type { StreamedResponse, WireRequest, WireResponse } from '#base';
import type { TrustedProxies } from './trusted-proxies.js';
import { type Evictable, SLOW_MILLISECONDS, type Unfinished } from './unfinished.js';

/** Handles one request. A rejection cuts the connection: nobody gets a made-up answer. */
export type Respond = (request: WireRequest) => Promise<WireResponse | StreamedResponse>;

/** All in milliseconds. */
export interface Timeouts {
  /** From the first byte of a request, or from the connection's beginning, to the end of its head. */
  readonly head: number;
  /** From the first byte of a request to its last, where the body is buffered. */
  readonly request: number;
  /** From an answer to the next request. */
  readonly idle: number;
  /** How long a client that was refused may go on to send, or a silent one keeps a listener from closing. */
  readonly linger: number;
  /** Of a streamed body, either way: for how long the other side may move nothing while it is its turn. */
  readonly stall: number;
  /** From the writing of a buffered answer until its client has read all of it. */
  readonly drain: number;
  /** The same while memory is short. */
  readonly drainWhenShort: number;
  /** From a listener's closing until what is still under way is cut. */
  readonly closing: number;
}

export interface Limits {
  /** Of a body in one buffer. */
  readonly bodyBytesMax: number;
  /** Of a body that nobody reads, what is read all the same, so that the client gets to see the answer; then it is cut. */
  readonly discardedBytesMax: number;
  /** Of all connections: beyond it bodies are refused, and beyond twice as much every request, since reads go on for longer. */
  readonly bufferedBytesMax: number;
  /** Of all connections, beside that: heads that are not complete, and bodies that nobody has asked for yet, whose callers may be anybody. */
  readonly unknownBytesMax: number;
}

export interface ListenerContext {
  readonly respond: Respond;
  /** Whose word about their clients is taken. */
  readonly proxies: TrustedProxies | undefined;
  readonly secure: boolean;
  readonly timeouts: Timeouts;
  readonly limits: Limits;
  /** Names of headers that begin so keep their spelling, see `WireRequest.headers`. */
  readonly spelledPrefix: string | undefined;
  /** Milliseconds since some beginning, a second late at most. */
  now: number;
  /** Connections are closed after the answer under way. */
  isClosing: boolean;
  /** When that began. */
  closingSince: number;
  /** Bodies from when they are asked for to their answer, and answers until their clients have read them: of all connections. */
  bufferedBytes: number;
  /** Heads that are not complete, and bodies before they are asked for: of all connections. */
  unknownBytes: number;
  /** Who holds the unknown bytes. */
  readonly unknown: Unfinished;
  /** Bodies that are collected. */
  readonly collecting: Unfinished;
}

/** Whether there is memory for what is buffered, once the slow bodies have gone. */
export function hasMemory(context: ListenerContext, bytesMax = context.limits.bufferedBytesMax): boolean {
  const isEnough = (): boolean => context.bufferedBytes <= bytesMax;
  context.collecting.evict(isEnough, SLOW_MILLISECONDS);
  return isEnough();
}

/** What one request holds before its caller is known: counted, and given back when others need the memory. */
export class UnknownBytes {
  readonly #context: ListenerContext;
  readonly #holder: Evictable;
  #bytes = 0;

  constructor(context: ListenerContext, holder: Evictable) {
    this.#context = context;
    this.#holder = holder;
  }

  /** So many from now on. Where that is too much in all, the oldest requests go, this one among them. */
  hold(bytes: number): void {
    const { unknown, limits } = this.#context;
    const more = bytes - this.#bytes;
    if (more === 0) return;
    this.#bytes = bytes;
    this.#context.unknownBytes += more;
    if (bytes === 0) unknown.leave(this.#holder);
    else unknown.enter(this.#holder);
    if (more > 0) unknown.evict(() => this.#context.unknownBytes <= limits.unknownBytesMax);
  }
}
