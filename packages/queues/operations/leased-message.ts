// What update and delete share: the message that a receipt stands for, or what is wrong with it (protocol: messages#receipts).
// A receipt is good until the message is got or updated again, also when its time of being invisible is over.
import type { ReadRows, Space } from '#store';
import { COUNT_KEY } from '../message-count.js';
import {
  decodeMessage,
  decodeTicket,
  type Message,
  messageKey,
  type Place,
  partitionOf,
  placeKey,
  type Ticket,
} from '../message-rows.js';
import { type PopReceipt, parseReceipt } from '../pop-receipt.js';
import { QueueError } from '../queue-error.js';
import { openQueue, type QueueContext } from '../queue-space.js';

const GUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** What a client says it holds, in a queue that is there. */
export interface Claim {
  readonly space: Space;
  readonly partition: string;
  readonly place: Place;
  readonly receipt: PopReceipt;
  /** The rows that say whether it does: the count's, its place and itself. */
  readonly keys: readonly [string, string, string];
}

/** In Azure's order: the queue, the receipt's form, the message (protocol: messages#receipts). */
export async function claim(
  context: QueueContext,
  { queue, id, receipt: text }: { readonly queue: string; readonly id: string; readonly receipt: string },
): Promise<Claim> {
  const space = await openQueue(context, queue);
  const receipt = parseReceipt(text);
  if (!GUID.test(id)) throw new QueueError('MessageNotFound');
  const place = { visible: receipt.visible, inserted: receipt.inserted, id };
  const keys = [COUNT_KEY, placeKey(place), messageKey(id)] as const;
  return { space, partition: partitionOf(space), place, receipt, keys };
}

export interface Held {
  readonly ticket: Ticket;
  readonly message: Message;
}

/** @throws QueueError MessageNotFound where there is no message any more, else PopReceiptMismatch. */
export function requireHeld({ keys: [, place, itself] }: ReadRows, tick: bigint, { receipt }: Claim): Held {
  const message = itself && decodeMessage(itself);
  if (!message || message.expires <= tick) throw new QueueError('MessageNotFound');
  const ticket = place && decodeTicket(place);
  if (!ticket?.nonce.equals(receipt.nonce)) throw new QueueError('PopReceiptMismatch');
  return { ticket, message };
}
