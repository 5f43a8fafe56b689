// A process as its server sees it: all requests of one set of official clients go through one HTTP client, which fails at a request, ends the process there, or stalls it. What a process does
// after its end has no effect.
import { setTimeout as pause } from 'node:timers/promises';
import {
  createDefaultHttpClient,
  type HttpClient,
  type PipelineRequest,
  type PipelineResponse,
  RestError,
} from '@azure/core-rest-pipeline';
import { type Db, open } from '#patterns';
import type { Peer } from './peers.js';

/**
 * `reset before`: the connection breaks before the request is sent; `reset after`: when it was applied. `dies before` and `dies after`: the process ends there. `stalls`: it stands still before
 * the request, and continues when others have done its work; `stalls and dies`: the request goes out then, and nothing after it. `lags`: the one request is so slow that others write during it.
 */
export type Crash =
  | 'reset before'
  | 'reset after'
  | 'dies before'
  | 'dies after'
  | 'stalls'
  | 'stalls and dies'
  | 'lags';

/** Less than the time for which a message is hidden. */
const LAG_MILLISECONDS = 500;

export const CRASHES: readonly Crash[] = [
  'reset before',
  'reset after',
  'dies before',
  'dies after',
  'stalls',
  'stalls and dies',
  'lags',
];

/** A crash at the request of this number, from 0. */
export interface CrashPoint {
  readonly at: number;
  readonly crash: Crash;
}

export const textOf = ({ at, crash }: CrashPoint): string => `${crash} at ${at}`;

const isSend = ({ method, url }: PipelineRequest): boolean => method === 'POST' && url.includes('/messages');

export class CrashingClient implements HttpClient {
  /** Requests so far. */
  count = 0;
  /** What they were, for a reader of a failure. */
  readonly requests: string[] = [];
  isDead = false;
  /** The process ended, stands still or lags. */
  readonly crashed: Promise<void>;
  readonly #client = createDefaultHttpClient();
  readonly #point: CrashPoint | undefined;
  readonly #sendsTwice: boolean;
  readonly #released: Promise<void>;
  #isStalled = false;
  #crash: () => void = () => undefined;
  #release: () => void = () => undefined;

  /** `sendsTwice`: each message is put into its queue twice, as a client does whose answer was lost. */
  constructor(point: CrashPoint | undefined, sendsTwice: boolean) {
    this.#point = point;
    this.#sendsTwice = sendsTwice;
    this.crashed = new Promise(resolve => {
      this.#crash = resolve;
    });
    this.#released = new Promise(resolve => {
      this.#release = resolve;
    });
  }

  /** Lets a process go on that stalls. */
  release(): void {
    this.#isStalled = false;
    this.#release();
  }

  async sendRequest(request: PipelineRequest): Promise<PipelineResponse> {
    if (this.isDead) throw this.#end(request);
    const at = this.count++;
    const [, path = ''] = /^https?:\/\/[^/]+\/[^/]+\/([^?]*)/.exec(request.url) ?? [];
    this.requests.push(`${request.method} ${path}`);
    if (this.#isStalled) await this.#released;
    const point = this.#point;
    if (point?.at !== at) {
      if (this.isDead) throw this.#end(request);
      return this.#send(request);
    }
    return this.#crashed(request, point.crash);
  }

  async #crashed(request: PipelineRequest, crash: Crash): Promise<PipelineResponse> {
    const reset = new RestError('The connection was reset.', { code: 'ECONNRESET', request });
    if (crash === 'reset before') throw reset;
    if (crash === 'lags') {
      this.#crash();
      await pause(LAG_MILLISECONDS);
      return this.#send(request);
    }
    if (crash.startsWith('stalls')) {
      this.#isStalled = true;
      this.#crash();
      await this.#released;
      if (crash === 'stalls and dies') this.isDead = true;
      const answer = await this.#send(request);
      if (!this.isDead) return answer;
      throw this.#end(request);
    }
    if (crash.startsWith('dies')) this.isDead = true;
    if (crash.endsWith('after')) await this.#send(request);
    if (crash === 'reset after') throw reset;
    this.#crash();
    throw this.#end(request);
  }

  async #send(request: PipelineRequest): Promise<PipelineResponse> {
    if (this.#sendsTwice && isSend(request)) await this.#client.sendRequest(request);
    // A dead process receives no answer, and its server does not wait for it.
    delete request.abortSignal;
    return this.#client.sendRequest(request);
  }

  /** No code that a client tries again after. */
  #end(request: PipelineRequest): RestError {
    return new RestError('The process has ended.', { code: 'ENDED', request });
  }
}

/** A process: its clients, and what it opened by them. */
export interface Process {
  readonly db: Db;
  readonly client: CrashingClient;
}

export function startProcess(peer: Peer, point?: CrashPoint, sendsTwice = false): Process {
  const client = new CrashingClient(point, sendsTwice);
  const db = open(
    { tables: peer.client(), queues: peer.queues(client) },
    { httpClient: client, announceAfter: 0 },
  );
  return { db, client };
}
