// Forwards requests to the front ends that own the partitions they write to, and accepts those that others forward. A request is forwarded at most once. Ownership
// affects speed only: whichever front end runs the request, the store decides the outcome. peer-link.ts and peer-port.ts define the wire protocol.
import { type Peer, type Peers, type Space, StoreError } from '#store';
import { counter, label, type MetricFamily } from '../observe/metric-family.js';
import type { Carried, ForwardedRequest } from './forwarded.js';
import { PeerLink } from './peer-link.js';
import { type Carry, PeerPort } from './peer-port.js';
import { type PeerAddress, urlOf } from './peer-socket.js';

export class Forwarding {
  readonly #peers: Peers;
  readonly #secret: string;
  readonly #links = new Map<string, PeerLink>();
  readonly #told = { answered: 0, refused: 0, unclear: 0 };
  #port: PeerPort | undefined;
  #hasEnded = false;

  private constructor(peers: Peers, secret: string) {
    this.#peers = peers;
    this.#secret = secret;
  }

  static async open(peers: Peers): Promise<Forwarding> {
    return new Forwarding(peers, await peers.secret());
  }

  /** Whether any partition may have another owner; spares the question where none has. */
  get hasOwners(): boolean {
    return this.#peers.hasOwners;
  }

  ownerOf(space: Space, partition: string): Peer | undefined {
    return this.#peers.ownerOf(space, partition);
  }

  /** Resolves when others can hand over requests. @throws the system's error where the address cannot be had. */
  async begin(address: PeerAddress, carry: Carry): Promise<void> {
    const port = new PeerPort(this.#peers, this.#secret, carry);
    const { host, port: number } = await port.listen(address);
    this.#port = port;
    await this.#peers.join(urlOf({ host, port: number }));
  }

  /** Others hand over nothing more, once they know. */
  async leave(): Promise<void> {
    await this.#peers.leave().catch(() => undefined);
  }

  /** To be called when no request is under way here; those of others are answered. */
  async close(): Promise<void> {
    this.#hasEnded = true;
    await this.#port?.close();
    for (const link of this.#links.values()) link.end('This front end ends.');
  }

  /**
   * Undefined if the other side has not begun the request, and never will.
   *
   * @throws StoreError `busy` where that is unknown.
   */
  async forward(peer: Peer, request: ForwardedRequest): Promise<Carried | undefined> {
    const link = this.#linkTo(peer);
    // Does not wait for a link that is connecting, late or full.
    if (!link?.isOpen) return undefined;
    const outcome = await link.send(peer, request);
    this.#told[outcome.kind] += 1;
    if (outcome.kind === 'answered') return outcome;
    if (outcome.kind === 'refused') return undefined;
    const reason = `The front end at ${peer.url} had the request, and did not say whether it happened: ${outcome.reason}`;
    throw new StoreError('busy', reason);
  }

  families(): readonly MetricFamily[] {
    const samples = (told: Readonly<Record<string, number>>) =>
      Object.entries(told).map(([outcome, value]) => ({
        suffix: '',
        labels: label('outcome', outcome),
        value,
      }));
    const handed =
      'Requests handed to the front end that owns their partition; refused ones were carried out here.';
    const taken = samples(this.#port?.told ?? { answered: 0, refused: 0 });
    return [
      counter('shelfmark_forwarded_requests_total', handed, samples(this.#told)),
      counter('shelfmark_taken_requests_total', 'Requests taken from other front ends.', taken),
    ];
  }

  #linkTo(peer: Peer): PeerLink | undefined {
    const known = this.#links.get(peer.id);
    if (known !== undefined || this.#hasEnded) return known;
    const link: PeerLink = new PeerLink(peer.url, this.#secret, {
      lost: () => {
        if (this.#links.get(peer.id) === link) this.#links.delete(peer.id);
      },
      suspected: () => this.#peers.suspect(peer),
    });
    this.#links.set(peer.id, link);
    return link;
  }
}
