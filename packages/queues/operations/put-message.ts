// Put Message: two rows and the count, in one commit (protocol: messages).
import type { ReadRows } from '#store';
import { NEVER } from '../limits.js';
import {
  COUNT_KEY,
  changeCount,
  encodeDeliveryState,
  encodeMessage,
  encodeVisibilityKey,
  formatReceipt,
  messageKey,
  nonceOf,
  partitionOf,
  TICKS_A_SECOND,
} from '../message-rows.js';
import type { PutMessage } from '../operation.js';
import type { Outcome } from '../outcome.js';
import { missingQueue, openQueue, type QueueContext } from '../queue-space.js';

/** At most the end of the year 9999: formatted years have four digits. */
function expiryOf(inserted: bigint, seconds: number | undefined): bigint {
  const expires = seconds === undefined ? NEVER : inserted + BigInt(seconds) * TICKS_A_SECOND;
  return expires < NEVER ? expires : NEVER;
}

export async function putMessage(context: QueueContext, operation: PutMessage): Promise<Outcome> {
  const space = await openQueue(context, operation.queue);
  const id = context.ids();
  const nonce = nonceOf(context.ids());
  const delay = BigInt(operation.visibilitySeconds) * TICKS_A_SECOND;
  const decide = ({ keys: [count] }: ReadRows, inserted: bigint) => {
    const visible = inserted + delay;
    const expires = expiryOf(inserted, operation.timeToLiveSeconds);
    const puts = [
      {
        key: encodeVisibilityKey({ visible, inserted, id }),
        value: encodeDeliveryState({ expires, dequeueCount: 0, nonce }),
      },
      { key: messageKey(id), value: encodeMessage({ inserted, expires, text: operation.text }) },
      changeCount(count, 1),
    ];
    const receipt = formatReceipt({ visible, inserted, nonce });
    return { result: { id, inserted, expires, receipt, visible }, puts };
  };
  const message = await context.store.commit(space, partitionOf(space), { keys: [COUNT_KEY] }, decide);
  if (!message) throw missingQueue();
  return { kind: 'messagePut', message };
}
