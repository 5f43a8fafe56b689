// Delete Message: its rows go, for whoever holds it (queue-blob-rest.md 8.1, 8.3).
import type { ReadRows } from '#store';
import { changeCount } from '../message-count.js';
import type { OnMessage } from '../operation.js';
import type { Outcome } from '../outcome.js';
import { missingQueue, type QueueContext } from '../queue-space.js';
import { claim, requireHeld } from './held-message.js';

export async function deleteMessage(
  context: QueueContext,
  operation: OnMessage<'deleteMessage'>,
): Promise<Outcome> {
  const claimed = await claim(context, operation);
  const { space, partition, keys } = claimed;
  const decide = (rows: ReadRows, tick: bigint) => {
    requireHeld(rows, tick, claimed);
    return { result: true, puts: [changeCount(rows.keys[0], -1)], deletes: keys.slice(1) };
  };
  if (!(await context.store.commit(space, partition, { keys }, decide)))
    throw await missingQueue(context, operation.queue);
  return { kind: 'messageDeleted' };
}
