// The leased message of an update or a delete: resolves a pop receipt to its message, or refuses it (protocol: messages#receipts).
// A receipt is valid until the next get or update of the message, also after the visibility timeout.
import { parseGuid } from '#base';
import type { ReadRows, Space } from '#store';
import { COUNT_KEY } from '../message-count.js';
import {
  type DeliveryState,
  decodeDeliveryState,
  decodeMessage,
  encodeVisibilityKey,
  type Message,
  messageKey,
  partitionOf,
  type VisibilityKey,
} from '../message-rows.js';
import { type PopReceipt, parseReceipt } from '../pop-receipt.js';
import { QueueError } from '../queue-error.js';
import { openQueue, type QueueContext } from '../queue-space.js';

/** The lease that a client's receipt names, in an existing queue; the commit checks it (`requireLease`). */
export interface LeaseReference {
  readonly space: Space;
  readonly partition: string;
  readonly visibility: VisibilityKey;
  readonly receipt: PopReceipt;
  /** The keys of the count, of the message's delivery state and of the message. */
  readonly keys: readonly [string, string, string];
}

/** In Azure's order: the queue, the receipt's form, the message (protocol: messages#receipts). */
export async function resolveReceipt(
  context: QueueContext,
  { queue, id, receipt: text }: { readonly queue: string; readonly id: string; readonly receipt: string },
): Promise<LeaseReference> {
  const space = await openQueue(context, queue);
  const receipt = parseReceipt(text);
  if (parseGuid(id, ['D']) !== id) throw new QueueError('MessageNotFound');
  const visibility = { visible: receipt.visible, inserted: receipt.inserted, id };
  const keys = [COUNT_KEY, encodeVisibilityKey(visibility), messageKey(id)] as const;
  return { space, partition: partitionOf(space), visibility, receipt, keys };
}

export interface Lease {
  readonly state: DeliveryState;
  readonly message: Message;
}

/** @throws QueueError MessageNotFound where the message is deleted or expired, else PopReceiptMismatch for an outdated receipt. */
export function requireLease(
  { keys: [, stateRow, messageRow] }: ReadRows,
  tick: bigint,
  { receipt }: LeaseReference,
): Lease {
  const message = messageRow && decodeMessage(messageRow);
  if (!message || message.expires <= tick) throw new QueueError('MessageNotFound');
  const state = stateRow && decodeDeliveryState(stateRow);
  if (!state?.nonce.equals(receipt.nonce)) throw new QueueError('PopReceiptMismatch');
  return { state, message };
}
