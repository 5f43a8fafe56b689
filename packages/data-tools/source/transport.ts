// One HTTP request and its whole answer, over node:http and node:https with persistent connections. A connection that
// breaks, an answer that is cut off or does not arrive in time is a TransportError, which states whether the request
// may have reached the server. It retries nothing (endpoint.ts does).
import { Agent as HttpAgent, type IncomingHttpHeaders, request as sendPlain } from 'node:http';
import { Agent as HttpsAgent, request as sendSecure } from 'node:https';
import { systemCodeOf } from './tool-error.js';

interface Outgoing {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer | undefined;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Without a complete answer. */
export class TransportError extends Error {
  override readonly name = 'TransportError';
  /** No process listens, or there is no such host: the request was not sent. */
  readonly isUnsent: boolean;
  readonly code: string | undefined;

  constructor(cause: unknown) {
    // Node's text names host and port, never the URL.
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.code = systemCodeOf(cause);
    this.isUnsent = UNSENT.has(this.code ?? '');
  }
}

const UNSENT: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);

/** Azure itself ends a request after 30 s (docs/protocol/requests.md); silence for longer than this is a lost answer. */
const SILENCE_MILLISECONDS_MAX = 40_000;

export class Transport {
  readonly #plain = new HttpAgent({ keepAlive: true, scheduling: 'lifo' });
  readonly #secure = new HttpsAgent({ keepAlive: true, scheduling: 'lifo' });

  /** @throws TransportError, or the signal's reason. */
  send({ method, url, headers, body }: Outgoing, signal: AbortSignal | undefined): Promise<Answer> {
    const isSecure = url.protocol === 'https:';
    const length = body === undefined ? 0 : Buffer.byteLength(body);
    const hasLength = length > 0 || (method !== 'GET' && method !== 'HEAD' && method !== 'DELETE');
    return new Promise((resolve, reject) => {
      const fail = (error: unknown): void =>
        reject(signal?.aborted ? signal.reason : new TransportError(error));
      const options = {
        agent: isSecure ? this.#secure : this.#plain,
        method,
        headers: hasLength ? { ...headers, 'content-length': String(length) } : headers,
        timeout: SILENCE_MILLISECONDS_MAX,
        ...(signal && { signal }),
      };
      const outgoing = (isSecure ? sendSecure : sendPlain)(url, options, incoming => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('error', fail);
        incoming.on('end', () => {
          if (!incoming.complete) return fail(new Error('the answer was cut off'));
          resolve({
            status: incoming.statusCode ?? 0,
            headers: incoming.headers,
            body: Buffer.concat(chunks),
          });
        });
      });
      outgoing.on('timeout', () =>
        outgoing.destroy(new Error(`no answer for ${SILENCE_MILLISECONDS_MAX / 1000} s`)),
      );
      outgoing.on('error', fail);
      outgoing.end(body);
    });
  }

  close(): void {
    this.#plain.destroy();
    this.#secure.destroy();
  }
}
