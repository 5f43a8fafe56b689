// Update Message: a new visibility timeout, a new receipt, and a new text if one is given (protocol: messages#life).
// The dequeue count, the insertion time and the expiry stay.
import type { Decision, ReadRows } from '#store';
import { VISIBILITY_SECONDS_MAX } from '../limits.js';
import { changeCount } from '../message-count.js';
import {
  encodeDeliveryState,
  encodeMessage,
  encodeVisibilityKey,
  messageKey,
  TICKS_A_SECOND,
} from '../message-rows.js';
import type { UpdateMessage } from '../operation.js';
import type { Outcome } from '../outcome.js';
import { formatReceipt, nonceOf } from '../pop-receipt.js';
import { QueueError } from '../queue-error.js';
import { missingQueue, type QueueContext } from '../queue-space.js';
import { type LeaseReference, requireLease, resolveReceipt } from './leased-message.js';

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
  // Readers use the count's version as the current time at least, so that they see the message at once (message-count.ts).
  if (visibilitySeconds === 0) puts.push(changeCount(rows.keys[0], 0));
  const deletes = visible === before ? [] : [reference.keys[1]];
  return { result: { receipt: formatReceipt({ visible, inserted, nonce }), visible }, puts, deletes };
}

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
