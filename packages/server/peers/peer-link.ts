// The sending side's link to another front end: one connection with many requests under way. It guarantees above all that it knows whether a request
// that got no answer can still run there. After a connection ends it reconnects, and sends the requests under way again under their ids, which the other side knows if it had
// begun them; it abandons a silent connection.
import { randomUUID } from 'node:crypto';
import type { Peer } from '#store';
import {
  type Carried,
  decodeCarried,
  encodeRequest,
  type ForwardedRequest,
  type Sending,
} from './forwarded.js';
import { decodeClock, encodeFrame, type Frame, FrameReader } from './frames.js';
import { addressIn, connectPeer, type PeerSocket } from './peer-socket.js';

/** How often to request the other side's clock. */
const PING_MS = 250;
/** Unanswered pings after which the link takes no new requests, and after which those under way are abandoned. */
const LATE_PINGS = 2;
const SILENT_PINGS = 8;
/** By the other side's clock, since it was last received. It must have ended when the requests under way are abandoned. */
const BEGUN_WITHIN_MS = PING_MS * (SILENT_PINGS - 1);
/** Also of one that has ended. */
const CONNECT_MS = 2000;
const AGAIN_MS = 50;
/** An answer takes no longer, whatever the cluster does. */
const ANSWER_MS_MAX = 30_000;
/** Forwarded and not answered. */
export const UNDER_WAY_MAX = 512;
/** A ping names the number after the last, in the 32 bits of a frame. */
export const NUMBER_MAX = 0xffff_fffe;
/** Not yet taken by the system. */
const UNSENT_BYTES_MAX = 8 * 1_048_576;

/** `refused`: it was not begun there, and never will be. `unclear`: it may have happened, or may still happen. */
export type LinkOutcome =
  | { readonly kind: 'answered'; readonly carried: Carried }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'unclear'; readonly reason: string };

interface UnderWay {
  readonly sending: Sending;
  readonly request: ForwardedRequest;
  readonly began: number;
  readonly resolve: (outcome: LinkOutcome) => void;
}

export class PeerLink {
  readonly #url: string;
  readonly #secret: string;
  readonly #onEnd: (isSuspect: boolean) => void;
  /** Unlike that of any other link. */
  readonly #id = randomUUID();
  readonly #underWay = new Map<number, UnderWay>();
  readonly #timer: NodeJS.Timeout;
  #socket: PeerSocket | undefined;
  #isReady = false;
  #hasEnded = false;
  #missed = 0;
  #number: number;
  /** The other side's clock, as last received. */
  #clock = 0;
  /** Since the connection was made, or was lost. */
  #since = performance.now();

  /**
   * `onEnd` is called once this link is of no use any more, with whether the other side is to blame. Requests are numbered after `last`.
   */
  constructor(url: string, secret: string, onEnd: (isSuspect: boolean) => void, last = 0) {
    this.#number = last;
    this.#url = url;
    this.#secret = secret;
    this.#onEnd = onEnd;
    this.#timer = setInterval(() => this.#look(), PING_MS).unref();
    this.#connect();
  }

  /** Whether a request may be handed over now. */
  get isOpen(): boolean {
    return (
      this.#isReady &&
      this.#missed < LATE_PINGS &&
      this.#underWay.size < UNDER_WAY_MAX &&
      this.#number < NUMBER_MAX &&
      (this.#socket?.writableLength ?? 0) < UNSENT_BYTES_MAX
    );
  }

  /** To be called while it is open. */
  send(peer: Peer, request: ForwardedRequest): Promise<LinkOutcome> {
    const until = this.#clock + BEGUN_WITHIN_MS;
    const sending = { link: this.#id, lease: peer.lease, until, isAgain: false };
    this.#number += 1;
    const number = this.#number;
    return new Promise(resolve => {
      this.#underWay.set(number, { sending, request, began: performance.now(), resolve });
      this.#write(number, sending, request);
    });
  }

  end(reason: string, isSuspect = true): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#isReady = false;
    clearInterval(this.#timer);
    this.#socket?.destroy();
    for (const { resolve } of this.#underWay.values()) resolve({ kind: 'unclear', reason });
    this.#underWay.clear();
    this.#onEnd(isSuspect);
  }

  #connect(): void {
    const address = addressIn(this.#url);
    if (address === undefined) {
      setImmediate(() => this.end('Its address cannot be read.'));
      return;
    }
    const socket = connectPeer(address, this.#secret);
    const reader = new FrameReader();
    this.#socket = socket;
    socket.on('secureConnect', () => this.#ping());
    socket.on('data', piece => {
      try {
        for (const frame of reader.add(piece)) this.#hear(frame);
      } catch {
        socket.destroy();
      }
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      if (this.#socket === socket) this.#lose();
    });
  }

  /** Resends the requests under way as long as that may still help. */
  #lose(): void {
    if (this.#hasEnded) return;
    const wasReady = this.#isReady;
    if (wasReady) this.#since = performance.now();
    this.#isReady = false;
    // The next caller that needs it reconnects, and learns then whether that works.
    if (this.#underWay.size === 0 || performance.now() - this.#since > CONNECT_MS)
      this.end('The connection to it ended.', !wasReady);
    else setTimeout(() => !this.#hasEnded && this.#connect(), AGAIN_MS).unref();
  }

  /** Reports the oldest request under way: the other side can forget all before it. */
  #ping(): void {
    const [oldest = this.#number + 1] = this.#underWay.keys();
    this.#socket?.write(encodeFrame('ping', oldest, Buffer.from(this.#id)));
  }

  /** Ends a link that is unreachable or silent. A long pause of this process counts as one look: what arrived in between is read first. */
  #look(): void {
    const now = performance.now();
    if (!this.#isReady) {
      if (now - this.#since > CONNECT_MS) this.end('It could not be reached.');
      return;
    }
    this.#missed += 1;
    const [oldest] = this.#underWay.values();
    if (this.#missed > SILENT_PINGS) this.end('It was silent.');
    else if (oldest !== undefined && now - oldest.began > ANSWER_MS_MAX) this.end('It did not answer.');
    else if (oldest === undefined && this.#number === NUMBER_MAX) this.end('Its numbers are used up.', false);
    else this.#ping();
  }

  #hear({ kind, number, payload }: Frame): void {
    this.#missed = 0;
    if (kind === 'pong') {
      this.#clock = decodeClock(payload);
      if (!this.#isReady) this.#open();
      return;
    }
    const outcome = outcomeOf(kind, payload);
    this.#underWay.get(number)?.resolve(outcome);
    this.#underWay.delete(number);
  }

  #open(): void {
    this.#isReady = true;
    for (const [number, { sending, request }] of this.#underWay)
      this.#write(number, { ...sending, isAgain: true }, request);
  }

  #write(number: number, sending: Sending, request: ForwardedRequest): void {
    this.#socket?.write(encodeFrame('request', number, encodeRequest(sending, request)));
  }
}

function outcomeOf(kind: Frame['kind'], payload: Buffer): LinkOutcome {
  if (kind === 'answer') return { kind: 'answered', carried: decodeCarried(payload) };
  return { kind: kind === 'refused' ? 'refused' : 'unclear', reason: payload.toString() };
}
