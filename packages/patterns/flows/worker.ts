// A worker of a flow: receives messages from its queues, up to its concurrency, and pauses while there are none. Any number of workers share the queues. delivery.ts handles
// each message.
import { Jitter } from '../concurrency/jitter.js';
import { fraction } from '../concurrency/surroundings.js';
import { Db } from '../repo/open.js';
import { type QueueRequests, VISIBILITY_SECONDS_MAX } from '../transport/queue-requests.js';
import { refuseDefinition } from '../values/pattern-error.js';
import { type Delivering, Delivery, type FlowEvent, type Pauses } from './delivery.js';

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
  readonly rest?: Pauses;
  /** Pauses before a failed message comes back, in milliseconds, rounded to seconds; from 1,000 to 60,000 by default. */
  readonly backoff?: Pauses;
  /** Called with everything that happens to messages. What it throws is ignored. */
  readonly report?: (event: FlowEvent) => void;
}

const REST: Pauses = { base: 100, cap: 5_000 };
const BACKOFF: Pauses = { base: 1_000, cap: 60_000 };

/** The least and the greatest value of each option. */
const BOUNDS = {
  concurrency: [1, 10_000],
  visibility: [1, VISIBILITY_SECONDS_MAX],
  maxDequeue: [1, 1_000],
  grace: [0, VISIBILITY_SECONDS_MAX],
  redeliverAfter: [0, VISIBILITY_SECONDS_MAX],
} as const;

function checkBounds(options: Readonly<Record<keyof typeof BOUNDS, number>>): void {
  for (const [name, [least, most]] of Object.entries(BOUNDS)) {
    const value = options[name as keyof typeof BOUNDS];
    if (!Number.isInteger(value) || value < least || value > most)
      refuseDefinition('worker()', `${name} is a whole number from ${least} to ${most}, not ${value}`);
  }
}

/** A worker that has begun. */
export class Worker {
  readonly #queues: readonly QueueRequests[];
  readonly #delivering: Delivering;
  readonly #concurrency: number;
  readonly #rest: Pauses;
  readonly #inHand = new Set<Promise<void>>();
  readonly #stopping = new AbortController();
  readonly #polling: Promise<void>;

  constructor(
    queues: readonly QueueRequests[],
    parts: Pick<Delivering, 'db' | 'flow' | 'poison'>,
    options: WorkerOptions = {},
  ) {
    const { concurrency = 4, visibility = 30, maxDequeue = 5, grace = 600, redeliverAfter = 900 } = options;
    const { rest = REST, backoff = BACKOFF } = options;
    const limits = { visibility, maxDequeue, grace, redeliverAfter };
    checkBounds({ concurrency, ...limits });
    const report = (event: FlowEvent): void => {
      try {
        options.report?.(event);
      } catch {
        // An observer must not affect a message.
      }
    };
    this.#queues = queues;
    this.#concurrency = concurrency;
    this.#rest = rest;
    this.#delivering = { ...parts, ...limits, backoff, report };
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
    const { random, sleep } = Db.serviceOf(this.#delivering.db).surroundings;
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
    const free = this.#concurrency - this.#inHand.size;
    try {
      const messages = await queue.receive(free, this.#delivering.visibility);
      for (const message of messages) this.#begin(queue, message);
      return messages.length;
    } catch (error) {
      this.#tellUnreachable(queue, error);
      return 0;
    }
  }

  #begin(queue: QueueRequests, message: Awaited<ReturnType<QueueRequests['receive']>>[number]): void {
    const run = new Delivery(this.#delivering, queue, message)
      .run()
      .catch((error: unknown) => this.#tellUnreachable(queue, error))
      .finally(() => this.#inHand.delete(run));
    this.#inHand.add(run);
  }

  #tellUnreachable({ name: queue }: QueueRequests, error: unknown): void {
    const { flow, report } = this.#delivering;
    report({ kind: 'unreachable', flow: flow.name, queue, error });
  }
}
