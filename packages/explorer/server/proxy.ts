// Forwards the page's requests to the account's own REST endpoint, signed with the account's key, and streams bodies both
// ways. Only headers that the storage services define pass; credentials from the page never do.
import {
  Agent as HttpAgent,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type ServerResponse,
  request as sendPlain,
} from 'node:http';
import { type AgentOptions, Agent as HttpsAgent, request as sendSecure } from 'node:https';
import { type Address, type Service, systemCodeOf } from '#data-tools';
import { commonHeaders, Refusal } from './answer.js';

/** A request to an account: what the page asked for, without the explorer's own parts. */
export interface Forwarded {
  readonly address: Address;
  readonly service: Service;
  readonly method: string;
  /** Below the account's endpoint, encoded as the page sent it, with its query. */
  readonly target: string;
}

const namesIn = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/));
const PASSED_HEADERS = namesIn(
  `accept content-encoding content-language content-length content-md5 content-type dataserviceversion if-match
  if-modified-since if-none-match if-unmodified-since maxdataserviceversion prefer range`,
);
/** Set here, or credentials. */
const OWN_HEADERS = namesIn('x-ms-date x-ms-copy-source-authorization');
/** Of the connection, or of the explorer's own answers. */
const DROPPED_HEADERS = namesIn(
  `connection content-security-policy keep-alive set-cookie strict-transport-security transfer-encoding
  www-authenticate`,
);
/** For requests that name none. */
const VERSION = '2019-02-02';
const SILENCE_MILLISECONDS_MAX = 90_000;

const isPassed = (name: string): boolean =>
  PASSED_HEADERS.has(name) || (name.startsWith('x-ms-') && !OWN_HEADERS.has(name));

/** The page encodes every character that means something in a query, spaces as %20. */
const parametersOf = (query: string): ReadonlyMap<string, string> =>
  new Map(new URLSearchParams(query.replaceAll('+', '%2B')));

function signedHeaders(
  { address, service, method, target }: Forwarded,
  incoming: IncomingMessage,
  now: number,
): { readonly path: string; readonly headers: Record<string, string> } {
  const [below = '', query = ''] = target.split(/\?(.*)/s);
  const path = `${new URL(address.endpoint(service)).pathname.replace(/\/$/, '')}${below}`;
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(incoming.headers))
    if (isPassed(name) && value !== undefined) headers[name] = [value].flat().join(', ');
  headers['x-ms-version'] ??= VERSION;
  headers['x-ms-date'] = new Date(now).toUTCString();
  headers['user-agent'] = 'shelfmark-explorer';
  const signed = { method, path, query: parametersOf(query), headers };
  const authorization = address.authorization(service, signed);
  if (authorization !== undefined) headers.authorization = authorization;
  const parameters = [query, address.signedQuery].filter(each => each !== '').join('&');
  return { path: parameters === '' ? path : `${path}?${parameters}`, headers };
}

function answerHeaders(from: IncomingMessage, more: OutgoingHttpHeaders): OutgoingHttpHeaders {
  const passed = Object.entries(from.headers).filter(([name]) => !DROPPED_HEADERS.has(name));
  // A property of the blob, and not what the browser is to do.
  const cached = from.headers['cache-control'];
  return {
    ...Object.fromEntries(passed),
    ...commonHeaders(),
    ...(cached !== undefined && { 'x-explorer-cache-control': cached }),
    'cache-control': 'no-store',
    ...more,
  };
}

export class SigningProxy {
  readonly #plain = new HttpAgent({ keepAlive: true });
  readonly #secure: HttpsAgent;
  readonly #now: () => number;

  /** @param trust for accounts over HTTPS: more than the system's certificates. */
  constructor(now: () => number, trust: AgentOptions = {}) {
    this.#now = now;
    this.#secure = new HttpsAgent({ keepAlive: true, ...trust });
  }

  /** Resolves when the answer has been passed on. @throws Refusal if the account does not answer. */
  pass(
    forwarded: Forwarded,
    incoming: IncomingMessage,
    response: ServerResponse,
    more: OutgoingHttpHeaders = {},
  ): Promise<void> {
    const { address, service, method } = forwarded;
    const endpoint = new URL(address.endpoint(service));
    const { path, headers } = signedHeaders(forwarded, incoming, this.#now());
    const isSecure = endpoint.protocol === 'https:';
    const options = {
      agent: isSecure ? this.#secure : this.#plain,
      hostname: endpoint.hostname.replace(/^\[|\]$/g, ''),
      port: endpoint.port || (isSecure ? 443 : 80),
      path,
      method,
      headers,
      timeout: SILENCE_MILLISECONDS_MAX,
    };
    return new Promise((resolve, reject) => {
      const outgoing = (isSecure ? sendSecure : sendPlain)(options, answer => {
        response.writeHead(answer.statusCode ?? 502, answerHeaders(answer, more));
        answer.pipe(response);
        answer.on('error', () => response.destroy());
        response.on('close', resolve);
      });
      outgoing.on('timeout', () => outgoing.destroy(new Error('no answer')));
      outgoing.on('error', error => {
        if (response.headersSent) return void response.destroy();
        const why = systemCodeOf(error) ?? error.message;
        const text = `The ${service} endpoint of account ${address.account} at ${endpoint.origin} does not answer (${why}).`;
        reject(new Refusal(502, 'NoAnswer', text));
      });
      response.on('close', () => {
        if (!response.writableFinished) outgoing.destroy();
      });
      incoming.pipe(outgoing);
    });
  }

  close(): void {
    this.#plain.destroy();
    this.#secure.destroy();
  }
}
