// Delete Message: removes the rows of a leased message (protocol: messages#receipts). On a full disk it leaves the count as it is,
// because a count is a put; the sweep corrects the count later.
import { type ReadRows, StoreError } from '#store';
import { changeCount } from '../message-count.js';
import type { OnMessage } from '../operation.js';
import type { Outcome } from '../outcome.js';
import { missingQueue, type QueueContext } from '../queue-space.js';
import { requireLease, resolveReceipt } from './leased-message.js';

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
