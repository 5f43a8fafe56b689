// A worker of a flow: receives messages from its queues, up to its concurrency, and pauses while there are none. Any number of workers share the queues. The steps of a message run one after the other, and then
// it is deleted, comes back, or is put aside. Nothing here needs to happen exactly once: wherever it ends, the message comes back, and steps may be repeated.
import { Jitter } from '../concurrency/jitter.js';
import { fraction, type Surroundings } from '../concurrency/surroundings.js';
import { Db } from '../repo/open.js';
import { type Envelope, envelopeText, readEnvelope } from '../transport/messages/envelope.js';
import {
  type MessageRef,
  type QueueRequests,
  type ReceivedMessage,
  VISIBILITY_SECONDS_MAX,
} from '../transport/queue-requests.js';
import { PatternError, refuseDefinition } from '../values/pattern-error.js';
import { type FlowDefinition, type StepContext, upcastInput } from './definition.js';
import { putAside } from './poison.js';

interface OfMessage {
  readonly flow: string;
  /** Of the flow's run; undefined for a text that could not be read. */
  readonly id: string | undefined;
  /** Of the message in its queue. */
  readonly message: string;
  /** Since the message was sent, in milliseconds, when it was received: so old was what the flow derives. */
  readonly age: number;
}

type OfOutcome =
  /** All steps were done, and the message is gone. */
  | { readonly kind: 'done' }
  /** All steps were done after another worker had had the message, and it comes back once more: that worker may be stalled, and write late. */
  | { readonly kind: 'redelivery' }
  /** The write that the message announced has not been seen; the message comes back. */
  | { readonly kind: 'pending' }
  /** The write was not seen within the grace period: the steps were done for what is there, and the message is gone. */
  | { readonly kind: 'abandoned' }
  /** A step threw; the message comes back. */
  | { readonly kind: 'failed'; readonly attempt: number; readonly error: unknown }
  /** The message was put aside. */
  | { readonly kind: 'poisoned'; readonly reason: string }
  /** Another worker has the message. */
  | { readonly kind: 'lost' }
  | { readonly kind: 'noted'; readonly step: string; readonly note: string };

/** What became of a message, or of a poll for messages: for logs, metrics and alarms. It decides nothing. */
export type FlowEvent =
  | (OfOutcome & OfMessage)
  /** No messages could be received, or the queue could not be updated after a message, which it will deliver again. */
  | { readonly kind: 'unreachable'; readonly flow: string; readonly queue: string; readonly error: unknown };

/** Pauses in milliseconds. */
interface Pauses {
  readonly base: number;
  readonly cap: number;
}

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

const WAIT_SECONDS_MAX = 30;
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

/** What deliveries of one worker share. */
interface Delivering
  extends Required<
    Pick<WorkerOptions, 'visibility' | 'maxDequeue' | 'grace' | 'redeliverAfter' | 'backoff'>
  > {
  readonly db: Db;
  readonly flow: FlowDefinition<never, unknown>;
  readonly poison: QueueRequests;
  readonly surroundings: Surroundings;
  readonly report: (event: FlowEvent) => void;
}

/** What a person reads of something that was thrown. */
const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** A message whose steps run. */
interface Held {
  /** Ends when another worker has the message. */
  readonly signal: AbortSignal;
  /** Gives the message under its receipt of now; undefined if another worker has it. */
  end(): Promise<MessageRef | undefined>;
}

/** Keeps a message hidden: at half of its time it is hidden anew. Pauses are timers, so that a clock which is set harms nothing. */
function hold(
  { surroundings: { sleep }, visibility }: Delivering,
  queue: QueueRequests,
  message: MessageRef,
): Held {
  const [lost, ended] = [new AbortController(), new AbortController()];
  let held: MessageRef | undefined = message;
  const renew = async (): Promise<void> => {
    for (let pause = visibility * 500; held !== undefined; ) {
      await sleep(pause, ended.signal).catch(() => undefined);
      if (ended.signal.aborted) return;
      try {
        held = await queue.hide(held, visibility);
        pause = visibility * 500;
      } catch {
        // Until it is visible again, there is time for some attempts; after that it is still ours until another worker takes it.
        pause = visibility * 125;
      }
    }
    lost.abort(new Error('Another worker has the message.'));
  };
  const renewing = renew();
  const end = async (): Promise<MessageRef | undefined> => {
    ended.abort();
    // A renewal that is under way changes the receipt.
    await renewing;
    return held;
  };
  return { signal: lost.signal, end };
}

class Delivery {
  readonly #with: Delivering;
  readonly #queue: QueueRequests;
  readonly #message: ReceivedMessage;

  constructor(delivering: Delivering, queue: QueueRequests, message: ReceivedMessage) {
    this.#with = delivering;
    this.#queue = queue;
    this.#message = message;
  }

