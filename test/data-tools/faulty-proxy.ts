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

/** Answers with a fault, or as the origin does; returns the fault that was injected. */
async function answerWith(
  fault: Fault | undefined,
  origin: URL,
  incoming: IncomingMessage,
  answer: ServerResponse,
): Promise<Fault | undefined> {
  const body = await bodyOf(incoming);
  const url = new URL(incoming.url ?? '/', origin);
  const isQuery = incoming.method === 'GET' && url.pathname.endsWith('()');
  const wanted = (fault === 'short' || fault === 'empty') && !isQuery ? undefined : fault;
  // Small tables then have many pages.
  if (isQuery && !url.searchParams.has('$top')) url.searchParams.set('$top', wanted === 'short' ? '3' : '40');
  if (wanted === 'cut') incoming.socket.destroy();
  else if (wanted === '500' || wanted === '408') answer.writeHead(Number(wanted)).end();
  else if (wanted === '503') answer.writeHead(503, { 'retry-after': '0' }).end();
  else if (wanted !== 'empty' || !answerEmpty(url, answer)) {
    const got = await forward(origin, incoming, `${url.pathname}${url.search}`, body);
    const { 'transfer-encoding': _, ...headers } = got.headers;
    // An answer to HEAD has the length of the missing body.
    const length = incoming.method === 'HEAD' ? headers['content-length'] : String(got.body.length);
    const all = { ...headers, ...(length !== undefined && { 'content-length': length }) };
    if (wanted === 'lost') incoming.socket.destroy();
    else if (wanted === 'half')
      answer
        .writeHead(got.status, all)
        .write(got.body.subarray(0, got.body.length >> 1), () => incoming.socket.destroy());
    else answer.writeHead(got.status, all).end(got.body);
  }
  return wanted;
}

interface FaultyOptions {
  readonly seed: number;
  /** Share of requests with a fault. */
  readonly share: number;
  readonly faults?: readonly Fault[];
  /** The service whose requests get faults; others pass through. */
  readonly service?: 'Table' | 'Queue' | 'Blob';
  /** Requests that it answers as a server that cannot do this: part of their URLs. */
  readonly unsupported?: string;
}

export async function startFaultyProxy(
  connectionString: string,
  { seed, share, faults = FAULTS, service = 'Table', unsupported }: FaultyOptions,
): Promise<FaultyProxy> {
  const [, endpoint = ''] = new RegExp(`${service}Endpoint=([^;]+)`).exec(connectionString) ?? [];
  const origin = new URL(endpoint);
  const chance = chanceOf(seed);
  const pick = (): Fault | undefined =>
    chance() < share ? faults[Math.floor(chance() * faults.length)] : undefined;
  const done = new Map<Fault, number>();
  const server: Server = createServer((incoming, answer) => {
    if (unsupported !== undefined && incoming.url?.includes(unsupported)) {
      answer.writeHead(501).end();
      return;
    }
    answerWith(pick(), origin, incoming, answer).then(
      fault => fault && done.set(fault, (done.get(fault) ?? 0) + 1),
      () => incoming.socket.destroy(),
    );
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    connectionString: connectionString.replace(endpoint, `http://127.0.0.1:${port}${origin.pathname}`),
    done,
    close: () =>
      new Promise(resolve => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
