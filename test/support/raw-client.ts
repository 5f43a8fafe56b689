// Requests that no client library sends: node:http, signed by hand. The signing shares no code, and so no mistake, with
// the server (protocol: authentication).
import { createHmac } from 'node:crypto';
import { Agent, type IncomingHttpHeaders, type RequestOptions, request as send } from 'node:http';
import type { Socket } from 'node:net';
import type { RunningServer } from 'shelfmark';

type Scheme = 'SharedKey' | 'SharedKeyLite';

export interface RawRequest {
  readonly method: string;
  /** As it goes over the wire, with the account if the address has it in the path. */
  readonly target: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** Default SharedKeyLite, or SharedKey with a key in base64; `none` leaves the request unsigned. */
  readonly sign?: Scheme | 'none';
  /** The account in the signature, if it is not the server's. */
  readonly account?: string;
  readonly key?: string;
  /** Default: the current time. */
  readonly date?: Date;
}

export interface RawResponse {
  readonly status: number;
  readonly reason: string;
  readonly headers: IncomingHttpHeaders;
  /** Names as spelled on the wire, in their order. */
  readonly headerNames: readonly string[];
  /** As UTF-8. */
  readonly body: string;
  readonly bytes: Buffer;
}

/** What a request needs from a server. */
export type Addressed = Pick<RunningServer, 'account' | 'tablePort'>;

const agent = new Agent({ keepAlive: true });

function canonicalResource(account: string, target: string): string {
  const [path = '', query = ''] = target.split('?', 2);
  const comp = new URLSearchParams(query).get('comp');
  return `/${account}${path}${comp === null ? '' : `?comp=${comp}`}`;
}

function authorization(request: RawRequest, date: string, account: string, key: string): string {
  const { method, target, headers = {}, sign: scheme = 'SharedKeyLite' } = request;
  const resource = canonicalResource(account, target);
  const text =
    scheme === 'SharedKeyLite'
      ? `${date}\n${resource}`
      : `${method}\n${headers['Content-MD5'] ?? ''}\n${headers['Content-Type'] ?? ''}\n${date}\n${resource}`;
  const signature = createHmac('sha256', Buffer.from(key, 'base64')).update(text, 'utf8').digest('base64');
  return `${scheme} ${account}:${signature}`;
}

/** The headers of a request, including the signature. */
export function signedHeaders(
  server: Pick<RunningServer, 'account'>,
  request: RawRequest,
): Record<string, string> {
  const { headers = {}, sign: scheme, account = server.account.name, key = server.account.key } = request;
  const date = (request.date ?? new Date()).toUTCString();
  return {
    'x-ms-date': date,
    'x-ms-version': '2019-02-02',
    ...(scheme === 'none' ? {} : { Authorization: authorization(request, date, account, key) }),
    ...(request.body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(request.body)) }),
    ...headers,
  };
}

/** Sends one request to this machine and reads its whole answer; rejects if there is none. */
export function exchange(
  options: Pick<RequestOptions, 'agent' | 'port' | 'method' | 'path' | 'headers' | 'timeout'>,
  body?: string | Buffer,
  onSocket?: (socket: Socket) => void,
): Promise<RawResponse> {
  return new Promise((resolve, reject) => {
    const outgoing = send({ host: '127.0.0.1', ...options }, incoming => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('error', reject);
      incoming.on('end', () => {
        const { statusCode: status = 0, statusMessage: reason = '', headers, rawHeaders } = incoming;
        const headerNames = rawHeaders.filter((_, i) => i % 2 === 0);
        const bytes = Buffer.concat(chunks);
        resolve({ status, reason, headers, headerNames, body: bytes.toString(), bytes });
      });
    });
    outgoing.on('timeout', () => outgoing.destroy(new Error('No answer came.')));
    if (onSocket) outgoing.on('socket', onSocket);
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

/** A `Host` among the headers replaces the address. */
export const rawRequest = (server: Addressed, request: RawRequest): Promise<RawResponse> =>
  exchange(
    {
      agent,
      port: server.tablePort,
      method: request.method,
      path: request.target,
      headers: signedHeaders(server, request),
    },
    request.body,
  );

/** The path of an address below the account, as `/devstoreaccount1/Tables`. */
export const inAccount = (server: Pick<RunningServer, 'account'>, path: string): string =>
  `/${server.account.name}${path}`;
