// Create and Delete Queue (protocol: queues#create-and-delete). A deleted queue's name is free at once, unless names are reserved.
import { isNameReserved, type Metadata, reserveName } from '#account';
import { StoreError } from '#store';
import { checkQueueName } from '../limits.js';
import type { CreateQueue, OnQueue } from '../operation.js';
import type { Outcome } from '../outcome.js';
import { QueueError } from '../queue-error.js';
import {
  decodeQueueMetadata,
  encodeQueueMetadata,
  missingQueue,
  openQueue,
  type QueueContext,
  queueAddress,
} from '../queue-space.js';

/** Names compare without case and order, values exactly. */
function areSame(a: Metadata, b: Metadata): boolean {
  const values = new Map(a.map(({ name, value }) => [name.toLowerCase(), value]));
  return a.length === b.length && b.every(({ name, value }) => values.get(name.toLowerCase()) === value);
}

/** The loop: a queue may be deleted between the failed creation and the read of the existing one. */
const ATTEMPTS = 3;

export async function createQueue(context: QueueContext, { queue, metadata }: CreateQueue): Promise<Outcome> {
  checkQueueName(queue);
  const { store, account } = context;
  const address = queueAddress(account, queue);
  const bytes = encodeQueueMetadata({ generation: 0, metadata, identifiers: [] });
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    if (await isNameReserved(context, address)) throw new QueueError('QueueBeingDeleted');
    if (await store.createSpace(address, bytes)) return { kind: 'queueCreated' };
    const existing = await store.getSpace(address);
    if (!existing) continue;
    if (areSame(decodeQueueMetadata(existing.metadata).metadata, metadata)) return { kind: 'queueExisted' };
    throw new QueueError('QueueAlreadyExists');
  }
  throw new StoreError('conflict', 'The queue was made and deleted by others again and again.');
}

export async function deleteQueue(
  context: QueueContext,
  { queue }: OnQueue<'deleteQueue'>,
): Promise<Outcome> {
  const space = await openQueue(context, queue);
  if (!(await context.store.dropSpace(space))) throw missingQueue();
  await reserveName(context, queueAddress(context.account, queue));
  return { kind: 'queueDeleted' };
}
