// Work on the messages of a queue. Peeking changes nothing; every other work takes messages for a short time, deals with
// them one by one, and makes them visible again if it fails or is stopped.
import type { DequeuedMessageItem, QueueClient } from '@azure/storage-queue';
import { type Place, queueOf } from './account.js';

/** What the service returns at most for one request. */
export const MESSAGES_MAX = 32;
/** Long enough for a batch, and short enough that messages of a page that went away soon come back. */
const TAKEN_SECONDS = 30;

async function take(client: QueueClient, abortSignal?: AbortSignal): Promise<readonly DequeuedMessageItem[]> {
  const { receivedMessageItems } = await client.receiveMessages({
    numberOfMessages: MESSAGES_MAX,
    visibilityTimeout: TAKEN_SECONDS,
    ...(abortSignal && { abortSignal }),
  });
  return receivedMessageItems;
}

const release = (client: QueueClient, messages: readonly DequeuedMessageItem[]): Promise<unknown> =>
  Promise.allSettled(
    messages.map(({ messageId, popReceipt }) => client.updateMessage(messageId, popReceipt, undefined, 0)),
  );

export interface Move {
  readonly from: Place;
  /** Another queue of the account. */
  readonly to: string;
  readonly count: number;
}

/**
 * Takes batches until the queue is empty or `count` messages are moved. A message is put into the other queue, then
 * deleted here: after a failure between the two it is in both. @throws the signal's reason.
 */
export async function moveMessages(
  { from, to, count }: Move,
  stop: AbortSignal,
  onMoved: (done: number) => void,
): Promise<void> {
  const client = await queueOf(from);
  const target = await queueOf({ ...from, name: to });
  for (let done = 0; done < count; ) {
    const batch = await take(client, stop);
    if (batch.length === 0) return;
    let dealtWith = 0;
    try {
      for (const { messageId, popReceipt, messageText } of batch) {
        stop.throwIfAborted();
        if (done === count) return;
        await target.sendMessage(messageText);
        await client.deleteMessage(messageId, popReceipt);
        dealtWith++;
        onMoved(++done);
      }
    } finally {
      await release(client, batch.slice(dealtWith));
    }
  }
  // The view that shows the count may have gone during the last message.
  stop.throwIfAborted();
}

/** Deletes one message that was peeked: takes messages, and lets the others go again. Whether it was among them. */
export async function deletePeeked(queue: Place, id: string): Promise<boolean> {
  const client = await queueOf(queue);
  const batch = await take(client);
  const found = batch.find(({ messageId }) => messageId === id);
  await release(
    client,
    batch.filter(message => message !== found),
  );
  if (found !== undefined) await client.deleteMessage(id, found.popReceipt);
  return found !== undefined;
}
