// Processes one received message: its steps run one after the other, and then it is deleted, comes back, or is put aside. Nothing here needs to happen exactly once: wherever it
// ends, the message comes back, and steps may be repeated.
import { Jitter } from '../concurrency/jitter.js';
import { fraction } from '../concurrency/surroundings.js';
import { Db } from '../repo/open.js';
import { type Envelope, envelopeText, readEnvelope } from '../transport/messages/envelope.js';
import type { MessageRef, QueueRequests, ReceivedMessage } from '../transport/queue-requests.js';
import { PatternError } from '../values/pattern-error.js';
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
export interface Pauses {
  readonly base: number;
  readonly cap: number;
}

/** What deliveries of one worker share. Times are in seconds, as the service counts them. */
export interface Delivering {
  readonly db: Db;
  readonly flow: FlowDefinition<never, unknown>;
  readonly poison: QueueRequests;
  readonly visibility: number;
  readonly maxDequeue: number;
  readonly grace: number;
  readonly redeliverAfter: number;
  /** Before a message comes back whose step failed. */
  readonly backoff: Pauses;
  readonly report: (event: FlowEvent) => void;
}

const WAIT_SECONDS_MAX = 30;

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
function hold({ db, visibility }: Delivering, queue: QueueRequests, message: MessageRef): Held {
  const { sleep } = Db.serviceOf(db).surroundings;
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

export class Delivery {
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
    const { maxDequeue, backoff, db } = this.#with;
    this.#tell(envelope, { kind: 'failed', attempt, error });
    if (attempt >= maxDequeue || PatternError.is(error, 'MessageUnreadable'))
      return this.#putAside({ ...this.#message, ...held }, envelope, reasonOf(error));
    const { random } = Db.serviceOf(db).surroundings;
    const jitter = new Jitter(backoff, () => fraction(random));
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
