// Sends all requests. They go through the pipeline of the official client, so that its authentication, retries and tracing are kept; its row encoding is
// not used. table-requests.ts makes requests and reads their answers.

import {
  createDefaultHttpClient,
  createHttpHeaders,
  createPipelineRequest,
  type HttpClient,
  type HttpMethods,
  type Pipeline,
  type PipelineRequest,
  type PipelineResponse,
} from '@azure/core-rest-pipeline';
import { linkedController } from '../concurrency/abort.js';
import { TIMER_MAX } from '../concurrency/surroundings.js';
import { isObject } from '../values/is-object.js';
import { PatternError, refuseDefinition, refuseValue } from '../values/pattern-error.js';
import type { TablesConnection } from './clients.js';
import { parseRefusal, type ServiceRefusal, shownOf } from './service-refusal.js';

/** How requests are sent, where the official client does not show it. */
export interface SenderOptions {
  /** What the client was given as `httpClient`; a client does not show it. */
  readonly httpClient?: HttpClient;
  /** Plain HTTP to other hosts than this one. */
  readonly allowInsecureConnection?: boolean;
  /** The timeout of an answer in milliseconds; 60,000 by default, twice what the service takes at most. The official client has none. */
  readonly timeoutMilliseconds?: number;
}

/** A request before it has an address and a signature. */
export interface TableRequest {
  readonly method: HttpMethods;
  /** Behind the account's address: `Orders(PartitionKey='a',RowKey='b')`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal | undefined;
}

export interface TableAnswer {
  readonly status: number;
  readonly text: string;
  header(name: string): string | undefined;
}

/** What came of a request: `R` if it was done. */
export type Outcome<R> = {
  /** An attempt may have been applied although its answer was lost: one before this answer or, if there is no answer, any. */
  readonly isInDoubt: boolean;
} & (
  | R
  | { readonly kind: 'refused'; readonly refusal: ServiceRefusal }
  /** No answer of the service came: none at all, or something else, such as a page of a proxy. */
  | { readonly kind: 'silence'; readonly error: PatternError }
);

/** What was read. */
interface Done<T> {
  readonly kind: 'done';
  readonly value: T;
}

/** What was read, or what a refusal means. Throws Unreachable. */
export function resultOf<T>(outcome: Outcome<Done<T>>, refused: (refusal: ServiceRefusal) => T): T {
  if (outcome.kind === 'silence') throw outcome.error;
  return outcome.kind === 'done' ? outcome.value : refused(outcome.refusal);
}

/** The connection failed before the request could be sent. */
const NEVER_SENT: ReadonlySet<unknown> = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN']);

const codeOf = (thrown: unknown): unknown => (isObject(thrown) ? thrown.code : undefined);

/** The service said no before it did anything. */
const isRefusal = (status: number): boolean => status >= 300 && status < 500 && status !== 408;

/** The client's own timeout has a timer that keeps running after a connection broke, and keeps the process from ending. */
async function sendInTime(
  client: HttpClient,
  request: PipelineRequest,
  timeout: number,
): Promise<PipelineResponse> {
  const { abortSignal } = request;
  const linked = abortSignal && linkedController(abortSignal as AbortSignal);
  const controller = linked ?? new AbortController();
  const timer = setTimeout(() => controller.abort(), timeout);
  request.abortSignal = controller.signal;
  try {
    return await client.sendRequest(request);
  } finally {
    clearTimeout(timer);
    linked?.release();
    if (abortSignal) request.abortSignal = abortSignal;
    else delete request.abortSignal;
  }
}

/** Of an answer, in milliseconds. */
export const TIMEOUT_MILLISECONDS = 60_000;
const LOOPBACK = /^http:\/\/(?:127(?:\.\d+){3}|localhost|\[::1\])(?:[:/]|$)/;

function unreachable(attempts: number, cause: unknown): PatternError {
  // As where a credential gives no token.
  const sentence =
    attempts === 0 && cause instanceof Error ? `No request went out: ${cause.message}` : undefined;
  return new PatternError(
    'Unreachable',
    { attempts },
    { cause, ...(sentence !== undefined && { sentence }) },
  );
}

function outcomeOf<R>(
  { status, headers, bodyAsText }: PipelineResponse,
  doubts: readonly boolean[],
  read: (answer: TableAnswer) => R,
): Outcome<R> {
  const text = bodyAsText ?? '';
  const header = (name: string): string | undefined => headers.get(name);
  // The last attempt's outcome is this answer itself.
  const isInDoubt = doubts.slice(0, -1).includes(true);
  if (status < 200 || status >= 300)
    return { kind: 'refused', isInDoubt, refusal: parseRefusal(status, text, header) };
  try {
    return { isInDoubt, ...read({ status, text, header }) };
  } catch (cause) {
    const sentence = `This is no answer of the Table service: ${status} ${shownOf(text)}`;
    const error = new PatternError('Unreachable', { attempts: doubts.length }, { sentence, cause });
    // It proves nothing.
    return { kind: 'silence', isInDoubt: true, error };
  }
}

/** In an address. Throws ValueInvalid. */
function encoded(name: string, value: string): string {
  try {
    return encodeURIComponent(value);
  } catch {
    return refuseValue(name, 'a text', 'half of a surrogate pair has no UTF-8');
  }
}

/** Policies that read and write what operations of the client say of themselves; requests of this library say nothing. */
const POLICIES_OF_OPERATIONS = ['serializationPolicy', 'deserializationPolicy'] as const;

let sharedClient: HttpClient | undefined;

/** One for all, so that a program which opens the library for each of its own requests keeps its connections. */
const defaultClient = (): HttpClient => {
  sharedClient ??= createDefaultHttpClient();
  return sharedClient;
};

/** Sends requests through the pipeline of the official client, so with its authentication, its policies and its attempts. */
export class Sender {
  readonly #base: string;
  readonly #ownQuery: string;
  readonly #pipeline: Pipeline;
  readonly #httpClient: HttpClient;
  readonly #allowInsecureConnection: boolean;
  readonly #timeout: number;

