// The sending side's link to another front end: one connection with many requests under way. It guarantees above all that it knows whether a request
// that got no answer can still begin there. A link whose connection ends, or that is silent, is abandoned with its requests, but not before none of
// them can begin any more; the next request opens another at once.
import type { Peer } from '#store';
import type { ForwardedRequest, Outcome } from './forwarded.js';
import { encodeFrame, type Frame } from './frames.js';
import { addressIn, connectPeer, hearFrames, type PeerSocket } from './peer-socket.js';

/** How often to request the other side's clock. */
const PING_MS = 250;
/** Unanswered pings after which the link takes no new requests, and after which it is abandoned, also while it connects. */
const LATE_PINGS = 2;
const SILENT_PINGS = 8;
/** By the other side's clock, since it was last received. It must have ended when the link is abandoned. */
const BEGUN_WITHIN_MS = PING_MS * (SILENT_PINGS - 1);
/** An answer takes no longer, whatever the cluster does. */
export const ANSWER_MS_MAX = 30_000;
/** Forwarded and not answered. */
export const UNDER_WAY_MAX = 512;
/** Not yet taken by the system. */
const UNSENT_BYTES_MAX = 8 * 1_048_576;

interface UnderWay {
  readonly began: number;
  readonly resolve: (outcome: Outcome) => void;
}

interface LinkEvents {
  /** It takes no more requests, and never will. May be called again. */
  lost(): void;
  /** The other side cannot be reached, or does not answer. */
  suspected(): void;
}

export class PeerLink {
  readonly #on: LinkEvents;
  /** The oldest first. */
  readonly #underWay = new Map<number, UnderWay>();
  readonly #timer: NodeJS.Timeout;
  readonly #socket: PeerSocket | undefined;
  #state: 'connecting' | 'ready' | 'lost' | 'ended' = 'connecting';
  /** Pings since anything was received. */
  #missed = 0;
  #number = 0;
  /** The other side's clock, as last received. */
  #clock = 0;

  constructor(url: string, secret: string, on: LinkEvents) {
    this.#on = on;
    this.#timer = setInterval(() => this.#look(), PING_MS).unref();
    const address = addressIn(url);
    this.#socket = address && connectPeer(address, secret);
    if (this.#socket === undefined) setImmediate(() => this.#lose());
    else {
      hearFrames(this.#socket, frame => this.#hear(frame));
      this.#socket.on('secureConnect', () => this.#ping()).on('close', () => this.#lose());
    }
  }

  /** Whether a request may be handed over now. */
  get isOpen(): boolean {
    return (
      this.#state === 'ready' &&
      this.#missed < LATE_PINGS &&
      this.#underWay.size < UNDER_WAY_MAX &&
      (this.#socket?.writableLength ?? 0) < UNSENT_BYTES_MAX
    );
  }

  /** To be called while it is open. What is signed is known already, so that no signature travels in a header. */
  send({ lease }: Peer, { request, ...asked }: ForwardedRequest): Promise<Outcome> {
    const { body, ...bare } = request;
    const { authorization: _, ...headers } = request.headers;
    const until = this.#clock + BEGUN_WITHIN_MS;
    this.#number += 1;
    const number = this.#number;
    return new Promise(resolve => {
      this.#underWay.set(number, { began: performance.now(), resolve });
      const message = {
        kind: 'request',
        number,
        lease,
        until,
        ...asked,
        request: { ...bare, headers },
      } as const;
      this.#socket?.write(encodeFrame(message, body));
    });
  }

  /** With what is under way. */
  end(reason: string): void {
    if (this.#state === 'ended') return;
    this.#state = 'ended';
    clearInterval(this.#timer);
    this.#socket?.destroy();
    for (const { resolve } of this.#underWay.values()) resolve({ kind: 'unclear', reason });
    this.#underWay.clear();
    this.#on.lost();
  }

  /** What is under way may still begin there for as long as at a silent front end: until then its outcome stays open. */
  #lose(): void {
    if (this.#state === 'connecting') {
      this.#on.suspected();
      this.end('It could not be reached.');
    } else if (this.#underWay.size === 0) this.end('The connection to it ended.');
    else if (this.#state === 'ready') {
      this.#state = 'lost';
      this.#on.lost();
    }
  }

  #ping(): void {
    this.#socket?.write(encodeFrame({ kind: 'ping' }));
  }

  /** Ends a link that is unreachable or silent. A long pause of this process counts as one look: what arrived in between is read first. */
  #look(): void {
    this.#missed += 1;
    if (this.#missed > SILENT_PINGS) {
      if (this.#state !== 'lost') this.#on.suspected();
      this.end('It was silent.');
    } else if (this.#state === 'ready') {
      this.#giveUpLate();
      this.#ping();
    }
  }

  /** Fresh requests are still answered. */
  #giveUpLate(): void {
    const latest = performance.now() - ANSWER_MS_MAX;
    for (const [number, { began, resolve }] of this.#underWay) {
      if (began >= latest) return;
      this.#underWay.delete(number);
      this.#on.suspected();
      resolve({ kind: 'unclear', reason: 'It did not answer.' });
    }
  }

  #hear({ message, body }: Frame): void {
    this.#missed = 0;
    if (message.kind === 'pong') {
      this.#clock = message.clock;
      if (this.#state === 'connecting') this.#state = 'ready';
    }
    if (!('reason' in message || message.kind === 'answered')) return;
    const { number, ...told } = message;
    const outcome = told.kind === 'answered' ? { ...told, response: { ...told.response, body } } : told;
    this.#underWay.get(number)?.resolve(outcome);
    this.#underWay.delete(number);
  }
}
