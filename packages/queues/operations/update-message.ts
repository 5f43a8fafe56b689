// Update Message: another time of being visible, another receipt, and another text if one is given (protocol: messages#life).
// How often it was got, when it was put and when it expires stay.
import type { Decision, ReadRows } from '#store';
import { VISIBILITY_SECONDS_MAX } from '../limits.js';
import { changeCount } from '../message-count.js';
import { encodeMessage, encodeTicket, messageKey, placeKey, TICKS_A_SECOND } from '../message-rows.js';
import type { UpdateMessage } from '../operation.js';
import type { Outcome } from '../outcome.js';
import { formatReceipt, nonceOf } from '../pop-receipt.js';
import { QueueError } from '../queue-error.js';
import { missingQueue, type QueueContext } from '../queue-space.js';
import { type Claim, claim, requireHeld } from './leased-message.js';

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
  claimed: Claim,
  { visibilitySeconds, text }: UpdateMessage,
  nonce: Buffer,
): Decision<Updated> {
  const { ticket, message } = requireHeld(rows, tick, claimed);
  const { id, inserted, visible: before } = claimed.place;
  const visible = tick + BigInt(visibilitySeconds) * TICKS_A_SECOND;
  checkExpiry(visibilitySeconds, tick, visible, ticket.expires);
  const key = placeKey({ visible, inserted, id });
  const puts = [{ key, value: encodeTicket({ ...ticket, nonce }) }];
  if (text !== undefined)
    puts.push({ key: messageKey(id), value: encodeMessage({ inserted, expires: message.expires, text }) });
  // Readers take the count's version for now, so that they see what is visible at once (message-count.ts).
  if (visibilitySeconds === 0) puts.push(changeCount(rows.keys[0], 0));
  const deletes = visible === before ? [] : [claimed.keys[1]];
  return { result: { receipt: formatReceipt({ visible, inserted, nonce }), visible }, puts, deletes };
}

export async function updateMessage(context: QueueContext, operation: UpdateMessage): Promise<Outcome> {
  const claimed = await claim(context, operation);
  const { space, partition, keys } = claimed;
  const nonce = nonceOf(context.ids());
  const updated = await context.store.commit(space, partition, { keys }, (rows, tick) =>
    update(rows, tick, claimed, operation, nonce),
  );
  if (!updated) throw await missingQueue(context, operation.queue);
  const { receipt, visible } = updated;
  return { kind: 'messageUpdated', receipt, visible };
}
