// A process as its server sees it: all requests of one set of official clients go through one HTTP client, which hands them to the stage, fails at some, ends the process there, or stalls it. What a process
// does after its end has no effect.

import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import {
  createDefaultHttpClient,
  createHttpHeaders,
  type HttpClient,
  type PipelineRequest,
  type PipelineResponse,
  RestError,
} from '@azure/core-rest-pipeline';
import type { TableClient } from '@azure/data-tables';
import type { Db } from '#patterns';
import type { FlowEvent, WorkerOptions } from '#patterns/flows';
import type { Peer } from '../support/peers.js';
import { chanceOf } from '../support/seeded.js';
import type { Working } from './case.js';
import { queueCallOf } from './messages.js';
import { REST, type Stage } from './stage.js';

/**
 * `reset before`: the connection breaks before the request is sent; `reset after`: when it was applied. `dies before` and `dies after`: the process ends there. `lags`: the request is so slow that others
 * act during it. `stalls`: so slow that others take over what the process had in hand; `stalls and dies`: and nothing goes out after it.
 */
export const CRASHES = [
  'dies before',
  'dies after',
  'reset before',
  'reset after',
  'lags',
  'stalls',
  'stalls and dies',
] as const;
export type Crash = (typeof CRASHES)[number];

/** Where processes fail, and what is done twice. */
export interface Plan {
  /** By the labels of requests: `{ 'program.3': 'dies after' }`. */
  readonly crashes: Readonly<Record<string, Crash>>;
  /** Each message is sent twice, as by a client whose answer was lost, and delivered again after it was done. */
  readonly isTwice: boolean;
}

/** In seconds of the stage, each longer than the one before. A write is announced for the first. */
const TIMES = { announced: 2, lag: 3, hidden: 4, stall: 8, grace: 12 } as const;

export const isDeath = (crash: Crash): boolean => crash.startsWith('dies') || crash === 'stalls and dies';
export const isSlow = (crash: Crash): boolean => crash === 'lags' || crash.startsWith('stalls');

const client = createDefaultHttpClient();

const NO_BODY = { headers: createHttpHeaders(), bodyAsText: '' } as const;

/** No code that a client tries again after. */
const ended = (request: PipelineRequest): RestError =>
  new RestError('The process has ended.', { code: 'ENDED', request });

export class Process implements HttpClient {
  readonly db: Db;
  readonly name: string;
  readonly events: FlowEvent[] = [];
  isDead = false;
  /** It ended, or stands still. */
  hasStruck = false;
  /** Its operation has not ended. */
  isActing = false;
  /** Does what is left to do. */
  working: Working | undefined;
  readonly #peer: Peer;
  readonly #stage: Stage;
  readonly #plan: Plan;
  #count = 0;
  #stalledUntil = 0;

  /** `seed`: of its random numbers. */
  constructor(peer: Peer, stage: Stage, plan: Plan, name: string, seed: number) {
    this.name = name;
    this.#peer = peer;
    this.#stage = stage;
    this.#plan = plan;
    const chance = chanceOf(seed);
    this.db = peer.open({
      httpClient: this,
      now: () => stage.now,
      random: bytes => Uint8Array.from({ length: bytes }, () => Math.floor(chance() * 256)),
      sleep: (time, signal) => this.sleep(time, signal),
      announceAfter: TIMES.announced,
      // Reservations are as old as the server's clock says, which is not the stage's: all of them are too old.
      reserveFor: -10,
    });
  }

  /** In the time of the stage. A dead process never wakes. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    return this.isDead ? new Promise(() => undefined) : this.#stage.sleep(milliseconds, signal);
  }

  /** The official client of a table, for what programs without the library write. */
  table(name: string): TableClient {
    return this.#peer.table(name, this);
  }

  /** How this process works, in the times of the stage. */
  get worker(): WorkerOptions {
    return {
      visibility: TIMES.hidden,
      maxDequeue: 20,
      grace: TIMES.grace,
      redeliverAfter: TIMES.grace,
      rest: { base: REST, cap: REST },
      backoff: { base: 1_000, cap: 1_000 },
      report: event => this.events.push(event),
    };
  }

  async sendRequest(request: PipelineRequest): Promise<PipelineResponse> {
    if (this.isDead) throw ended(request);
    const { method, url, requestId: id } = request;
    const label = `${this.name}.${this.#count++}`;
    const isRead = method === 'GET';
    this.#stage.sent.push({ label, isChange: !isRead || queueCallOf(request) !== undefined });
    const crash = this.#plan.crashes[label];
    if (crash !== undefined && isSlow(crash)) this.hasStruck = true;
    if (crash?.startsWith('stalls')) this.#stalledUntil = this.#stage.now + 1_000 * TIMES.stall;
    // What stands still sends nothing else either, such as renewals.
    const stall = Math.max(0, this.#stalledUntil - this.#stage.now);
    const delay = crash === 'lags' ? 1_000 * TIMES.lag : stall;
    const { pathname } = new URL(url);
    const path = pathname.slice(pathname.indexOf('/', 1));
    const text = `${label} ${method} ${path}${crash === undefined ? '' : ` (${crash})`}`;
    return this.#stage.perform({ text, id, isRead, delay }, () => this.#performed(request, crash));
  }

  async #performed(request: PipelineRequest, crash: Crash | undefined): Promise<PipelineResponse> {
    // A process does one thing at a time, and may have ended since.
    if (this.isDead) throw ended(request);
    if (crash === undefined || crash === 'lags' || crash === 'stalls') return this.#send(request);
    if (isDeath(crash)) {
      this.isDead = true;
      this.hasStruck = true;
    } else this.#stage.expectRetry(request.requestId);
    if (!crash.endsWith('before')) await this.#send(request);
    throw this.isDead
      ? ended(request)
      : new RestError('The connection was reset.', { code: 'ECONNRESET', request });
  }

  async #send(request: PipelineRequest): Promise<PipelineResponse> {
    // A dead process receives no answer, and its server does not wait for it.
    delete request.abortSignal;
    const { messages } = this.#stage;
    if (messages.losesDelete(request)) return { request, status: 204, ...NO_BODY };
    const isSend = request.method === 'POST' && queueCallOf(request) !== undefined;
    if (isSend && this.#plan.isTwice) await messages.note(request, await client.sendRequest(request));
    const answer = await client.sendRequest(request);
    await messages.note(request, answer);
    if (!answer.readableStreamBody) return answer;
    this.#stage.expectReading();
    return { ...answer, readableStreamBody: Readable.from([await buffer(answer.readableStreamBody)]) };
  }
}
