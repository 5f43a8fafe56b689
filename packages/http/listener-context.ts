// What the connections of one listener share: the request handler, the bounds on time and memory, and how much memory
// is in use. listen.ts makes it and moves its clock, each connection counts its own bytes in it.
import type { StreamedResponse, WireRequest, WireResponse } from '#base';
import type { TrustedProxies } from './trusted-proxies.js';

/** Handles one request. A rejection cuts the connection: no client gets a made-up answer. */
export type Respond = (request: WireRequest) => Promise<WireResponse | StreamedResponse>;

/** All in milliseconds. */
export interface Timeouts {
  /** From the first byte of a request, or from the connection's beginning, to the end of its head. */
  readonly head: number;
  /** From the first byte of a request to its last, where the body is buffered. */
  readonly request: number;
  /** From an answer to the next request. */
  readonly idle: number;
  /** How long a refused client may keep sending, or a silent one keeps a listener from closing. */
  readonly linger: number;
  /** For a streamed body in either direction: how long the other side may move nothing while it is its turn. */
  readonly stall: number;
  /** From the writing of a buffered answer until its client has read all of it. */
  readonly drain: number;
  /** The same while memory is short. */
  readonly drainWhenShort: number;
  /** From a listener's closing until what is still in progress is cut. */
  readonly closing: number;
}

export interface Limits {
  /** For a body in one buffer. */
  readonly bodyBytesMax: number;
  /** How much of an unread body is still read, so that the client sees the answer; then it is cut. */
  readonly discardedBytesMax: number;
  /**
   * For all connections: beyond it bodies are refused, and beyond twice as much every request, so that reads work for
   * longer.
   */
  readonly bufferedBytesMax: number;
  /**
   * In addition, for all connections: incomplete heads, and bodies that no handler has asked for yet, whose callers are
   * unauthenticated.
   */
  readonly unknownBytesMax: number;
}

export interface ListenerContext {
  readonly respond: Respond;
  /** Their fields about their clients are trusted. */
  readonly proxies: TrustedProxies | undefined;
  readonly secure: boolean;
  readonly timeouts: Timeouts;
  readonly limits: Limits;
  /** Names of headers with this prefix keep their spelling, see `WireRequest.headers`. */
  readonly spelledPrefix: string | undefined;
  /** Milliseconds since an arbitrary start, a second late at most. */
  now: number;
  /** Connections close after the current answer. */
  isClosing: boolean;
  /** When that began. */
  closingSince: number;
  /**
   * Bodies from when they are asked for to their answer, and answers until their clients have read them: of all
   * connections.
   */
  bufferedBytes: number;
  /** Incomplete heads, and bodies before they are asked for: of all connections. */
  unknownBytes: number;
  /** The requests that hold the unknown bytes. */
  readonly unknown: Unfinished;
  /** Bodies that are being collected. */
  readonly collecting: Unfinished;
}

/**
 * For a collected body: after this long it is slow, and is evicted before others are refused. 4 MiB then need 16
 * Mbit/s.
 */
const SLOW_MILLISECONDS = 2_000;

export interface Evictable {
  /** Releases everything it holds, and leaves. */
  evict(): void;
}

/**
 * Incomplete requests, in the order in which they began: the ones to evict when memory is short. They count what they
 * hold themselves, in the listener's context.
 */
export class Unfinished {
  readonly #since = new Map<Evictable, number>();

  /** A request that is already in keeps its place. */
  enter(request: Evictable): void {
    if (!this.#since.has(request)) this.#since.set(request, performance.now());
  }

  leave(request: Evictable): void {
    this.#since.delete(request);
  }

  /** Evicts the oldest first, of those that began at least this long ago, until it is enough. */
  evict(isEnough: () => boolean, milliseconds = 0): void {
    const latest = performance.now() - milliseconds;
    for (const [request, since] of this.#since) {
      if (isEnough() || since > latest) return;
      this.#since.delete(request);
      request.evict();
    }
  }
}

/** Whether there is memory for what is buffered, after evicting slow bodies. */
export function hasMemory(context: ListenerContext, bytesMax = context.limits.bufferedBytesMax): boolean {
  const isEnough = (): boolean => context.bufferedBytes <= bytesMax;
  context.collecting.evict(isEnough, SLOW_MILLISECONDS);
  return isEnough();
}

/** What one request holds before its caller is known: counted, and released when others need the memory. */
export class UnknownBytes {
  readonly #context: ListenerContext;
  readonly #holder: Evictable;
  #bytes = 0;

  constructor(context: ListenerContext, holder: Evictable) {
    this.#context = context;
    this.#holder = holder;
  }

  /** Holds this many from now on. If the total is then too much, evicts the oldest requests, possibly this one. */
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
