// Update Message and Delete Message: a pop receipt is resolved to its message, or refused (protocol: messages#receipts, messages#life).
// A receipt is valid until the next get or update of the message, also after the visibility timeout.
import { parseGuid } from '#base';
import { type Decision, type ReadRows, type Space, StoreError } from '#store';
import { VISIBILITY_SECONDS_MAX } from '../limits.js';
import {
  COUNT_KEY,
  changeCount,
  type DeliveryState,
  decodeDeliveryState,
  decodeMessage,
  encodeDeliveryState,
  encodeMessage,
  encodeVisibilityKey,
  formatReceipt,
  type Message,
  messageKey,
  nonceOf,
  type PopReceipt,
  parseReceipt,
  partitionOf,
  TICKS_A_SECOND,
  type VisibilityKey,
} from '../message-rows.js';
import type { OnMessage, UpdateMessage } from '../operation.js';
import type { Outcome } from '../outcome.js';
import { QueueError } from '../queue-error.js';
import { missingQueue, openQueue, type QueueContext } from '../queue-space.js';

/** The lease that a client's receipt names, in an existing queue; the commit checks it (`requireLease`). */
interface LeaseReference {
  readonly space: Space;
  readonly partition: string;
  readonly visibility: VisibilityKey;
  readonly receipt: PopReceipt;
  /** The keys of the count, of the message's delivery state and of the message. */
  readonly keys: readonly [string, string, string];
}

/** In Azure's order: the queue, the receipt's form, the message (protocol: messages#receipts). */
async function resolveReceipt(
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

interface Lease {
  readonly state: DeliveryState;
  readonly message: Message;
}

/** @throws QueueError MessageNotFound where the message is deleted or expired, else PopReceiptMismatch for an outdated receipt. */
function requireLease(
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

interface Updated {
  readonly receipt: string;
  readonly visible: bigint;
}

/** A message may not be hidden beyond its expiry (protocol: messages#parameters). */
function checkExpiry(seconds: number, tick: bigint, visible: bigint, expires: bigint): void {
  if (visible <= expires) return;
  const maximum = Math.min(Number((expires - tick) / TICKS_A_SECOND), VISIBILITY_SECONDS_MAX);
  const detail = { name: 'visibilitytimeout', value: seconds, minimum: 0, maximum };
  throw new QueueError('OutOfRangeQueryParameterValue', detail);
}

function update(
  rows: ReadRows,
  tick: bigint,
  reference: LeaseReference,
  { visibilitySeconds, text }: UpdateMessage,
  nonce: Buffer,
): Decision<Updated> {
  const { state, message } = requireLease(rows, tick, reference);
  const { id, inserted, visible: before } = reference.visibility;
  const visible = tick + BigInt(visibilitySeconds) * TICKS_A_SECOND;
  checkExpiry(visibilitySeconds, tick, visible, state.expires);
  const key = encodeVisibilityKey({ visible, inserted, id });
  const puts = [{ key, value: encodeDeliveryState({ ...state, nonce }) }];
  if (text !== undefined)
    puts.push({ key: messageKey(id), value: encodeMessage({ inserted, expires: message.expires, text }) });
  // Readers use the count's version as the current time at least, so that they see the message at once (message-rows.ts).
  if (visibilitySeconds === 0) puts.push(changeCount(rows.keys[0], 0));
  const deletes = visible === before ? [] : [reference.keys[1]];
  return { result: { receipt: formatReceipt({ visible, inserted, nonce }), visible }, puts, deletes };
}

/** A new visibility timeout, a new receipt, and a new text if one is given. Dequeue count, insertion time and expiry stay. */
export async function updateMessage(context: QueueContext, operation: UpdateMessage): Promise<Outcome> {
  const reference = await resolveReceipt(context, operation);
  const { space, partition, keys } = reference;
  const nonce = nonceOf(context.ids());
  const updated = await context.store.commit(space, partition, { keys }, (rows, tick) =>
    update(rows, tick, reference, operation, nonce),
  );
  if (!updated) throw missingQueue();
  const { receipt, visible } = updated;
  return { kind: 'messageUpdated', receipt, visible };
}

/**
 * Removes the rows of a leased message. On a full disk it leaves the count as it is, because a count is a put; the sweep corrects the count later.
 */
export async function deleteMessage(
  context: QueueContext,
  operation: OnMessage<'deleteMessage'>,
): Promise<Outcome> {
  const reference = await resolveReceipt(context, operation);
  const { space, partition, keys } = reference;
  const remove = (isCounted: boolean): Promise<boolean | undefined> =>
    context.store.commit(space, partition, { keys }, (rows: ReadRows, tick: bigint) => {
      requireLease(rows, tick, reference);
      const puts = isCounted ? [changeCount(rows.keys[0], -1)] : [];
      return { result: true, puts, deletes: keys.slice(1) };
    });
  const isRemoved = await remove(true).catch((error: unknown) => {
    if (error instanceof StoreError && error.code === 'full') return remove(false);
    throw error;
  });
  if (!isRemoved) throw missingQueue();
  return { kind: 'messageDeleted' };
}
