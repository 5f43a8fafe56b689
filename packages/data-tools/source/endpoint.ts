// One service of one account over the wire: `send` signs a request, retries it through transient faults, and keeps to
// the pace of the account. 408, 429, 500, 502, 503, 504, broken connections and invalid answers are retried until a
// request has had no success for `retryForMilliseconds`; then it gives up (exit 6). The caller interprets every other
// answer (`failureOf` makes an error of it).
//
//   const source = new Endpoint(address, 'table', context);
//   const answer = await source.send({ method: 'GET', path: '/Tables', read: ({ body }) => JSON.parse(body.toString())
//   });
//
// `read` turns the answer into a value; when it throws BadAnswer the request is retried. `answer.isRepeated` is true if
// an earlier attempt may have reached the server, so that a write may already be done.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Address, Service } from './address.js';
import type { Pace } from './pace.js';
import { ToolError } from './tool-error.js';
import { type Answer, type Transport, TransportError } from './transport.js';

/** What a run's requests share. */
export interface SourceContext {
  readonly transport: Transport;
  /** The same pace for every endpoint of an account. */
  readonly paceOf: (address: Address) => Pace;
  readonly retryForMilliseconds: number;
  readonly signal: AbortSignal | undefined;
  /** Called before a retry, with the reason. */
  readonly onRetry: (reason: string) => void;
}

export interface Sent<T> {
  readonly method: string;
  /** Below the endpoint, encoded; begins with a slash. */
  readonly path: string;
  /** Parameters, not encoded yet. */
  readonly query?: Readonly<Record<string, string>>;
  /** Names in lower case, except those of metadata, whose case services keep. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** Maximum of attempts that end in 500; then the answer is returned. Without it, 500 is retried like everything else. */
  readonly serverErrorsMax?: number;
  readonly read: (answer: Answer) => T;
}

interface Received<T> {
  readonly status: number;
  readonly headers: Answer['headers'];
  readonly value: T;
  readonly isRepeated: boolean;
}

/** An answer that is complete HTTP and still invalid: cut JSON, a page of a proxy. */
export class BadAnswer extends Error {
  override readonly name = 'BadAnswer';
}

const TRY_AGAIN: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504]);
const BUSY: ReadonlySet<number> = new Set([429, 503]);
const PAUSE_FIRST = 100;
const PAUSE_MAX = 10_000;
/** After a 503 without a Retry-After. */
const BUSY_PAUSE_FIRST = 500;
/** The newest version with recorded answers for tables in the reference (docs/protocol/requests.md). */
const VERSION = '2019-02-02';

interface Failure {
  readonly reason: string;
  readonly mayHaveArrived: boolean;
  readonly isBusy: boolean;
  readonly retryAfter: number | undefined;
  readonly answer: Answer | undefined;
  readonly cause?: unknown;
}

export class Endpoint {
  readonly address: Address;
  readonly #service: Service;
  readonly #context: SourceContext;
  readonly #pace: Pace;
  readonly #url: string;
  /** The server's clock in the first answer, in milliseconds since 1970. */
  firstDate: number | undefined;
  /** Whether the service may have access policies; Azurite has none for tables. */
  hasPolicies = true;

  constructor(address: Address, service: Service, context: SourceContext) {
    this.address = address;
    this.#service = service;
    this.#context = context;
    this.#url = address.endpoint(service);
    this.#pace = context.paceOf(address);
  }

  /** Its name in messages; contains no secret. */
  get name(): string {
    return this.#url;
  }

  /** @throws ToolError gaveUp or interrupted. */
  async send<T>(sent: Sent<T>): Promise<Received<T>> {
    const { retryForMilliseconds, signal, onRetry } = this.#context;
    let failingSince: number | undefined;
    let mayHaveArrived = false;
    let serverErrors = 0;
    for (let attempt = 0; ; attempt++) {
      const result: Received<T> | Failure = await this.#attempt(sent, mayHaveArrived);
      if ('value' in result) return result;
      const { answer } = result;
      if (answer?.status === 500 && ++serverErrors === sent.serverErrorsMax)
        return { status: 500, headers: answer.headers, value: sent.read(answer), isRepeated: mayHaveArrived };
      mayHaveArrived ||= result.mayHaveArrived;
      const now = performance.now();
      failingSince ??= now;
      const pause = this.#pauseAfter(result, attempt);
      if (now + pause - failingSince > retryForMilliseconds) throw this.#gaveUp(result, now - failingSince);
      onRetry(result.reason);
      if (result.isBusy) this.#pace.hold(pause);
      else await sleep(pause, undefined, { signal });
    }
  }

  /** Sends what should succeed, or end with one of the other statuses. @throws ToolError for any other answer, too. */
  expect(
    what: string,
    sent: Omit<Sent<Answer>, 'read'>,
    ...others: readonly number[]
  ): Promise<Received<Answer>> {
    const read = (answer: Answer): Answer => {
      if (answer.status < 300 || others.includes(answer.status)) return answer;
      throw failureOf(this, what, answer);
    };
    return this.send({ ...sent, read });
  }

