// The poison queue of a flow, for messages that failed too often or are unreadable. Programs list them, send them again or drop them. None is lost, and one that a crash put aside twice
// is listed once.

import type { CallOptions } from '../concurrency/abort.js';
import { type Envelope, envelopeText, readEnvelope } from '../transport/messages/envelope.js';
import {
  MESSAGE_BYTES_MAX,
  MESSAGES_MAX,
  type MessageRef,
  type QueueRequests,
  type ReceivedMessage,
} from '../transport/queue-requests.js';

/** A limit, so that a reason cannot fill the message. */
const REASON_MAX = 1_000;

/** The text with the reason; as it came if there is no room or it is unreadable. */
function poisonText(text: string, envelope: Envelope | undefined, message: string, reason: string): string {
  if (envelope === undefined) return text;
  const marked = envelopeText({ ...envelope, poison: { message, reason: reason.slice(0, REASON_MAX) } });
  return marked.length <= MESSAGE_BYTES_MAX ? marked : text;
}

/** Puts a message aside, then deletes it from its queue. */
export async function putAside(
  from: QueueRequests,
  to: QueueRequests,
  message: MessageRef & { readonly text: string },
  envelope: Envelope | undefined,
  reason: string,
): Promise<void> {
  await to.send(poisonText(message.text, envelope, message.id, reason), 0);
  await from.delete(message);
}

/** A message that was put aside. */
export interface PoisonMessage {
  /** As JSON; undefined if the text is unreadable. */
  readonly input: unknown;
  /** Of the flow's run; undefined if the text could not be read. */
  readonly id: string | undefined;
  /** Undefined if the message had no room for it, or could not be read. */
  readonly reason: string | undefined;
  readonly text: string;
  /** Since it was put aside, in milliseconds. */
  readonly age: number;
  /** Sends it to the flow's queue again, with fresh attempts. A crash in between sends it twice. */
  redrive(): Promise<void>;
  /** Deletes it. */
  drop(): Promise<void>;
}

/** Options of a listing. */
export interface PoisonOptions extends CallOptions {
  /** Seconds for which a listed message is hidden from other listings; 60 by default. */
  readonly visibility?: number;
}

/** Distinguishes one poisoned message from another. */
const identityOf = (text: string, envelope: Envelope | undefined): string =>
  envelope?.poison?.message ?? text;

/** Where messages go that are sent again: the text, and the queue for it. */
export type Redrive = (envelope: Envelope | undefined, text: string) => Promise<void>;

const REDRIVEN = { waits: 0, isRedelivery: false, poison: undefined } as const;

/** Lists messages that were put aside. Those neither sent again nor dropped become visible again at the end. */
export async function* poisonMessages(
  queue: QueueRequests,
  redrive: Redrive,
  { visibility = 60, signal }: PoisonOptions = {},
): AsyncGenerator<PoisonMessage, void, undefined> {
  const seen = new Set<string>();
  const kept = new Map<string, ReceivedMessage>();
  const take = async (message: ReceivedMessage): Promise<void> => {
    await queue.delete(message);
    kept.delete(message.id);
  };
  try {
    for (;;) {
      const messages = await queue.receive(MESSAGES_MAX, visibility, { signal });
      if (messages.length === 0) return;
      for (const message of messages) {
        const { text, age } = message;
        const read = readEnvelope(text);
        const envelope = typeof read === 'string' ? undefined : read;
        const identity = identityOf(text, envelope);
        if (kept.has(message.id)) {
          // The list outlived its own time: the receipt of before is void.
          kept.set(message.id, message);
          continue;
        }
        if (seen.has(identity)) {
          await queue.delete(message);
          continue;
        }
        seen.add(identity);
        kept.set(message.id, message);
        const now = (): ReceivedMessage => kept.get(message.id) ?? message;
        yield {
          input: envelope?.input,
          id: envelope?.id,
          reason: envelope?.poison?.reason,
          text,
          age,
          redrive: async () => {
            await redrive(envelope && { ...envelope, ...REDRIVEN }, text);
            await take(now());
          },
          drop: () => take(now()),
        };
      }
    }
  } finally {
    for (const message of kept.values()) await queue.hide(message, 0);
  }
}
