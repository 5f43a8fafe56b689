// Stands between the front ends and one node. While it is deaf the node executes requests, and the answers are lost; while it is late some commits reach the
// node just after their sender has given them up, as from the buffer of a machine that stood still.
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import type { Random } from '../../../simulation/plan/random.js';

const PORT = 9042;
/** Of what is asked while connections are cut. */
const CUT_SHARE = 0.02;
/** The node has begun with what it was asked, and has seldom answered. */
const CUT_MS = 3;

/** Of commits while they are late. */
const LATE_SHARE = 0.3;
/** As long as the session waits for an answer, and as long more as it takes to find out and to write again. */
const LATE_MS = 3500;
const LATE_MORE_MS = 150;
/** Of a frame: version, flags, stream, opcode, and the length of its body (native_protocol_v4.spec, section 2). */
const HEAD_BYTES = 9;
const OPCODE_AT = 4;
const LENGTH_AT = 5;
const BATCH = 0x0d;

export type ProxyMode = 'open' | 'deaf' | 'cutting' | 'late';

interface Link {
  readonly client: Socket;
  readonly node: Socket;
  /** A part of what the node said is lost. */
  isTorn: boolean;
  /** Of a frame whose end has not come. */
  asked: Buffer;
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
    // A connection that has lost a part cannot continue.
    if (mode === 'open') for (const link of this.#links) if (link.isTorn) this.#end(link);
  }

  close(): void {
    this.#server.close();
    for (const link of this.#links) this.#end(link);
  }

  #link(client: Socket): void {
    const node = connect({ host: this.#nodeHost, port: PORT, noDelay: true });
    const link: Link = { client, node, isTorn: false, asked: Buffer.alloc(0) };
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
    const all = Buffer.concat([link.asked, bytes]);
    let from = 0;
    for (let end = endOfFrame(all, from); end <= all.length; end = endOfFrame(all, from)) {
      this.#pass(link, all.subarray(from, end));
      from = end;
    }
    link.asked = all.subarray(from);
    if (this.#mode === 'cutting' && this.#random.happens(CUT_SHARE))
      setTimeout(() => this.#end(link), this.#random.below(CUT_MS));
  }

  #pass(link: Link, frame: Buffer): void {
    if (this.#mode === 'late' && frame[OPCODE_AT] === BATCH && this.#random.happens(LATE_SHARE))
      setTimeout(() => link.node.write(frame), LATE_MS + this.#random.below(LATE_MORE_MS));
    else if (!link.node.write(frame)) link.client.pause();
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

/** Behind all that has come where not even its head has. */
const endOfFrame = (bytes: Buffer, from: number): number =>
  bytes.length < from + HEAD_BYTES
    ? Number.POSITIVE_INFINITY
    : from + HEAD_BYTES + bytes.readUInt32BE(from + LENGTH_AT);
