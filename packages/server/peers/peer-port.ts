// Receives requests of other front ends, runs each once, and answers. A refused request has not begun, and never will.
import { once } from 'node:events';
import type { Peers } from '#store';
import type { Carried, ForwardedRequest } from './forwarded.js';
import { type Asking, encodeFrame, type Frame, type Message } from './frames.js';
import { hearFrames, type PeerAddress, type PeerServer, type PeerSocket, peerServer } from './peer-socket.js';

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
    this.#sockets.add(socket);
    socket.on('close', () => this.#sockets.delete(socket));
    hearFrames(socket, frame => this.#hear(socket, frame));
  }

  #hear(socket: PeerSocket, { message, body }: Frame): void {
    const tell = (told: Message, bytes?: Buffer): void => {
      if (socket.writable) socket.write(encodeFrame(told, bytes));
    };
    if (message.kind === 'ping') tell({ kind: 'pong', clock: performance.now() });
    if (message.kind !== 'request') return;
    const { number } = message;
    const carried = this.#begin(message, body, socket.writableLength);
    if (typeof carried === 'string') {
      this.#told.refused += 1;
      tell({ kind: 'refused', number, reason: carried });
      return;
    }
    carried.then(
      ({ response: { body: content = '', ...response }, refused }) =>
        tell(
          { kind: 'answered', number, response, refused },
          typeof content === 'string' ? Buffer.from(content) : content,
        ),
      () => tell({ kind: 'unclear', number, reason: 'It failed there.' }),
    );
  }

  /** Or why not. */
  #begin({ lease, until, ...asked }: Asking, body: Buffer, unsent: number): Promise<Carried> | string {
    if (this.#isLeaving) return 'It is leaving.';
    if (!this.#peers.holds(lease)) return 'The lease is not its own.';
    if (performance.now() >= until) return 'It came too late.';
    if (this.#underWay.size >= CARRIED_MAX || unsent > UNSENT_BYTES_MAX) return 'It has too many.';
    const carried = this.#carry({ ...asked, request: { ...asked.request, body } });
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
