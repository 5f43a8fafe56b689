// A proxy before an account that answers 500, 503 and 408, cuts connections before and after a request is done,
// truncates answers, and makes pages short and empty, all by the run's seed.
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { chanceOf } from '../patterns/support/seeded.js';

export type Fault = '500' | '503' | '408' | 'cut' | 'lost' | 'half' | 'short' | 'empty';

export const FAULTS: readonly Fault[] = ['500', '503', '408', 'cut', 'lost', 'half', 'short', 'empty'];

export interface FaultyProxy {
  readonly connectionString: string;
  /** How often each was injected. */
  readonly done: ReadonlyMap<Fault, number>;
  close(): Promise<void>;
}

const NEXT = 'x-ms-continuation-';

/** A page without rows that continues where the request is. */
function answerEmpty(url: URL, answer: ServerResponse): boolean {
  const next = ['NextPartitionKey', 'NextRowKey'].filter(name => url.searchParams.has(name));
  if (next.length === 0) return false;
  for (const name of next) answer.setHeader(`${NEXT}${name}`, url.searchParams.get(name) ?? '');
  answer.setHeader('content-type', 'application/json').end('{"value":[]}');
  return true;
}

interface Upstream {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

function forward(origin: URL, incoming: IncomingMessage, path: string, body: Buffer): Promise<Upstream> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      { host: origin.hostname, port: origin.port, method: incoming.method, path, headers: incoming.headers },
      got => {
        const chunks: Buffer[] = [];
        got.on('data', (chunk: Buffer) => chunks.push(chunk));
        got.on('error', reject);
        got.on('end', () =>
          resolve({ status: got.statusCode ?? 0, headers: got.headers, body: Buffer.concat(chunks) }),
        );
      },
    );
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

const bodyOf = async (incoming: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
};

class FaultyForwarder {
  readonly done = new Map<Fault, number>();
  readonly #origin: URL;
  readonly #pick: () => Fault | undefined;

  constructor(origin: URL, pick: () => Fault | undefined) {
    this.#origin = origin;
    this.#pick = pick;
  }

  async take(incoming: IncomingMessage, answer: ServerResponse): Promise<void> {
    const body = await bodyOf(incoming);
    const url = new URL(incoming.url ?? '/', this.#origin);
    const isQuery = incoming.method === 'GET' && url.pathname.endsWith('()');
    const fault = this.#pick();
    const isOfPages = fault === 'short' || fault === 'empty';
    const wanted = isOfPages && !isQuery ? undefined : fault;
    // Small tables then have many pages.
    if (isQuery && !url.searchParams.has('$top'))
      url.searchParams.set('$top', wanted === 'short' ? '3' : '40');
    if (wanted !== undefined) this.done.set(wanted, (this.done.get(wanted) ?? 0) + 1);
    if (wanted === 'cut') {
      incoming.socket.destroy();
      return;
    }
    if (wanted === '500' || wanted === '408') {
      answer.writeHead(Number(wanted)).end();
      return;
    }
    if (wanted === '503') {
      answer.writeHead(503, { 'retry-after': '0' }).end();
      return;
    }
    if (wanted === 'empty' && answerEmpty(url, answer)) return;
    const got = await forward(this.#origin, incoming, `${url.pathname}${url.search}`, body);
    if (wanted === 'lost') {
      incoming.socket.destroy();
      return;
    }
    const { 'transfer-encoding': _, ...headers } = got.headers;
    // An answer to HEAD has the length of the missing body.
    const length = incoming.method === 'HEAD' ? headers['content-length'] : String(got.body.length);
    answer.writeHead(got.status, { ...headers, ...(length !== undefined && { 'content-length': length }) });
    if (wanted === 'half') {
      answer.write(got.body.subarray(0, Math.floor(got.body.length / 2)), () => incoming.socket.destroy());
      return;
    }
    answer.end(got.body);
  }
}

interface FaultyOptions {
  readonly seed: number;
  /** Share of requests with a fault. */
  readonly share: number;
  readonly faults?: readonly Fault[];
  /** The service whose requests get faults; others pass through. */
  readonly service?: 'Table' | 'Queue' | 'Blob';
}

export async function startFaultyProxy(
  connectionString: string,
  { seed, share, faults = FAULTS, service = 'Table' }: FaultyOptions,
): Promise<FaultyProxy> {
  const [, endpoint = ''] = new RegExp(`${service}Endpoint=([^;]+)`).exec(connectionString) ?? [];
  const origin = new URL(endpoint);
  const chance = chanceOf(seed);
  const pick = (): Fault | undefined =>
    chance() < share ? faults[Math.floor(chance() * faults.length)] : undefined;
  const proxy = new FaultyForwarder(origin, pick);
  const server: Server = createServer((incoming, answer) => {
    proxy.take(incoming, answer).catch(() => incoming.socket.destroy());
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    connectionString: connectionString.replace(endpoint, `http://127.0.0.1:${port}${origin.pathname}`),
    done: proxy.done,
    close: () =>
      new Promise(resolve => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
