// The requests of the Queue service, by the official client of queues. It knows no message format.
import type { PeekedMessageItem, QueueClient } from '@azure/storage-queue';
import type { CallOptions } from '../concurrency/abort.js';
import { refuseDefinition } from '../values/pattern-error.js';
import { ClientCalls, type ClientFault } from './client-calls.js';
import type { Connected } from './clients.js';

/** Set by the service: bytes of a message's text. */
export const MESSAGE_BYTES_MAX = 65_536;
/** A time to live without end; without it the service takes 7 days, after which work would be lost without a word. */
const NEVER_EXPIRES = -1;

/** Set by the service: messages of one Get. */
export const MESSAGES_MAX = 32;
/** Set by the service: 7 days. */
export const VISIBILITY_SECONDS_MAX = 604_800;

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

/** One queue. Every method throws QueueNotFound, Throttled, Unreachable, ServiceRefused, and what the signal says. */
export class QueueRequests {
  readonly name: string;
  readonly #queue: QueueClient;
  readonly #calls: ClientCalls;
  readonly #now: () => number;

  /** `now` is asked only where an answer has no date. */
  constructor(clients: Connected, name: string, now: () => number) {
    const { queues } = clients;
    if (queues === undefined)
      refuseDefinition('open()', 'flows need a QueueServiceClient: open({ tables, queues })');
    this.name = name;
    this.#queue = queues.getQueueClient(name) as QueueClient;
    this.#calls = new ClientCalls(name, clients);
    this.#now = now;
  }

  /** Gives the message with the receipt that its sender may use. It never expires. */
  async send(text: string, delaySeconds: number, options: CallOptions = {}): Promise<MessageRef> {
    const times = { visibilityTimeout: delaySeconds, messageTimeToLive: NEVER_EXPIRES };
    const sent = await this.#calls.done(options, own => this.#queue.sendMessage(text, { ...times, ...own }));
    return { id: sent.messageId, receipt: sent.popReceipt };
  }

  /** Whether it was there, under this receipt. */
  async delete({ id, receipt }: MessageRef, options: CallOptions = {}): Promise<boolean> {
    const gone = await this.#calls.unless(isTaken, options, own =>
      this.#queue.deleteMessage(id, receipt, own),
    );
    return gone !== undefined;
  }

  /** Does nothing if it is there. */
  async create(options: CallOptions = {}): Promise<void> {
    await this.#calls.done(options, own => this.#queue.createIfNotExists(own));
  }

  /** Up to this many visible messages, hidden from other receivers for this long. */
  async receive(
    count: number,
    visibilitySeconds: number,
    options: CallOptions = {},
  ): Promise<readonly ReceivedMessage[]> {
    const wanted = { numberOfMessages: Math.min(count, MESSAGES_MAX), visibilityTimeout: visibilitySeconds };
    const answer = await this.#calls.done(options, own => this.#queue.receiveMessages({ ...wanted, ...own }));
    return answer.receivedMessageItems.map(item => ({
      ...this.#seen(item, answer.date),
      receipt: item.popReceipt,
    }));
  }

  /** The first of those that are visible. */
  async peek(count: number, options: CallOptions = {}): Promise<readonly SeenMessage[]> {
    const wanted = { numberOfMessages: Math.min(count, MESSAGES_MAX) };
    const answer = await this.#calls.done(options, own => this.#queue.peekMessages({ ...wanted, ...own }));
    return answer.peekedMessageItems.map(item => this.#seen(item, answer.date));
  }

  /** Hides the message for this long from now, with another text if one is given. Undefined if another receiver has it. */
  async hide(
    { id, receipt }: MessageRef,
    visibilitySeconds: number,
    text?: string,
    options: CallOptions = {},
  ): Promise<MessageRef | undefined> {
    const changed = await this.#calls.unless(isTaken, options, own =>
      this.#queue.updateMessage(id, receipt, text, visibilitySeconds, own),
    );
    return changed && { id, receipt: changed.popReceipt ?? receipt };
  }

  /** About so many messages, hidden ones included. */
  async count(options: CallOptions = {}): Promise<number> {
    const { approximateMessagesCount = 0 } = await this.#calls.done(options, own =>
      this.#queue.getProperties(own),
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
}
