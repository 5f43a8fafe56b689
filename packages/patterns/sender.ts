// The one place that sends. Requests go through the pipeline of the official client, so that its authentication, retries and tracing are kept, and its
// ways to encode rows are not. What is in a request, and what an answer means, is others' matter.
import {
  createDefaultHttpClient,
  createHttpHeaders,
  createPipelineRequest,
  type HttpClient,
  type HttpMethods,
  type Pipeline,
} from '@azure/core-rest-pipeline';
import { PatternError } from './pattern-error.js';

/** What is needed of a `TableServiceClient`, which is one of these. */
export interface TablesConnection {
  readonly url: string;
  readonly pipeline: Pipeline;
}

export interface SenderOptions {
  /** What the client was given as `httpClient`; a client does not show it. */
  readonly httpClient?: HttpClient;
  /** Plain HTTP to other hosts than this one. */
  readonly allowInsecureConnection?: boolean;
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
  /** How often the request went out. More than once: an earlier one may have been done, though this answer is a refusal. */
  readonly attempts: number;
  header(name: string): string | undefined;
}

const LOOPBACK = /^http:\/\/(?:127\.|localhost[:/]|\[::1\])/;

/** Policies that read and write what operations of the client say of themselves; requests of this library say nothing. */
const POLICIES_OF_OPERATIONS = ['serializationPolicy', 'deserializationPolicy'] as const;

/** Sends requests through the pipeline of the official client, so with its authentication, its policies and its attempts. */
export class Sender {
  readonly #base: string;
  readonly #ownQuery: string;
  readonly #pipeline: Pipeline;
  readonly #httpClient: HttpClient;
  readonly #allowInsecureConnection: boolean;

  constructor(connection: TablesConnection, options: SenderOptions = {}) {
    // A signature may stand in the client's address.
    const [base = '', ownQuery = ''] = connection.url.split('?');
    this.#base = base.endsWith('/') ? base : `${base}/`;
    this.#ownQuery = ownQuery;
    this.#pipeline = connection.pipeline.clone();
    for (const name of POLICIES_OF_OPERATIONS) this.#pipeline.removePolicy({ name });
    this.#httpClient = options.httpClient ?? createDefaultHttpClient();
    this.#allowInsecureConnection = options.allowInsecureConnection ?? LOOPBACK.test(base);
  }

  /** Throws Unreachable, and what the signal says when it stops the request. */
  async send(request: TableRequest): Promise<TableAnswer> {
    let attempts = 0;
    const counting: HttpClient = {
      sendRequest: each => {
        attempts++;
        return this.#httpClient.sendRequest(each);
      },
    };
    try {
      const response = await this.#pipeline.sendRequest(counting, this.#pipelineRequest(request));
      return {
        status: response.status,
        text: response.bodyAsText ?? '',
        attempts,
        header: name => response.headers.get(name),
      };
    } catch (thrown) {
      request.signal?.throwIfAborted();
      throw new PatternError('Unreachable', { attempts }, { cause: thrown });
    }
  }

  #pipelineRequest({ method, path, query = {}, headers, body, signal }: TableRequest) {
    return createPipelineRequest({
      url: this.#address(path, query),
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
      value === undefined ? [] : [`${encodeURIComponent(name)}=${encodeURIComponent(value)}`],
    );
    if (this.#ownQuery !== '') pairs.push(this.#ownQuery);
    return `${this.#base}${path}${pairs.length === 0 ? '' : `?${pairs.join('&')}`}`;
  }
}