  #pauseAfter({ retryAfter, isBusy }: Failure, attempt: number): number {
    if (retryAfter !== undefined) return retryAfter;
    const doubled = (isBusy ? BUSY_PAUSE_FIRST : PAUSE_FIRST) * 2 ** Math.min(attempt, 10);
    // Half of it random, so that requests that failed together do not return together.
    return Math.min(PAUSE_MAX, doubled) * (0.5 + Math.random() / 2);
  }

  #gaveUp({ reason, cause }: Failure, milliseconds: number): ToolError {
    const seconds = Math.round(milliseconds / 1000);
    return new ToolError('gaveUp', `${this.#url} had no success for ${seconds} s: ${reason}.`, { cause });
  }

  async #attempt<T>(sent: Sent<T>, isRepeated: boolean): Promise<Received<T> | Failure> {
    const { transport, signal } = this.#context;
    await this.#pace.enter(signal);
    try {
      const { url, headers } = this.#signed(sent);
      const answer = await transport.send({ method: sent.method, url, headers, body: sent.body }, signal);
      this.firstDate ??= Date.parse(answer.headers.date ?? '') || undefined;
      if (TRY_AGAIN.has(answer.status)) return failureOfStatus(answer, Date.now());
      const value = sent.read(answer);
      this.#pace.succeeded();
      return { status: answer.status, headers: answer.headers, value, isRepeated };
    } catch (error) {
      if (error instanceof TransportError || error instanceof BadAnswer) return failureOfTransport(error);
      throw error;
    } finally {
      this.#pace.leave();
    }
  }

  #signed({ method, path, query = {}, headers = {}, body }: Sent<unknown>): {
    url: URL;
    headers: Record<string, string>;
  } {
    const parameters = Object.entries(query)
      .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
      .concat(this.address.signedQuery || []);
    const url = new URL(`${this.#url}${path}${parameters.length === 0 ? '' : `?${parameters.join('&')}`}`);
    const all: Record<string, string> = {
      'x-ms-date': new Date().toUTCString(),
      'x-ms-version': VERSION,
      'user-agent': 'shelfmark',
      ...headers,
    };
    if (body !== undefined && body.length > 0) all['content-length'] = String(Buffer.byteLength(body));
    const lower = Object.fromEntries(Object.entries(all).map(([name, value]) => [name.toLowerCase(), value]));
    const signed = { method, path: url.pathname, query: new Map(Object.entries(query)), headers: lower };
    const authorization = this.address.authorization(this.#service, signed);
    if (authorization !== undefined) all.authorization = authorization;
    return { url, headers: all };
  }
}

function failureOfTransport(cause: TransportError | BadAnswer): Failure {
  const mayHaveArrived = !(cause instanceof TransportError && cause.isUnsent);
  return {
    reason: cause.message,
    mayHaveArrived,
    isBusy: false,
    retryAfter: undefined,
    answer: undefined,
    cause,
  };
}

function failureOfStatus(answer: Answer, now: number): Failure {
  const { code } = errorOf(answer);
  return {
    reason: `it answered ${answer.status}${code === '' ? '' : ` ${code}`}`,
    // Azure may have done what it reports as failed: OperationTimedOut is 500.
    mayHaveArrived: !BUSY.has(answer.status),
    isBusy: BUSY.has(answer.status),
    retryAfter: retryAfterOf(answer.headers['retry-after'], now),
    answer,
  };
}

/** In milliseconds; from a header in seconds or with a date. */
function retryAfterOf(text: string | undefined, now: number): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** The error in an answer: its code and message, in JSON or in XML; empty texts if it has none. */
export function errorOf({ body, headers }: Pick<Answer, 'body' | 'headers'>): {
  code: string;
  message: string;
} {
  const text = body.toString('utf8');
  const told = headers['x-ms-error-code'];
  const code =
    /"code"\s*:\s*"([^"]*)"/.exec(text)?.[1] ??
    /<(?:m:)?code>([^<]*)</i.exec(text)?.[1] ??
    (typeof told === 'string' ? told : '');
  const message =
    /"value"\s*:\s*"((?:[^"\\]|\\.)*)"/.exec(text)?.[1] ??
    /<(?:m:)?message[^>]*>([^<]*)</i.exec(text)?.[1] ??
    '';
  const [sentence = ''] = message.split(/\\n|\n/);
  return { code, message: sentence };
}

/** The error for an answer that a tool cannot handle. */
export function failureOf(endpoint: Endpoint, what: string, answer: Answer): ToolError {
  const { status } = answer;
  const { code, message } = errorOf(answer);
  const told = [code, message].filter(each => each !== '').join(': ');
  const exit = status === 401 || status === 403 ? 'denied' : status === 404 ? 'notThere' : 'gaveUp';
  return new ToolError(
    exit,
    `${endpoint.name} answered ${status} to ${what}${told === '' ? '' : `: ${told}`}`,
  );
}
