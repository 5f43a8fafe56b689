// Clear Messages: moves the queue to a new, empty partition, so that a clear takes constant time and is atomic.
// The sweep reclaims the old partition. The clear may include the message of a concurrent put (protocol: messages#life).
import type { OnQueue } from '../operation.js';
import type { Outcome } from '../outcome.js';
import {
  decodeQueueMetadata,
  encodeQueueMetadata,
  missingQueue,
  openQueue,
  type QueueContext,
} from '../queue-space.js';

export async function clearMessages(
  context: QueueContext,
  { queue }: OnQueue<'clearMessages'>,
): Promise<Outcome> {
  const space = await openQueue(context, queue);
  const cleared = await context.store.updateSpace(space, bytes => {
    const metadata = decodeQueueMetadata(bytes);
    return encodeQueueMetadata({ ...metadata, generation: metadata.generation + 1 });
  });
  if (!cleared) throw missingQueue();
  return { kind: 'messagesCleared' };
}
