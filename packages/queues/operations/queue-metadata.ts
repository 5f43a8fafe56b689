// Get and Set Queue Metadata (protocol: queues#metadata). A set replaces all pairs.
import { COUNT_KEY, decodeCount } from '../message-count.js';
import { partitionOf } from '../message-rows.js';
import type { OnQueue, SetQueueMetadata } from '../operation.js';
import type { Outcome } from '../outcome.js';
import {
  decodeQueueMetadata,
  encodeQueueMetadata,
  missingQueue,
  openQueue,
  type QueueContext,
} from '../queue-space.js';

export async function getQueueMetadata(
  context: QueueContext,
  { queue }: OnQueue<'getQueueMetadata'>,
): Promise<Outcome> {
  const space = await openQueue(context, queue);
  const [count] = await context.store.read(space, partitionOf(space), [COUNT_KEY]);
  const { metadata } = decodeQueueMetadata(space.metadata);
  return { kind: 'queueMetadata', metadata, approximateCount: decodeCount(count) };
}

export async function setQueueMetadata(
  context: QueueContext,
  { queue, metadata }: SetQueueMetadata,
): Promise<Outcome> {
  const space = await openQueue(context, queue);
  const changed = await context.store.updateSpace(space, bytes =>
    encodeQueueMetadata({ ...decodeQueueMetadata(bytes), metadata }),
  );
  if (!changed) throw missingQueue();
  return { kind: 'queueMetadataSet' };
}
