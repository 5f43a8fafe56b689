// Stands between the front ends and one node, and loses what the node answers: while it is deaf the node carries out what it is asked, and nobody hears of it.
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import type { Random } from '../../../simulation/plan/random.js';

const PORT = 9042;
/** Of what is asked while connections are cut. */
const CUT_SHARE = 0.02;
/** The node has begun with what it was asked, and has seldom answered. */
const CUT_MS = 3;

export type ProxyMode = 'open' | 'deaf' | 'cutting';

interface Link {
  readonly client: Socket;
  readonly node: Socket;
  /** A part of what the node said is lost. */
  isTorn: boolean;
}

export class NodeProxy {
  readonly #server: Server;
  readonly #links = new Set<Link>();
  readonly #nodeHost: string;
  readonly #random: Random;
  #mode: ProxyMode = 'open';

  private constructor(nodeHost: string, random: Random) {
    this.#nodeHost = nodeHost;
    this.#random = random;
    this.#server = createServer({ noDelay: true }, client => this.#link(client));
  }

  static async begin(host: string, nodeHost: string, random: Random): Promise<NodeProxy> {
    const proxy = new NodeProxy(nodeHost, random);
    proxy.#server.listen(PORT, host);
    await once(proxy.#server, 'listening');
    return proxy;
  }

  set mode(mode: ProxyMode) {
    this.#mode = mode;
    // Nobody can read on where a part is lost.
    if (mode === 'open') for (const link of this.#links) if (link.isTorn) this.#end(link);
  }

  close(): void {
    this.#server.close();
    for (const link of this.#links) this.#end(link);
  }

  #link(client: Socket): void {
    const node = connect({ host: this.#nodeHost, port: PORT, noDelay: true });
    const link: Link = { client, node, isTorn: false };
    this.#links.add(link);
    client.on('data', bytes => this.#ask(link, bytes));
    node.on('data', bytes => this.#answer(link, bytes));
    for (const socket of [client, node]) {
      socket.on('error', () => this.#end(link));
      socket.on('close', () => this.#end(link));
    }
    client.on('drain', () => node.resume());
    node.on('drain', () => client.resume());
  }

  #ask(link: Link, bytes: Buffer): void {
    if (!link.node.write(bytes)) link.client.pause();
    if (this.#mode === 'cutting' && this.#random.happens(CUT_SHARE))
      setTimeout(() => this.#end(link), this.#random.below(CUT_MS));
  }

  #answer(link: Link, bytes: Buffer): void {
    if (this.#mode === 'deaf') link.isTorn = true;
    // What comes after a lost part would be read wrongly.
    if (link.isTorn) return;
    if (!link.client.write(bytes)) link.node.pause();
  }

  #end(link: Link): void {
    if (!this.#links.delete(link)) return;
    link.client.resetAndDestroy();
    link.node.destroy();
  }
}
