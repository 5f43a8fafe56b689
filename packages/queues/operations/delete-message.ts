// Delete Message: its rows go, for whoever holds it (protocol: messages#receipts). Where nothing can be put any more it goes all the
// same, uncounted; the sweep puts the count right again.
import { type ReadRows, StoreError } from '#store';
import { changeCount } from '../message-count.js';
import type { OnMessage } from '../operation.js';
import type { Outcome } from '../outcome.js';
import { missingQueue, type QueueContext } from '../queue-space.js';
import { claim, requireHeld } from './leased-message.js';

export async function deleteMessage(
  context: QueueContext,
  operation: OnMessage<'deleteMessage'>,
): Promise<Outcome> {
  const claimed = await claim(context, operation);
  const { space, partition, keys } = claimed;
  const remove = (isCounted: boolean): Promise<boolean | undefined> =>
    context.store.commit(space, partition, { keys }, (rows: ReadRows, tick: bigint) => {
      requireHeld(rows, tick, claimed);
      const puts = isCounted ? [changeCount(rows.keys[0], -1)] : [];
      return { result: true, puts, deletes: keys.slice(1) };
    });
  const isRemoved = await remove(true).catch((error: unknown) => {
    if (error instanceof StoreError && error.code === 'full') return remove(false);
    throw error;
  });
  if (!isRemoved) throw await missingQueue(context, operation.queue);
  return { kind: 'messageDeleted' };
}
