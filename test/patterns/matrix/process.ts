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
import { type Db, open } from '#patterns';
import type { FlowEvent, WorkerOptions } from '#patterns/flows';
import type { Peer } from '../support/peers.js';
import { chanceOf } from '../support/seeded.js';
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

/** A crash at the request of this number, from 0. */
export interface CrashPoint {
  readonly at: number;
  readonly crash: Crash;
}

export const textOf = ({ at, crash }: CrashPoint): string => `${crash} at ${at}`;

/** Seconds. Stalls are longer than the time for which a message is hidden, and shorter than that for which a write is waited for, and a stalled worker. */
const VISIBILITY = 4;
const GRACE = 12;
/** Longer than a message is announced before its write, so that others do their work in that time. */
const LAG_MILLISECONDS = 3_000;
const STALL_MILLISECONDS = 8_000;

export const isDeath = (crash: Crash): boolean => crash.startsWith('dies') || crash === 'stalls and dies';
export const isSlow = (crash: Crash): boolean => crash === 'lags' || crash.startsWith('stalls');

const client = createDefaultHttpClient();

/** The process, and how it fails. */
export interface Part {
  readonly name: string;
  readonly points?: readonly CrashPoint[];
  /** Each message is put into its queue twice, as by a client whose answer was lost. */
  readonly sendsTwice?: boolean;
  /** Of its random numbers. */
  readonly seed: number;
}

const NO_BODY = { headers: createHttpHeaders(), bodyAsText: '' } as const;

export class Process implements HttpClient {
  readonly db: Db;
  readonly name: string;
  /** Of each request so far, whether it may change something: others leave nothing that a process could end behind. */
  readonly requests: boolean[] = [];
  isDead = false;
  /** It ended, or stands still. */
  hasStruck = false;
  readonly #peer: Peer;
  readonly #stage: Stage;
  #stalledUntil = 0;
  readonly #points: readonly CrashPoint[];
  readonly #sendsTwice: boolean;
  readonly events: FlowEvent[] = [];

  constructor(peer: Peer, stage: Stage, { name, points = [], sendsTwice = false, seed }: Part) {
    this.name = name;
    this.#peer = peer;
    this.#stage = stage;
    this.#points = points;
    this.#sendsTwice = sendsTwice;
    const chance = chanceOf(seed);
    const clients = {
      tables: peer.client(),
      queues: peer.queues(this),
      blobs: peer.blobs(this),
    };
    this.db = open(clients, {
      httpClient: this,
      now: () => stage.now,
      random: bytes => Uint8Array.from({ length: bytes }, () => Math.floor(chance() * 256)),
      sleep: (time, signal) => this.sleep(time, signal),
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
      visibility: VISIBILITY,
      maxDequeue: 20,
      grace: GRACE,
      redeliverAfter: GRACE,
      rest: { base: REST, cap: REST },
      backoff: { base: 1_000, cap: 1_000 },
      report: event => this.events.push(event),
    };
  }

  async sendRequest(request: PipelineRequest): Promise<PipelineResponse> {
    if (this.isDead) throw this.#end(request);
    const at = this.requests.length;
    this.requests.push(request.method !== 'GET' || queueCallOf(request) !== undefined);
    const crash = this.#points.find(point => point.at === at)?.crash;
    const { pathname } = new URL(request.url);
    const label = `${this.name}.${at} ${request.method} ${pathname.slice(pathname.indexOf('/', 1))}`;
    if (crash?.startsWith('stalls')) this.#stalledUntil = this.#stage.now + STALL_MILLISECONDS;
    // What stands still sends nothing else either, such as renewals.
    const stall = Math.max(0, this.#stalledUntil - this.#stage.now);
    const delay = crash === 'lags' ? LAG_MILLISECONDS : stall;
    if (crash !== undefined && isSlow(crash)) this.hasStruck = true;
    const text = crash === undefined ? label : `${label} (${crash})`;
    return this.#stage.perform(text, this.#nameOf(request), () => this.#performed(request, crash), delay);
  }

  async #performed(request: PipelineRequest, crash: Crash | undefined): Promise<PipelineResponse> {
    // A process does one thing at a time, and may have ended since.
    if (this.isDead) throw this.#end(request);
    if (crash === undefined || crash === 'lags' || crash === 'stalls') return this.#send(request);
    if (isDeath(crash)) {
      this.isDead = true;
      this.hasStruck = true;
    } else this.#stage.expectRetry(this.#nameOf(request));
    if (crash !== 'dies before' && crash !== 'reset before') await this.#send(request);
    throw this.isDead
      ? this.#end(request)
      : new RestError('The connection was reset.', { code: 'ECONNRESET', request });
  }

  async #send(request: PipelineRequest): Promise<PipelineResponse> {
    // A dead process receives no answer, and its server does not wait for it.
    delete request.abortSignal;
    const { messages, now } = this.#stage;
    if (messages.losesDelete(request)) return { request, status: 204, ...NO_BODY };
    const isSend = request.method === 'POST' && queueCallOf(request) !== undefined;
    if (isSend && this.#sendsTwice) await messages.note(request, await client.sendRequest(request), now);
    const answer = await client.sendRequest(request);
    await messages.note(request, answer, now);
    if (answer.readableStreamBody) {
      this.#stage.expectReading();
      return { ...answer, readableStreamBody: Readable.from([await buffer(answer.readableStreamBody)]) };
    }
    return answer;
  }

  /** Of a request, in all its attempts. */
  #nameOf({ method, url, body }: PipelineRequest): string {
    return [this.name, method, url, typeof body === 'string' ? body : ''].join(' ');
  }

  /** No code that a client tries again after. */
  #end(request: PipelineRequest): RestError {
    return new RestError('The process has ended.', { code: 'ENDED', request });
  }
}
