// The requests of the Queue service, by the official client of queues, whose refusals become errors of this library. It knows no message format and adds no retries to the client's.
import type { PeekedMessageItem, QueueClient } from '@azure/storage-queue';
import { type CallOptions, linkedController } from '../concurrency/abort.js';
import { PatternError, refuseDefinition } from '../values/pattern-error.js';
import type { Clients } from './clients.js';
import { type ClientFault, clientError, clientFault } from './service-refusal.js';

/** Set by the service: bytes of a message's text. */
export const MESSAGE_BYTES_MAX = 65_536;
/** The official client waits for an answer without end. */
const TIMEOUT_MILLISECONDS = 60_000;
/** A time to live without end; without it the service takes 7 days, after which work would be lost without a word. */
const NEVER_EXPIRES = -1;

/** Set by the service: messages of one Get. */
export const MESSAGES_MAX = 32;
/** Set by the service: 7 days. */
export const VISIBILITY_SECONDS_MAX = 604_800;

/** How a call of the client is ended. */
interface Aborting {
  readonly abortSignal: AbortSignal;
}

/** A message, by which its holder changes and deletes it. */
export interface MessageRef {
  readonly id: string;
  /** Void once another receiver has received the message. */
  readonly receipt: string;
}

/** A message as it is seen. Times are the service's, so that no clock of a worker counts. */
export interface SeenMessage {
  readonly id: string;
  readonly text: string;
  /** How often it was received, this time included. */
  readonly dequeueCount: number;
  /** Since it was sent, in milliseconds. */
  readonly age: number;
}

export interface ReceivedMessage extends SeenMessage, MessageRef {}

/** Another worker has received the message, or deleted it. */
const isTaken = ({ status, code }: ClientFault): boolean =>
  (status === 404 && code !== 'QueueNotFound') || (status === 400 && code === 'PopReceiptMismatch');

function errorOf(thrown: unknown, queue: string): PatternError {
  const fault = clientFault(thrown);
  return fault.code === 'QueueNotFound'
    ? new PatternError('QueueNotFound', { queue }, { sentence: `There is no queue ${queue}.`, cause: thrown })
    : clientError(fault, thrown);
}

/** One queue. Every method throws QueueNotFound, Throttled, Unreachable, ServiceRefused, and what the signal says. */
export class QueueRequests {
  readonly name: string;
  readonly #queue: QueueClient;
  readonly #now: () => number;

  /** `now` is asked only where an answer has no date. */
  constructor({ queues }: Clients, name: string, now: () => number) {
    if (queues === undefined)
      refuseDefinition('open()', 'flows need a QueueServiceClient: open({ tables, queues })');
    this.name = name;
    this.#queue = queues.getQueueClient(name) as QueueClient;
    this.#now = now;
  }

  /** Gives the message with the receipt that its sender may use. It never expires. */
  async send(text: string, delaySeconds: number, options: CallOptions = {}): Promise<MessageRef> {
    const times = { visibilityTimeout: delaySeconds, messageTimeToLive: NEVER_EXPIRES };
    const sent = await this.#call(options, (queue, own) => queue.sendMessage(text, { ...times, ...own }));
    return { id: sent.messageId, receipt: sent.popReceipt };
  }

  /** Whether it was there, under this receipt. */
  async delete({ id, receipt }: MessageRef, options: CallOptions = {}): Promise<boolean> {
    const gone = await this.#unlessTaken(options, async (queue, own) => {
      await queue.deleteMessage(id, receipt, own);
      return true;
    });
    return gone ?? false;
  }

  /** Does nothing if it is there. */
  async create(options: CallOptions = {}): Promise<void> {
    await this.#call(options, (queue, own) => queue.createIfNotExists(own));
  }

  /** Up to this many visible messages, hidden from other receivers for this long. */
  async receive(
    count: number,
    visibilitySeconds: number,
    options: CallOptions = {},
  ): Promise<readonly ReceivedMessage[]> {
    const wanted = { numberOfMessages: Math.min(count, MESSAGES_MAX), visibilityTimeout: visibilitySeconds };
    const answer = await this.#call(options, (queue, own) => queue.receiveMessages({ ...wanted, ...own }));
    return answer.receivedMessageItems.map(item => ({
      ...this.#seen(item, answer.date),
      receipt: item.popReceipt,
    }));
  }

  /** The first of those that are visible. */
  async peek(count: number, options: CallOptions = {}): Promise<readonly SeenMessage[]> {
    const wanted = { numberOfMessages: Math.min(count, MESSAGES_MAX) };
    const answer = await this.#call(options, (queue, own) => queue.peekMessages({ ...wanted, ...own }));
    return answer.peekedMessageItems.map(item => this.#seen(item, answer.date));
  }

  /** Hides the message for this long from now, with another text if one is given. Undefined if another receiver has it. */
  async hide(
    { id, receipt }: MessageRef,
    visibilitySeconds: number,
    text?: string,
    options: CallOptions = {},
  ): Promise<MessageRef | undefined> {
    const changed = await this.#unlessTaken(options, (queue, own) =>
      queue.updateMessage(id, receipt, text, visibilitySeconds, own),
    );
    return changed && { id, receipt: changed.popReceipt ?? receipt };
  }

  /** About so many messages, hidden ones included. */
  async count(options: CallOptions = {}): Promise<number> {
    const { approximateMessagesCount = 0 } = await this.#call(options, (queue, own) =>
      queue.getProperties(own),
    );
    return approximateMessagesCount;
  }

  #seen(
    { messageId, messageText, insertedOn, dequeueCount }: PeekedMessageItem,
    date: Date | undefined,
  ): SeenMessage {
    const age = Math.max(0, (date?.getTime() ?? this.#now()) - insertedOn.getTime());
    return { id: messageId, text: messageText, dequeueCount, age };
  }

  async #unlessTaken<T>(
    options: CallOptions,
    call: (queue: QueueClient, options: Aborting) => Promise<T>,
  ): Promise<T | undefined> {
    return this.#call<T | undefined>(options, async (queue, own) => {
      try {
        return await call(queue, own);
      } catch (thrown) {
        if (isTaken(clientFault(thrown))) return undefined;
        throw thrown;
      }
    });
  }

  async #call<T>(
    { signal }: CallOptions,
    call: (queue: QueueClient, options: Aborting) => Promise<T>,
  ): Promise<T> {
    signal?.throwIfAborted();
    const controller = linkedController(signal);
    const timer = setTimeout(() => controller.abort(), TIMEOUT_MILLISECONDS);
    try {
      return await call(this.#queue, { abortSignal: controller.signal });
    } catch (thrown) {
      signal?.throwIfAborted();
      throw errorOf(thrown, this.name);
    } finally {
      clearTimeout(timer);
      controller.release();
    }
  }
}
