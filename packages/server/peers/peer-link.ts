// The sending side's link to another front end: one connection with many requests under way. It guarantees above all that it knows whether a request
// that got no answer can still begin there. A link whose connection ends, or that is silent, is abandoned with its requests, but not before none of
// them can begin any more; the next request opens another.
import type { Peer } from '#store';
import { type Carried, decodeCarried, encodeRequest, type ForwardedRequest } from './forwarded.js';
import { decodeClock, encodeFrame, type Frame, FrameReader } from './frames.js';
import { addressIn, connectPeer, type PeerSocket } from './peer-socket.js';

/** How often to request the other side's clock. */
const PING_MS = 250;
/** Unanswered pings after which the link takes no new requests, and after which it is abandoned, also while it connects. */
const LATE_PINGS = 2;
const SILENT_PINGS = 8;
/** By the other side's clock, since it was last received. It must have ended when the link is abandoned. */
const BEGUN_WITHIN_MS = PING_MS * (SILENT_PINGS - 1);
/** An answer takes no longer, whatever the cluster does. */
const ANSWER_MS_MAX = 30_000;
/** Forwarded and not answered. */
export const UNDER_WAY_MAX = 512;
/** Not yet taken by the system. */
const UNSENT_BYTES_MAX = 8 * 1_048_576;
const EMPTY = Buffer.alloc(0);

/** `refused`: it was not begun there, and never will be. `unclear`: it may have happened or, if it had begun, may still happen. */
export type LinkOutcome =
  | { readonly kind: 'answered'; readonly carried: Carried }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'unclear'; readonly reason: string };

interface UnderWay {
  readonly began: number;
  readonly resolve: (outcome: LinkOutcome) => void;
}

export class PeerLink {
  readonly #onEnd: (isSuspect: boolean) => void;
  readonly #underWay = new Map<number, UnderWay>();
  readonly #timer: NodeJS.Timeout;
  readonly #socket: PeerSocket | undefined;
  #state: 'connecting' | 'ready' | 'lost' | 'ended' = 'connecting';
  /** Pings since anything was received. */
  #missed = 0;
  #number = 0;
  /** The other side's clock, as last received. */
  #clock = 0;

  /** `onEnd` is called once this link is of no use any more, with whether the other side is to blame. */
  constructor(url: string, secret: string, onEnd: (isSuspect: boolean) => void) {
    this.#onEnd = onEnd;
    this.#timer = setInterval(() => this.#look(), PING_MS).unref();
    const address = addressIn(url);
    if (address === undefined) setImmediate(() => this.end('Its address cannot be read.'));
    else this.#socket = this.#connect(connectPeer(address, secret));
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

  /** To be called while it is open. */
  send({ lease }: Peer, request: ForwardedRequest): Promise<LinkOutcome> {
    const until = this.#clock + BEGUN_WITHIN_MS;
    // Unlike those under way, also once the 32 bits of a frame are used up.
    this.#number = (this.#number + 1) >>> 0;
    const number = this.#number;
    return new Promise(resolve => {
      this.#underWay.set(number, { began: performance.now(), resolve });
      this.#socket?.write(encodeFrame('request', number, encodeRequest({ lease, until }, request)));
    });
  }

  end(reason: string, isSuspect = true): void {
    if (this.#state === 'ended') return;
    this.#state = 'ended';
    clearInterval(this.#timer);
    this.#socket?.destroy();
    for (const { resolve } of this.#underWay.values()) resolve({ kind: 'unclear', reason });
    this.#underWay.clear();
    this.#onEnd(isSuspect);
  }

  #connect(socket: PeerSocket): PeerSocket {
    const reader = new FrameReader();
    socket.on('secureConnect', () => this.#ping());
    socket.on('data', piece => {
      try {
        for (const frame of reader.add(piece)) this.#hear(frame);
      } catch {
        socket.destroy();
      }
    });
    socket.on('error', () => undefined);
    socket.on('close', () => this.#lose());
    return socket;
  }

  /** What is under way may still begin there for as long as at a silent front end: until then its outcome stays open. */
  #lose(): void {
    if (this.#state === 'connecting') this.end('It could not be reached.');
    else if (this.#underWay.size === 0) this.end('The connection to it ended.', false);
    else if (this.#state === 'ready') this.#state = 'lost';
  }

  #ping(): void {
    this.#socket?.write(encodeFrame('ping', 0, EMPTY));
  }

  /** Ends a link that is unreachable or silent. A long pause of this process counts as one look: what arrived in between is read first. */
  #look(): void {
    this.#missed += 1;
    const [oldest] = this.#underWay.values();
    if (this.#missed > SILENT_PINGS) this.end('It was silent.', this.#state !== 'lost');
    else if (oldest !== undefined && performance.now() - oldest.began > ANSWER_MS_MAX)
      this.end('It did not answer.');
    else if (this.#state === 'ready') this.#ping();
  }

  #hear({ kind, number, payload }: Frame): void {
    this.#missed = 0;
    if (kind === 'pong') {
      this.#clock = decodeClock(payload);
      if (this.#state === 'connecting') this.#state = 'ready';
      return;
    }
    const outcome = outcomeOf(kind, payload);
    this.#underWay.get(number)?.resolve(outcome);
    this.#underWay.delete(number);
  }
}

function outcomeOf(kind: Frame['kind'], payload: Buffer): LinkOutcome {
  if (kind === 'answer') return { kind: 'answered', carried: decodeCarried(payload) };
  return { kind: kind === 'refused' ? 'refused' : 'unclear', reason: payload.toString() };
}