  constructor(connection: TablesConnection, options: SenderOptions = {}) {
    // A signature may stand in the client's address.
    const [base = '', ownQuery = ''] = connection.url.split('?');
    this.#base = base.endsWith('/') ? base : `${base}/`;
    this.#ownQuery = ownQuery;
    this.#pipeline = connection.pipeline.clone();
    for (const name of POLICIES_OF_OPERATIONS) this.#pipeline.removePolicy({ name });
    this.#timeout = Math.min(options.timeoutMilliseconds ?? TIMEOUT_MILLISECONDS, TIMER_MAX);
    this.#httpClient = options.httpClient ?? defaultClient();
    this.#allowInsecureConnection = options.allowInsecureConnection ?? LOOPBACK.test(base);
    if (base.startsWith('http:') && !this.#allowInsecureConnection)
      refuseDefinition(base, 'plain HTTP to another computer needs allowInsecureConnection');
  }

  /** Sends the request; `read` throws for what is no answer to it. Throws ValueInvalid for what no address can hold, and what the signal says when it stops the request. */
  async send<R>(request: TableRequest, read: (answer: TableAnswer) => R): Promise<Outcome<R>> {
    const doubts: boolean[] = [];
    const url = this.#address(request.path, request.query);
    // The client's policies listen to a signal of this request alone.
    const linked = request.signal && linkedController(request.signal);
    try {
      const sent = this.#pipelineRequest(url, { ...request, signal: linked?.signal });
      const client = { sendRequest: (each: PipelineRequest) => this.#attempt(each, doubts) };
      return outcomeOf(await this.#pipeline.sendRequest(client, sent), doubts, read);
    } catch (cause) {
      request.signal?.throwIfAborted();
      return { kind: 'silence', isInDoubt: doubts.includes(true), error: unreachable(doubts.length, cause) };
    } finally {
      linked?.release();
    }
  }

  /** Sends the request once, and records whether it may have been applied: its answer was not a clear no. */
  async #attempt(request: PipelineRequest, doubts: boolean[]): Promise<PipelineResponse> {
    try {
      const response = await sendInTime(this.#httpClient, request, this.#timeout);
      doubts.push(!isRefusal(response.status));
      return response;
    } catch (thrown) {
      doubts.push(!NEVER_SENT.has(codeOf(thrown)));
      throw thrown;
    }
  }

  #pipelineRequest(url: string, { method, headers, body, signal }: TableRequest) {
    return createPipelineRequest({
      url,
      method,
      headers: createHttpHeaders({ 'x-ms-version': '2019-02-02', DataServiceVersion: '3.0', ...headers }),
      ...(body !== undefined && { body }),
      ...(signal && { abortSignal: signal }),
      allowInsecureConnection: this.#allowInsecureConnection,
    });
  }

  /** The address without a signature: parts of a batch have none. */
  bareAddress(path: string): string {
    return `${this.#base}${path}`;
  }

  #address(path: string, query: Readonly<Record<string, string | undefined>> = {}): string {
    const pairs = Object.entries(query).flatMap(([name, value]) =>
      value === undefined ? [] : [`${encodeURIComponent(name)}=${encoded(name, value)}`],
    );
    if (this.#ownQuery !== '') pairs.push(this.#ownQuery);
    return `${this.#base}${path}${pairs.length === 0 ? '' : `?${pairs.join('&')}`}`;
  }
}
