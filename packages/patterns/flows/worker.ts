// A worker of a flow: receives messages from its queues, up to its concurrency, and pauses while there are none. Any number of workers share the queues. delivery.ts handles
// each message.
import { Jitter } from '../concurrency/jitter.js';
import { fraction, type Surroundings } from '../concurrency/surroundings.js';
import type { Db } from '../repo/open.js';
import { type QueueRequests, VISIBILITY_SECONDS_MAX } from '../transport/queue-requests.js';
import { refuseDefinition } from '../values/pattern-error.js';
import type { FlowDefinition } from './definition.js';
import { type Delivering, Delivery, type Treatment } from './delivery.js';
import type { FlowEvent, FlowReport } from './flow-event.js';

/** How a worker works. Times are in seconds, as the Queue service counts them. */
export interface WorkerOptions {
  /** Messages processed at a time; 4 by default. */
  readonly concurrency?: number;
  /** How long a message is hidden from other workers; 30 by default. Renewed at half of that while its steps run. */
  readonly visibility?: number;
  /** Attempts after which a message is put aside; 5 by default. */
  readonly maxDequeue?: number;
  /**
   * How long to keep a message whose write has not been seen; 600 by default. It must exceed the longest write, with all attempts of its client.
   */
  readonly grace?: number;
  /**
   * After how long a message that more than one worker has had is done once more, because one of them may be stalled and write late; 900 by default, after
   * which the service refuses what was signed before. 0 for never.
   */
  readonly redeliverAfter?: number;
  /** Rests between polls of empty queues, in milliseconds; from 100 to 5,000 by default. */
  readonly rest?: { readonly base: number; readonly cap: number };
  /** Pauses before a failed message comes back, in milliseconds, rounded to seconds; from 1,000 to 60,000 by default. */
  readonly backoff?: { readonly base: number; readonly cap: number };
  /** Called with everything that happens to messages. What it throws is ignored. */
  readonly report?: FlowReport;
}

const REST = { base: 100, cap: 5_000 } as const;
const BACKOFF = { base: 1_000, cap: 60_000 } as const;

function wholeFrom(least: number, most: number, what: string, value: number): void {
  if (!Number.isInteger(value) || value < least || value > most)
    refuseDefinition('worker()', `${what} is a whole number from ${least} to ${most}, not ${value}`);
}

function treatmentOf(options: WorkerOptions, random: Surroundings['random']): Treatment {
  const { visibility = 30, maxDequeue = 5, grace = 600, redeliverAfter = 900, backoff = BACKOFF } = options;
  wholeFrom(1, VISIBILITY_SECONDS_MAX, 'visibility', visibility);
  wholeFrom(1, 1_000, 'maxDequeue', maxDequeue);
  wholeFrom(0, VISIBILITY_SECONDS_MAX, 'grace', grace);
  wholeFrom(0, VISIBILITY_SECONDS_MAX, 'redeliverAfter', redeliverAfter);
  return {
    visibility,
    maxDequeue,
    grace,
    redeliverAfter,
    backoff: () => new Jitter(backoff, () => fraction(random)),
  };
}

/** What a worker needs in addition to its options. */
interface WorkerParts {
  readonly db: Db;
  readonly flow: FlowDefinition<never, unknown>;
  readonly queues: readonly QueueRequests[];
  readonly poison: QueueRequests;
  readonly surroundings: Surroundings;
}

/** A worker that has begun. */
export class Worker {
  readonly #queues: readonly QueueRequests[];
  readonly #delivering: Delivering;
  readonly #concurrency: number;
  readonly #surroundings: Surroundings;
  readonly #rest: { readonly base: number; readonly cap: number };
  readonly #inHand = new Set<Promise<void>>();
  readonly #stopping = new AbortController();
  readonly #polling: Promise<void>;

  constructor({ db, flow, queues, poison, surroundings }: WorkerParts, options: WorkerOptions = {}) {
    const { concurrency = 4, rest = REST, report = () => undefined } = options;
    wholeFrom(1, 10_000, 'concurrency', concurrency);
    this.#queues = queues;
    this.#concurrency = concurrency;
    this.#surroundings = surroundings;
    this.#rest = rest;
    const tell = (event: FlowEvent): void => {
      try {
        report(event);
      } catch {
        // An observer must not affect a message.
      }
    };
    const treatment = treatmentOf(options, surroundings.random);
    this.#delivering = { db, flow, poison, treatment, sleep: surroundings.sleep, report: tell };
    this.#polling = this.#poll();
  }

  /** Stops receiving, and waits for the messages in progress. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#polling;
    await Promise.all(this.#inHand);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  async #poll(): Promise<void> {
    const { random, sleep } = this.#surroundings;
    const { signal } = this.#stopping;
    const newRests = (): Jitter => new Jitter(this.#rest, () => fraction(random));
    let rests = newRests();
    while (!signal.aborted) {
      let found = 0;
      for (const queue of this.#queues) found += await this.#take(queue);
      if (found > 0) rests = newRests();
      else await sleep(rests.next(), signal).catch(() => undefined);
    }
  }

  /** How many were found. A running receive is not aborted when the worker stops: its messages would stay hidden. */
  async #take(queue: QueueRequests): Promise<number> {
    while (this.#inHand.size >= this.#concurrency) await Promise.race(this.#inHand);
    if (this.#stopping.signal.aborted) return 0;
    const { treatment, flow, report } = this.#delivering;
    const free = this.#concurrency - this.#inHand.size;
    try {
      const messages = await queue.receive(free, treatment.visibility);
      for (const message of messages) this.#begin(queue, message);
      return messages.length;
    } catch (error) {
      report({ kind: 'unreachable', flow: flow.name, queue: queue.name, error });
      return 0;
    }
  }

  #begin(queue: QueueRequests, message: Awaited<ReturnType<QueueRequests['receive']>>[number]): void {
    const { flow, report } = this.#delivering;
    const run = new Delivery(this.#delivering, queue, message)
      .run()
      .catch((error: unknown) => report({ kind: 'unreachable', flow: flow.name, queue: queue.name, error }))
      .finally(() => this.#inHand.delete(run));
    this.#inHand.add(run);
  }
}
