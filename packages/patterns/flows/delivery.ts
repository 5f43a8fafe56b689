// Processes one received message: its steps run one after the other, and then it is deleted, comes back, or is put aside. Nothing here needs to happen exactly once: wherever it
// ends, the message comes back, and steps may be repeated.
import type { Jitter } from '../concurrency/jitter.js';
import type { Db } from '../repo/open.js';
import { type Envelope, envelopeText, readEnvelope } from '../transport/messages/envelope.js';
import type { MessageRef, QueueRequests, ReceivedMessage } from '../transport/queue-requests.js';
import { PatternError } from '../values/pattern-error.js';
import { type FlowDefinition, type Step, type StepContext, upcastInput } from './definition.js';
import type { FlowEvent, FlowReport } from './flow-event.js';
import { putAside } from './poison.js';
import { Renewal } from './renewal.js';

/** How a worker treats its messages. Times are in seconds, as the service counts them. */
export interface Treatment {
  readonly visibility: number;
  readonly maxDequeue: number;
  readonly grace: number;
  readonly redeliverAfter: number;
  /** Pauses before a message comes back whose step failed. */
  readonly backoff: () => Jitter;
}

/** What deliveries of one worker share. */
export interface Delivering {
  readonly db: Db;
  readonly flow: FlowDefinition<never, unknown>;
  readonly poison: QueueRequests;
  readonly treatment: Treatment;
  readonly sleep: ConstructorParameters<typeof Renewal>[2]['sleep'];
  readonly report: FlowReport;
}

type Outcome = { readonly kind: 'done' | 'pending' } | { readonly kind: 'failed'; readonly error: unknown };

const WAIT_SECONDS_MAX = 30;

/** What a person reads of something that was thrown. */
const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const isUnreadable = (error: unknown): boolean => PatternError.is(error, 'MessageUnreadable');

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
    const envelope = this.#read();
    if (typeof envelope === 'string') return this.#putAside(this.#message, undefined, envelope);
    const { maxDequeue } = this.#with.treatment;
    const attempt = this.#message.dequeueCount - envelope.waits;
    if (attempt > maxDequeue)
      return this.#putAside(this.#message, envelope, `received ${attempt} times, each time without an end`);
    const { outcome, held } = await this.#tried(envelope, Math.max(1, attempt));
    if (held === undefined) return this.#tell(envelope, { kind: 'lost' });
    if (outcome.kind !== 'failed')
      return outcome.kind === 'done' ? this.#finish(held, envelope, attempt) : this.#wait(held, envelope);
    const { error } = outcome;
    this.#tell(envelope, { kind: 'failed', attempt, error });
    if (attempt >= maxDequeue || isUnreadable(error))
      return this.#putAside({ ...this.#message, ...held }, envelope, reasonOf(error));
    await this.#queue.hide(held, this.#backoff(attempt));
  }

  /** The message, or why it cannot be read. */
  #read(): Envelope | string {
    const { flow } = this.#with;
    try {
      const envelope = readEnvelope(this.#message.text, this.#queue.name);
      return envelope.flow === flow.name ? envelope : `it is of the flow ${envelope.flow}`;
    } catch (thrown) {
      if (PatternError.is(thrown, 'MessageUnreadable')) return thrown.detail.reason;
      throw thrown;
    }
  }

  async #tried(
    envelope: Envelope,
    attempt: number,
  ): Promise<{ readonly outcome: Outcome; readonly held: MessageRef | undefined }> {
    const { treatment, sleep } = this.#with;
    const renewal = new Renewal(this.#queue, this.#message, { seconds: treatment.visibility, sleep });
    const outcome = await this.#steps(envelope, attempt, renewal.signal);
    return { outcome, held: await renewal.end() };
  }

  async #steps(envelope: Envelope, attempt: number, signal: AbortSignal): Promise<Outcome> {
    const { flow, db } = this.#with;
    let isPending = false;
    try {
      const { id, operationId, deletes, version } = envelope;
      const input = upcastInput(flow, envelope.input, version, this.#queue.name);
      const contextOf = ({ name: step }: Step<unknown>): StepContext => ({
        db,
        id,
        attempt,
        signal,
        operationId,
        deletes,
        note: note => this.#tell(envelope, { kind: 'noted', step, note }),
      });
      for (const step of flow.steps) {
        signal.throwIfAborted();
        // A write that one step has not seen may be none of another step's.
        if ((await step.run(input, contextOf(step))) === 'pending') isPending = true;
      }
      return { kind: isPending ? 'pending' : 'done' };
    } catch (error) {
      return { kind: 'failed', error };
    }
  }

  async #finish(held: MessageRef, envelope: Envelope, attempt: number): Promise<void> {
    const { redeliverAfter } = this.#with.treatment;
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
    const left = this.#with.treatment.grace - this.#message.age / 1_000;
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

  #backoff(attempt: number): number {
    const jitter = this.#with.treatment.backoff();
    let pause = jitter.next();
    for (let n = 1; n < attempt; n++) pause = jitter.next();
    return Math.ceil(pause / 1_000);
  }

  #tell(envelope: Envelope | undefined, event: Told): void {
    const { flow, report } = this.#with;
    const { id: message, age } = this.#message;
    report({ ...event, flow: flow.name, id: envelope?.id, message, age });
  }
}

type OfMessage = 'flow' | 'id' | 'message' | 'age';
type Told = FlowEvent extends infer Each
  ? Each extends { readonly message: string }
    ? Omit<Each, OfMessage>
    : never
  : never;
