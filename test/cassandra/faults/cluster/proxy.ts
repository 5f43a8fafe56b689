// A proxy between the front ends and one node. While it is deaf the node carries out requests, and the answers are
// lost; while it is late some commits reach the node when their sender has just given them up, as from the buffer of a
// machine that stood still.
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { below, chance, type Draw } from '../../../random/arbitrary.js';

const PORT = 9042;
/** Of a hundred requests, while connections are cut. */
const CUT_PERCENT = 2;
/** By then the node has begun with the request, and has seldom answered. */
const CUT_MS = 3;

/** Of a hundred commits, while they are late. */
const LATE_PERCENT = 30;
/** The session's timeout, plus the time to find out and to write again. */
const LATE_MS = 3500;
const LATE_MORE_MS = 150;
/** The head of a frame: version, flags, stream, opcode, and the length of its body (native_protocol_v4.spec, section 2). */
const HEAD_BYTES = 9;
const OPCODE_AT = 4;
const LENGTH_AT = 5;
const BATCH = 0x0d;

export type ProxyMode = 'open' | 'deaf' | 'cutting' | 'late';

interface Link {
  readonly client: Socket;
  readonly node: Socket;
  /** A part of the node's answer is lost. */
  isTorn: boolean;
  /** The beginning of an incomplete frame. */
  asked: Buffer;
}

export class NodeProxy {
  readonly #server: Server;
  readonly #links = new Set<Link>();
  readonly #nodeHost: string;
  readonly #draw: Draw;
  #mode: ProxyMode = 'open';

  private constructor(nodeHost: string, draw: Draw) {
    this.#nodeHost = nodeHost;
    this.#draw = draw;
    this.#server = createServer({ noDelay: true }, client => this.#link(client));
  }

  static async begin(host: string, nodeHost: string, draw: Draw): Promise<NodeProxy> {
    const proxy = new NodeProxy(nodeHost, draw);
    proxy.#server.listen(PORT, host);
    await once(proxy.#server, 'listening');
    return proxy;
  }

  set mode(mode: ProxyMode) {
    this.#mode = mode;
    // The stream cannot be read on after a lost part.
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
    if (this.#mode === 'cutting' && this.#draw(chance(CUT_PERCENT)))
      setTimeout(() => this.#end(link), this.#draw(below(CUT_MS)));
  }

  #pass(link: Link, frame: Buffer): void {
    if (this.#mode === 'late' && frame[OPCODE_AT] === BATCH && this.#draw(chance(LATE_PERCENT)))
      setTimeout(() => link.node.write(frame), LATE_MS + this.#draw(below(LATE_MORE_MS)));
    else if (!link.node.write(frame)) link.client.pause();
  }

  #answer(link: Link, bytes: Buffer): void {
    if (this.#mode === 'deaf') link.isTorn = true;
    // Bytes after a lost part would be misread.
    if (link.isTorn) return;
    if (!link.client.write(bytes)) link.node.pause();
  }

  #end(link: Link): void {
    if (!this.#links.delete(link)) return;
    link.client.resetAndDestroy();
    link.node.destroy();
  }
}

/** Past the received bytes if not even the head is complete. */
const endOfFrame = (bytes: Buffer, from: number): number =>
  bytes.length < from + HEAD_BYTES
    ? Number.POSITIVE_INFINITY
    : from + HEAD_BYTES + bytes.readUInt32BE(from + LENGTH_AT);
