// The requests of the Queue service that workers and programs need in addition to those of a sender (queue-sender.ts). It knows no message format and adds no retries to the client's.
import type { CallOptions } from '../concurrency/abort.js';
import type { Clients } from './clients.js';
import { type MessageRef, QueueSender, type Shown } from './queue-sender.js';

/** Set by the service: messages of one Get. */
export const MESSAGES_MAX = 32;
/** Set by the service: 7 days. */
export const VISIBILITY_SECONDS_MAX = 604_800;

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

/** One queue. Every method throws as those of a sender do. */
export class QueueRequests extends QueueSender {
  readonly #now: () => number;

  /** `now` is asked only where an answer has no date. */
  constructor(clients: Clients, name: string, now: () => number) {
    super(clients, name);
    this.#now = now;
  }

  /** Does nothing if it is there. */
  async create(options: CallOptions = {}): Promise<void> {
    await this.call(options, (queue, own) => queue.createIfNotExists(own));
  }

  /** Up to this many visible messages, hidden from other receivers for this long. */
  async receive(
    count: number,
    visibilitySeconds: number,
    options: CallOptions = {},
  ): Promise<readonly ReceivedMessage[]> {
    const wanted = { numberOfMessages: Math.min(count, MESSAGES_MAX), visibilityTimeout: visibilitySeconds };
    const answer = await this.call(options, (queue, own) => queue.receiveMessages({ ...wanted, ...own }));
    return answer.receivedMessageItems.map(item => ({
      ...this.#seen(item, answer.date),
      receipt: item.popReceipt,
    }));
  }

  /** The first of those that are visible. */
  async peek(count: number, options: CallOptions = {}): Promise<readonly SeenMessage[]> {
    const wanted = { numberOfMessages: Math.min(count, MESSAGES_MAX) };
    const answer = await this.call(options, (queue, own) => queue.peekMessages({ ...wanted, ...own }));
    return answer.peekedMessageItems.map(item => this.#seen(item, answer.date));
  }

  /** Hides the message for this long from now, with another text if one is given. Undefined if another receiver has it. */
  async hide(
    { id, receipt }: MessageRef,
    visibilitySeconds: number,
    text?: string,
    options: CallOptions = {},
  ): Promise<MessageRef | undefined> {
    const changed = await this.unlessTaken(options, (queue, own) =>
      queue.updateMessage(id, receipt, text, visibilitySeconds, own),
    );
    return changed && { id, receipt: changed.popReceipt ?? receipt };
  }

  /** About so many messages, hidden ones included. */
  async count(options: CallOptions = {}): Promise<number> {
    const { approximateMessagesCount = 0 } = await this.call(options, (queue, own) =>
      queue.getProperties(own),
    );
    return approximateMessagesCount;
  }

  #seen({ messageId, messageText, insertedOn, dequeueCount }: Shown, date: Date | undefined): SeenMessage {
    const age = Math.max(0, (date?.getTime() ?? this.#now()) - insertedOn.getTime());
    return { id: messageId, text: messageText, dequeueCount, age };
  }
}
