// Sockets: reads a request up to the limit, hands it on as a plain value and writes the answer back.
// The only importer of node:http and node:https; it knows nothing of tables.
import http from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import type { WireRequest, WireResponse } from '#wire';

/** The body of any request (table-rest.md 6.4). */
export const BODY_BYTES_MAX = 4 * 1_048_576;
/** A longer body is read and thrown away up to here, so that its sender gets to see the refusal. */
const DISCARDED_BYTES_MAX = 16 * BODY_BYTES_MAX;
/** Filters may be 32 KiB long (table-rest.md 9.1), and stand in the request line. */
const HEADER_BYTES_MAX = 65_536;
/** Longer than clients keep idle connections, so that it is not us who closes one that is about to be used. */
const KEEP_ALIVE_MILLISECONDS = 120_000;
/** Azure gives a request 30 seconds; a body may take longer to arrive. */
const REQUEST_MILLISECONDS_MAX = 300_000;
const HEADERS_MILLISECONDS_MAX = 60_000;

const EMPTY = Buffer.alloc(0);

export type Respond = (request: WireRequest) => Promise<WireResponse>;

export interface ListenOptions {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** Certificate and key in PEM; without them the socket speaks plain HTTP. */
  readonly tls?: { readonly cert: Buffer; readonly key: Buffer } | undefined;
}

export interface Listener {
  readonly host: string;
  readonly port: number;
  readonly secure: boolean;
  /** Stops to accept, answers what is under way, then closes idle connections. */
  close(): Promise<void>;
}

interface Body {
  readonly body: Buffer;
  readonly bodyTooLarge: boolean;
}

const NO_BODY: Body = { body: EMPTY, bodyTooLarge: false };
const TOO_LARGE: Body = { body: EMPTY, bodyTooLarge: true };

/** Resolves once the body is there, or once it is clear that there is too much of it; fails if the sender goes away. */
function readBody(request: http.IncomingMessage): Promise<Body> {
  const { headers } = request;
  if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined)
    return Promise.resolve(NO_BODY);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= BODY_BYTES_MAX) chunks.push(chunk);
      else chunks.length = 0;
      if (bytes > DISCARDED_BYTES_MAX) {
        request.pause();
        resolve(TOO_LARGE);
      }
    });
    request.on('end', () => {
      const [first = EMPTY, ...others] = chunks;
      const body = others.length === 0 ? first : Buffer.concat(chunks);
      resolve(bytes > BODY_BYTES_MAX ? TOO_LARGE : { body, bodyTooLarge: false });
    });
    request.on('error', reject);
    request.on('close', () => reject(new Error('The connection closed before the request was complete.')));
  });
}

/** Of a header that comes twice node joins the values, but Set-Cookie, which no request has, makes a list. */
function isPlain(headers: http.IncomingHttpHeaders): headers is Record<string, string | undefined> {
  delete headers['set-cookie'];
  return true;
}

function write(
  response: http.ServerResponse,
  { status, reason, headers, body }: WireResponse,
  isKept: boolean,
): void {
  const lines: string[] = [];
  for (const [name, value] of headers) lines.push(name, value);
  if (!isKept) lines.push('Connection', 'close');
  if (reason === undefined) response.writeHead(status, lines);
  else response.writeHead(status, reason, lines);
  response.end(body);
}

/** The connection ends with the answer if its request was cut short, or if the server is closing. */
async function exchange(
  request: http.IncomingMessage,
  response: http.ServerResponse,
  respond: Respond,
  server: http.Server | https.Server,
): Promise<void> {
  const body = await readBody(request);
  const { method = '', url = '', headers } = request;
  const remoteAddress = request.socket.remoteAddress ?? '';
  const wire = {
    method,
    target: url,
    headers: isPlain(headers) ? headers : {},
    ...body,
    secure: server instanceof https.Server,
    remoteAddress,
  };
  const answer = await respond(wire);
  write(response, answer, request.complete && server.listening);
}

/** Bytes that are no HTTP get the status that node gives them, and the connection ends. */
function refuseMalformed(
  error: NodeJS.ErrnoException,
  socket: NodeJS.WritableStream & { writable: boolean; destroy(): void },
): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const status =
    error.code === 'HPE_HEADER_OVERFLOW' ? '431 Request Header Fields Too Large' : '400 Bad Request';
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}

function createServer(tls: ListenOptions['tls']): http.Server | https.Server {
  const options = {
    maxHeaderSize: HEADER_BYTES_MAX,
    keepAliveTimeout: KEEP_ALIVE_MILLISECONDS,
    requestTimeout: REQUEST_MILLISECONDS_MAX,
    headersTimeout: HEADERS_MILLISECONDS_MAX,
    noDelay: true,
  };
  return tls ? https.createServer({ ...options, ...tls }) : http.createServer(options);
}

function closing(server: http.Server | https.Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.close(error =>
      error && 'code' in error && error.code !== 'ERR_SERVER_NOT_RUNNING' ? reject(error) : resolve(),
    );
    server.closeIdleConnections();
  });
}

/** @throws the system's error where the address cannot be had. */
export function listen(options: ListenOptions, respond: Respond): Promise<Listener> {
  const server = createServer(options.tls);
  const secure = options.tls !== undefined;
  server.on('request', (request: http.IncomingMessage, response: http.ServerResponse) => {
    exchange(request, response, respond, server).catch(() => request.destroy());
  });
  server.on('clientError', refuseMalformed);
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, () => {
      const { port } = server.address() as AddressInfo;
      resolve({ host: options.host, port, secure, close: () => closing(server) });
    });
  });
}
