// A flow as programs use it: work over partitions, tables and services that a queue keeps until it is done. Sends messages, alone or before a write, and starts workers.
// definition.ts checks the definition, worker.ts does the work.
import type { CallOptions } from '../concurrency/abort.js';
import { Db } from '../repo/open.js';
import { type OperationId, OperationIds } from '../repo/write/operation-id.js';
import {
  type FlowMessage,
  type SentMessage,
  sendMessage,
  unlessRefused,
} from '../transport/messages/announce.js';
import { checkedText, type Envelope } from '../transport/messages/envelope.js';
import { QueueRequests } from '../transport/queue-requests.js';
import { refuseDefinition } from '../values/pattern-error.js';
import type { StandardSchema } from '../values/standard-schema.js';
import {
  define,
  type FlowDefinition,
  type FlowOptions,
  inputToSend,
  queueOf,
  type Step,
  upcastInput,
} from './definition.js';
import { oldestIn } from './oldest-message.js';
import { type PoisonMessage, type PoisonOptions, poisonMessages } from './poison.js';
import { Worker, type WorkerOptions } from './worker.js';

/** How a run is named, and when it begins. */
export interface StartOptions extends CallOptions {
  /** Of this run; a UUID by default. Runs with one id are the same work, and steps with outside effects do it once. */
  readonly id?: string;
  /** Seconds until workers see the message; 0 by default. */
  readonly after?: number;
}

/** How a write is announced to the workers that follow it. */
export interface WriteOptions extends CallOptions {
  readonly id?: string;
  /** Seconds until workers see the message; the write should finish in that time. 2 by default. */
  readonly after?: number;
  /** The write deletes the row, so that a missing row means that it was done. */
  readonly deletes?: boolean;
}

/** How much a flow has to do. */
export interface FlowFigures {
  /** An estimate of the messages in the queues, hidden ones included. */
  readonly pending: number;
  /** Milliseconds since the oldest message was sent that no worker is processing; undefined if there is none. What the flow derives is at least this old. */
  readonly oldest: number | undefined;
  /** An estimate of the messages that were put aside. */
  readonly poisoned: number;
}

/** The same ids, the next of which was announced before the write. */
class AnnouncedIds extends OperationIds {
  #first: OperationId | undefined;

  constructor(ids: OperationIds, first: OperationId | undefined) {
    super(ids, ids.chance);
    this.#first = first;
  }

  override next(): OperationId {
    const first = this.#first;
    this.#first = undefined;
    return first ?? super.next();
  }
}

/** Work over partitions, tables and services, which a queue remembers until it is done. */
export class Flow<I = unknown, O = unknown> {
  readonly name: string;
  readonly definition: FlowDefinition<I, O>;

  constructor(definition: FlowDefinition<I, O>) {
    this.name = definition.name;
    this.definition = definition;
  }

  /** Creates its queues, unless they exist. */
  async createQueues(db: Db, options: CallOptions = {}): Promise<void> {
    const { queues, poisonQueue } = this.definition;
    for (const name of [...queues, poisonQueue]) await this.#queue(db, name).create(options);
  }

  /** Sends a message, for which a worker runs the steps with this input. Returns the run's id. Throws ValueInvalid, TooLarge and QueueNotFound. */
  async start(db: Db, input: I, { id, after = 0, signal }: StartOptions = {}): Promise<string> {
    const sent = await sendMessage(Db.serviceOf(db), this.#message(input, { id }), after, { signal });
    return sent.id;
  }

  /** Sends the message of a write to come, which leaves this operation id in its row. */
  async announce(
    db: Db,
    input: I,
    operationId: OperationId | undefined,
    { id, after, deletes, signal }: WriteOptions,
  ): Promise<SentMessage> {
    if (operationId === undefined)
      return refuseDefinition(this.name, 'a write that a flow follows needs operation ids');
    const service = Db.serviceOf(db);
    const message = this.#message(input, { id, operationId, deletes });
    return sendMessage(service, message, after ?? service.announceAfter, { signal });
  }

  /**
   * A write that the flow follows: sends the message, then writes with the operation id that the message names, so that a worker finishes the work wherever the program ends. `write` does
   * one write, of a row or a batch, by the Db that it receives. After a refusal the message is deleted.
   */
  async write<T>(
    db: Db,
    input: I,
    write: (db: Db) => Promise<T>,
    { after = 2, ...options }: WriteOptions = {},
  ): Promise<T> {
    const service = Db.serviceOf(db);
    const { operationIds } = service;
    const operationId = operationIds?.next();
    const sent = await this.announce(db, input, operationId, { after, ...options });
    const own = operationIds && new AnnouncedIds(operationIds, operationId);
    return unlessRefused([sent], () => write(new Db({ ...service, operationIds: own })));
  }

  /** Starts a worker. Any number of workers, in any number of processes, share the messages. */
  worker(db: Db, options: WorkerOptions = {}): Worker {
    const { queues, poisonQueue } = this.definition;
    const flow = this.definition as unknown as FlowDefinition<never, unknown>;
    const own = queues.map(name => this.#queue(db, name));
    return new Worker(own, { db, flow, poison: this.#queue(db, poisonQueue) }, options);
  }

  /** The messages that were put aside. */
  poison(db: Db, options: PoisonOptions = {}): AsyncGenerator<PoisonMessage, void, undefined> {
    const { poisonQueue, queues } = this.definition;
    const redrive = async (envelope: Envelope | undefined, text: string): Promise<void> => {
      const [first = ''] = queues;
      const name = envelope === undefined ? first : queueOf(this.definition, this.#inputOf(envelope));
      await this.#queue(db, name).send(envelope === undefined ? text : checkedText(envelope), 0);
    };
    return poisonMessages(this.#queue(db, poisonQueue), redrive, options);
  }

  /** How much there is to do, and how old it is. */
  async figures(db: Db, options: CallOptions = {}): Promise<FlowFigures> {
    const { queues, poisonQueue } = this.definition;
    const own = queues.map(name => this.#queue(db, name));
    let pending = 0;
    for (const queue of own) pending += await queue.count(options);
    const oldest = await oldestIn(own, options);
    const poisoned = await this.#queue(db, poisonQueue).count(options);
    return { pending, oldest, poisoned };
  }

  #queue(db: Db, name: string): QueueRequests {
    const { clients, surroundings } = Db.serviceOf(db);
    return new QueueRequests(clients, name, surroundings.now);
  }

  /** As `keyOf` takes it: a message may be of an earlier version. */
  #inputOf({ input, version: from }: Envelope): I {
    const { name, version, upcast } = this.definition;
    return from < version
      ? upcastInput<I>({ name, version, upcast, schema: undefined }, input, from)
      : (input as I);
  }

  #message(input: I, options: Partial<FlowMessage>): FlowMessage {
    const { name: flow, version } = this.definition;
    const queue = queueOf(this.definition, input);
    return { flow, version, queue, input: inputToSend(this.definition, input), ...options };
  }
}

/** Defines a flow. Throws DefinitionInvalid for what could not work. */
export const flow = <I, O>(
  name: string,
  schema: StandardSchema<I, O>,
  steps: readonly Step<O>[],
  options: FlowOptions<I> = {},
): Flow<I, O> => new Flow(define(name, schema, steps, options));
