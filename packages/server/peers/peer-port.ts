// Receives requests of other front ends, runs each once, and answers. A refused request has not begun, and never will. It remembers a request until the other side has its
// answer, so that a request that is sent again does not run again.
import { once } from 'node:events';
import type { Peers } from '#store';
import {
  type Carried,
  decodeRequest,
  encodeCarried,
  type ForwardedRequest,
  type Sending,
} from './forwarded.js';
import { encodeClock, encodeFrame, type Frame, FrameReader } from './frames.js';
import { type PeerAddress, type PeerServer, type PeerSocket, peerServer } from './peer-socket.js';

/** Under way, of all other front ends together; a front end that is refused runs the request itself. */
export const CARRIED_MAX = 1024;
/** Of one link, under way or answered since its last ping. */
export const REMEMBERED_MAX = 8192;
/** After the end of a connection: twice as long as requests that were sent over it may begin. */
const REMEMBERED_MS = 5000;
const UNSENT_BYTES_MAX = 32 * 1_048_576;
/** For a peer that does not read its answers. */
const ENDING_MS = 500;

/** Undefined for an unknown service or account. */
export type Carry = (request: ForwardedRequest) => Promise<Carried> | undefined;

/** By the numbers of their frames. */
type Remembered = Map<number, Promise<Carried>>;

export class PeerPort {
  readonly #peers: Pick<Peers, 'holds'>;
  readonly #carry: Carry;
  readonly #server: PeerServer;
  readonly #sockets = new Set<PeerSocket>();
  readonly #links = new Map<string, Remembered>();
  readonly #told = { answered: 0, refused: 0 };
  readonly #underWay = new Set<Promise<Carried>>();
  #isLeaving = false;

  constructor(peers: Pick<Peers, 'holds'>, secret: string, carry: Carry) {
    this.#peers = peers;
    this.#carry = carry;
    this.#server = peerServer(secret, socket => this.#accept(socket));
  }

  get told(): Readonly<Record<'answered' | 'refused', number>> {
    return this.#told;
  }

  /** Each process of a machine has one of its own. @throws the system's error where the address cannot be had. */
  async listen({ host, port }: PeerAddress): Promise<PeerAddress> {
    this.#server.listen({ host, port, exclusive: true });
    await once(this.#server, 'listening');
    const address = this.#server.address();
    return { host, port: address !== null && typeof address === 'object' ? address.port : port };
  }

  /** Answers what is under way; takes no more. */
  async close(): Promise<void> {
    this.#isLeaving = true;
    await Promise.allSettled(this.#underWay);
    // Their answers are written first.
    await new Promise(resolve => setImmediate(resolve));
    for (const socket of this.#sockets) {
      socket.end();
      setTimeout(() => socket.destroy(), ENDING_MS).unref();
    }
    await new Promise(resolve => this.#server.close(resolve));
  }

  #accept(socket: PeerSocket): void {
    // Its handshake may end after the others were ended.
    if (this.#isLeaving) {
      socket.destroy();
      return;
    }
    const reader = new FrameReader();
    const links = new Set<string>();
    this.#sockets.add(socket);
    socket.on('data', piece => {
      try {
        for (const frame of reader.add(piece)) this.#hear(socket, links, frame);
      } catch {
        socket.destroy();
      }
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.#sockets.delete(socket);
      for (const link of links) this.#forget(link);
    });
  }

  #hear(socket: PeerSocket, links: Set<string>, { kind, number, payload }: Frame): void {
    if (kind === 'ping') {
      const link = payload.toString();
      links.add(link);
      this.#trim(link, number);
      socket.write(encodeFrame('pong', 0, encodeClock(performance.now())));
    } else if (kind === 'request') this.#answer(socket, number, decodeRequest(payload));
  }

  #answer(socket: PeerSocket, number: number, asked: Sending & ForwardedRequest): void {
    const known = this.#links.get(asked.link)?.get(number);
    const carried = known ?? this.#begin(number, asked, socket.writableLength);
    const tell = (kind: Frame['kind'], payload: Buffer): void => {
      if (socket.writable) socket.write(encodeFrame(kind, number, payload));
    };
    if (typeof carried === 'string') {
      this.#told.refused += 1;
      // Whether a request that was sent before had begun is unknown: it may be forgotten, or another process may have had this address.
      tell(asked.isAgain ? 'unknown' : 'refused', Buffer.from(carried));
      return;
    }
    carried.then(
      value => tell('answer', encodeCarried(value)),
      () => tell('unknown', Buffer.from('It failed there.')),
    );
  }

  /** Or why not. */
  #begin(number: number, asked: Sending & ForwardedRequest, unsent: number): Promise<Carried> | string {
    const remembered: Remembered = this.#links.get(asked.link) ?? new Map();
    if (this.#isLeaving) return 'It is leaving.';
    if (!this.#peers.holds(asked.lease)) return 'The lease is not its own.';
    if (performance.now() >= asked.until) return 'It came too late.';
    const isFull = this.#underWay.size >= CARRIED_MAX || remembered.size >= REMEMBERED_MAX;
    if (isFull || unsent > UNSENT_BYTES_MAX) return 'It has too many.';
    const carried = this.#carry(asked);
    if (carried === undefined) return 'It has no such account or service.';
    this.#links.set(asked.link, remembered.set(number, carried));
    this.#underWay.add(carried);
    const end = (): void => {
      this.#underWay.delete(carried);
      this.#told.answered += 1;
    };
    carried.then(end, end);
    return carried;
  }

  #trim(link: string, oldest: number): void {
    const remembered = this.#links.get(link);
    if (remembered === undefined) return;
    // They are in the order in which they came, which is that of their numbers but for those that were sent again.
    for (const number of remembered.keys()) if (number < oldest) remembered.delete(number);
  }

  #forget(link: string): void {
    const remembered = this.#links.get(link);
    const forget = (): void => {
      if (this.#links.get(link) === remembered) this.#links.delete(link);
    };
    if (remembered !== undefined) setTimeout(forget, REMEMBERED_MS).unref();
  }
}
