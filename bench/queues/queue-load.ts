// The load of the queue workloads: clients that each send one request after the other, with the latency of each. It checks every status
// and the text of every message that a get returns.
import { setTimeout as sleep } from 'node:timers/promises';
import { Caller } from '../load/caller.js';
import type { Latency } from '../load/job.js';
import type { Endpoint } from '../load/requests.js';
import type { Response } from '../load/response-parser.js';
import { Latencies } from '../load/statistics.js';
import {
  createQueue,
  deleteMessage,
  getMessage,
  messageOf,
  putMessage,
  requireStatus,
} from './queue-requests.js';

/**
 * `put`: a message. `take`: a message got and deleted. `cycle`: put,
 * got and deleted, so that the queue keeps its length. `create`: the queue.
 */
export type QueueWork = 'create' | 'put' | 'take' | 'cycle';
export type QueueStep = 'put' | 'get' | 'delete';

export interface QueueJob {
  readonly work: QueueWork;
  readonly endpoint: Endpoint;
  readonly queue: string;
  readonly clients: number;
  /** Ends after this many, or after the time, whichever comes first. */
  readonly count?: number;
  readonly milliseconds?: number;
  /** Number of the first message. */
  readonly first: number;
  readonly timeToLiveSeconds?: number;
  /** Length of a message's text; by default that of an entity. */
  readonly textBytes?: number;
  /** Retries when the server is busy, as the official clients do, and counts it. */
  readonly isPatient?: boolean;
}

export interface QueueResult {
  readonly completed: number;
  /** 503 answers; their requests were sent again. */
  readonly busy: number;
  readonly milliseconds: number;
  readonly steps: Readonly<Partial<Record<QueueStep, Latency>>>;
}

const BUSY = 503;
const PAUSE_MILLISECONDS = 50;

class Run {
  readonly #job: QueueJob;
  readonly #latencies = new Map<QueueStep, Latencies>();
  readonly #start = performance.now();
  #begun = 0;
  #completed = 0;
  #busy = 0;

  constructor(job: QueueJob) {
    this.#job = job;
  }

  async run(): Promise<QueueResult> {
    const callers = Array.from({ length: this.#job.clients }, () => new Caller(this.#job.endpoint.port));
    try {
      await Promise.all(callers.map(caller => this.#goOn(caller)));
    } finally {
      for (const caller of callers) caller.close();
    }
    const steps = [...this.#latencies].map(([step, latencies]) => [step, latencies.summary()]);
    return {
      completed: this.#completed,
      busy: this.#busy,
      milliseconds: performance.now() - this.#start,
      steps: Object.fromEntries(steps),
    };
  }

  async #goOn(caller: Caller): Promise<void> {
    const { count = Number.POSITIVE_INFINITY, milliseconds = Number.POSITIVE_INFINITY, first } = this.#job;
    const until = this.#start + milliseconds;
    while (this.#begun < count && performance.now() < until) {
      const number = first + this.#begun++;
      await this.#do(caller, number);
      this.#completed++;
    }
  }

  async #do(caller: Caller, number: number): Promise<void> {
    const { work, endpoint, queue } = this.#job;
    if (work === 'create') requireStatus(await this.#ask(caller, createQueue(endpoint, queue)), 201);
    if (work === 'put' || work === 'cycle') await this.#put(caller, number);
    if (work === 'take' || work === 'cycle') await this.#take(caller);
  }

  #put(caller: Caller, number: number): Promise<void> {
    const { endpoint, queue, timeToLiveSeconds, textBytes } = this.#job;
    const request = putMessage(endpoint, queue, number, timeToLiveSeconds, textBytes);
    return this.#timed('put', async () => requireStatus(await this.#ask(caller, request), 201));
  }

  async #take(caller: Caller): Promise<void> {
    const { endpoint, queue, textBytes } = this.#job;
    const message = await this.#timed('get', async () =>
      messageOf(await this.#ask(caller, getMessage(endpoint, queue)), textBytes),
    );
    const request = deleteMessage(endpoint, queue, message);
    await this.#timed('delete', async () => {
      const busy = this.#busy;
      const answer = await this.#ask(caller, request);
      // A request with a 503 answer may have deleted it.
      if (answer.status !== 404 || this.#busy === busy) requireStatus(answer, 204);
    });
  }

  async #ask(caller: Caller, request: string): Promise<Response> {
    for (;;) {
      const answer = await caller.ask(request);
      if (this.#job.isPatient !== true || answer.status !== BUSY) return answer;
      this.#busy += 1;
      await sleep(PAUSE_MILLISECONDS);
    }
  }

  async #timed<T>(step: QueueStep, work: () => Promise<T>): Promise<T> {
    const since = performance.now();
    const result = await work();
    const latencies = this.#latencies.get(step) ?? new Latencies();
    this.#latencies.set(step, latencies);
    latencies.add(performance.now() - since);
    return result;
  }
}

/** Runs a job to its end. Fails with the first answer that is wrong. */
export const runQueueJob = (job: QueueJob): Promise<QueueResult> => new Run(job).run();
