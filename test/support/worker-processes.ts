// A test's view of a server with several processes: its workers, connections of the test, and the worker of each
// connection. Linux only, where the owner of a socket can be found.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { Agent } from 'node:http';
import type { Socket } from 'node:net';
import { exchange, type RawRequest, type RawResponse, signedHeaders } from './raw-client.js';

/** The default account of servers. */
export const WELL_KNOWN = {
  name: 'devstoreaccount1',
  key: 'Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==',
};

/** Beyond it an answer counts as lost, as on a connection whose worker died before it accepted it. */
const ANSWER_MILLISECONDS_MAX = 60_000;

/** Process ids, lowest first; none if the process is gone. */
export function childrenOf(pid: number): number[] {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
    return text === '' ? [] : text.split(' ').map(Number);
  } catch {
    return [];
  }
}

export function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

const hexPort = (port: number): string => port.toString(16).toUpperCase().padStart(4, '0');

/** Linux's name for the server's end of a connection over IPv4. */
function inodeOf(serverPort: number, clientPort: number): string | undefined {
  const lines = readFileSync('/proc/net/tcp', 'utf8').split('\n');
  const wanted = new RegExp(`^\\s*\\d+: \\w+:${hexPort(serverPort)} \\w+:${hexPort(clientPort)} `);
  return lines
    .find(line => wanted.test(line))
    ?.trim()
    .split(/\s+/)[9];
}

function holds(pid: number, inode: string): boolean {
  const folder = `/proc/${pid}/fd`;
  try {
    return readdirSync(folder).some(name => readlinkSync(`${folder}/${name}`) === `socket:[${inode}]`);
  } catch {
    return false;
  }
}

export type Reply = Pick<RawResponse, 'status' | 'headers' | 'body' | 'bytes'>;

export const replyOf = (status: number, headers: Reply['headers'], bytes: Buffer): Reply => ({
  status,
  headers,
  body: bytes.toString(),
  bytes,
});

/** A way to one service. */
export interface Sender {
  readonly port: number;
  /** Rejects if the connection breaks, or if there is no answer. */
  request(request: RawRequest): Promise<Reply>;
}

/** One persistent connection, to the worker that got it. */
export class Connection implements Sender {
  readonly port: number;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  #socket: Socket | undefined;

  constructor(port: number) {
    this.port = port;
  }

  request(request: RawRequest): Promise<Reply> {
    const { method, target: path, body } = request;
    const headers = signedHeaders({ account: WELL_KNOWN }, request);
    const way = { agent: this.#agent, port: this.port, timeout: ANSWER_MILLISECONDS_MAX };
    return exchange({ ...way, method, path, headers }, body, socket => {
      this.#socket = socket;
    });
  }

  /** Which of the processes answers this connection; there must have been an answer. */
  workerAmong(pids: readonly number[]): number | undefined {
    const inode = inodeOf(this.port, this.#socket?.localPort ?? 0);
    return inode === undefined ? undefined : pids.find(pid => holds(pid, inode));
  }

  close(): void {
    this.#agent.destroy();
  }
}