  /** Throws what the queue answers; the message then comes back by itself. */
  async run(): Promise<void> {
    const { maxDequeue, flow } = this.#with;
    const envelope = readEnvelope(this.#message.text);
    if (typeof envelope === 'string') return this.#putAside(this.#message, undefined, envelope);
    if (envelope.flow !== flow.name)
      return this.#putAside(this.#message, undefined, `it is of the flow ${envelope.flow}`);
    const attempt = this.#message.dequeueCount - envelope.waits;
    if (attempt > maxDequeue)
      return this.#putAside(this.#message, envelope, `received ${attempt} times, each time without an end`);
    const holding = hold(this.#with, this.#queue, this.#message);
    let isPending = false;
    let failure: { readonly error: unknown } | undefined;
    try {
      isPending = await this.#runSteps(envelope, Math.max(1, attempt), holding.signal);
    } catch (error) {
      failure = { error };
    }
    const held = await holding.end();
    if (held === undefined) return this.#tell(envelope, { kind: 'lost' });
    if (failure !== undefined) return this.#fail(held, envelope, attempt, failure.error);
    return isPending ? this.#wait(held, envelope) : this.#finish(held, envelope, attempt);
  }

  /** Whether a step waits for a write. */
  async #runSteps(envelope: Envelope, attempt: number, signal: AbortSignal): Promise<boolean> {
    const { flow, db } = this.#with;
    const { id, operationId, deletes, version } = envelope;
    const input = upcastInput(flow, envelope.input, version, this.#queue.name);
    let isPending = false;
    for (const step of flow.steps) {
      signal.throwIfAborted();
      const note = (text: string): void =>
        this.#tell(envelope, { kind: 'noted', step: step.name, note: text });
      const context: StepContext = { db, id, attempt, signal, operationId, deletes, note };
      // A write that one step has not seen may be none of another step's.
      if ((await step.run(input, context)) === 'pending') isPending = true;
    }
    return isPending;
  }

  async #fail(held: MessageRef, envelope: Envelope, attempt: number, error: unknown): Promise<void> {
    const { maxDequeue, backoff, surroundings } = this.#with;
    this.#tell(envelope, { kind: 'failed', attempt, error });
    if (attempt >= maxDequeue || PatternError.is(error, 'MessageUnreadable'))
      return this.#putAside({ ...this.#message, ...held }, envelope, reasonOf(error));
    const jitter = new Jitter(backoff, () => fraction(surroundings.random));
    let pause = jitter.next();
    for (let n = 1; n < attempt; n++) pause = jitter.next();
    await this.#queue.hide(held, Math.ceil(pause / 1_000));
  }

  async #finish(held: MessageRef, envelope: Envelope, attempt: number): Promise<void> {
    const { redeliverAfter } = this.#with;
    if (attempt > 1 && !envelope.isRedelivery && redeliverAfter > 0) {
      const waits = this.#message.dequeueCount;
      await this.#queue.hide(held, redeliverAfter, envelopeText({ ...envelope, waits, isRedelivery: true }));
      return this.#tell(envelope, { kind: 'redelivery' });
    }
    await this.#queue.delete(held);
    this.#tell(envelope, { kind: 'done' });
  }

  /** Ages are the service's, so that the clock of this computer does not count. */
  async #wait(held: MessageRef, envelope: Envelope): Promise<void> {
    const left = this.#with.grace - this.#message.age / 1_000;
    if (left <= 0) {
      await this.#queue.delete(held);
      return this.#tell(envelope, { kind: 'abandoned' });
    }
    const waits = envelope.waits + 1;
    const seconds = Math.ceil(Math.min(left, WAIT_SECONDS_MAX, 2 ** Math.min(waits - 1, 5)));
    await this.#queue.hide(held, Math.max(1, seconds), envelopeText({ ...envelope, waits }));
    this.#tell(envelope, { kind: 'pending' });
  }

  async #putAside(
    message: MessageRef & { readonly text: string },
    envelope: Envelope | undefined,
    reason: string,
  ): Promise<void> {
    await putAside(this.#queue, this.#with.poison, message, envelope, reason);
    this.#tell(envelope, { kind: 'poisoned', reason });
  }

  #tell(envelope: Envelope | undefined, event: OfOutcome): void {
    const { flow, report } = this.#with;
    const { id: message, age } = this.#message;
    report({ ...event, flow: flow.name, id: envelope?.id, message, age });
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
    const { surroundings } = Db.serviceOf(parts.db);
    this.#delivering = { ...parts, ...limits, surroundings, backoff, report };
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
    const { random, sleep } = this.#delivering.surroundings;
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

  #begin(queue: QueueRequests, message: ReceivedMessage): void {
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
