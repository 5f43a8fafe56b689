// Receives requests of other front ends, runs each once, and answers. A refused request has not begun, and never will.
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
const UNSENT_BYTES_MAX = 32 * 1_048_576;
/** For a peer that does not read its answers. */
const ENDING_MS = 500;

/** Undefined for an unknown service or account. */
export type Carry = (request: ForwardedRequest) => Promise<Carried> | undefined;

export class PeerPort {
  readonly #peers: Pick<Peers, 'holds'>;
  readonly #carry: Carry;
  readonly #server: PeerServer;
  readonly #sockets = new Set<PeerSocket>();
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
    this.#sockets.add(socket);
    socket.on('data', piece => {
      try {
        for (const frame of reader.add(piece)) this.#hear(socket, frame);
      } catch {
        socket.destroy();
      }
    });
    socket.on('error', () => undefined);
    socket.on('close', () => this.#sockets.delete(socket));
  }

  #hear(socket: PeerSocket, { kind, number, payload }: Frame): void {
    if (kind === 'ping') socket.write(encodeFrame('pong', 0, encodeClock(performance.now())));
    else if (kind === 'request') this.#answer(socket, number, decodeRequest(payload));
  }

  #answer(socket: PeerSocket, number: number, asked: Sending & ForwardedRequest): void {
    const carried = this.#begin(asked, socket.writableLength);
    const tell = (kind: Frame['kind'], payload: Buffer): void => {
      if (socket.writable) socket.write(encodeFrame(kind, number, payload));
    };
    if (typeof carried === 'string') {
      this.#told.refused += 1;
      tell('refused', Buffer.from(carried));
      return;
    }
    carried.then(
      value => tell('answer', encodeCarried(value)),
      () => tell('unknown', Buffer.from('It failed there.')),
    );
  }

  /** Or why not. */
  #begin(asked: Sending & ForwardedRequest, unsent: number): Promise<Carried> | string {
    if (this.#isLeaving) return 'It is leaving.';
    if (!this.#peers.holds(asked.lease)) return 'The lease is not its own.';
    if (performance.now() >= asked.until) return 'It came too late.';
    if (this.#underWay.size >= CARRIED_MAX || unsent > UNSENT_BYTES_MAX) return 'It has too many.';
    const carried = this.#carry(asked);
    if (carried === undefined) return 'It has no such account or service.';
    this.#underWay.add(carried);
    const end = (): void => {
      this.#underWay.delete(carried);
      this.#told.answered += 1;
    };
    carried.then(end, end);
    return carried;
  }
}
