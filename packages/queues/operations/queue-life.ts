// Create and Delete Queue (protocol: queues#create-and-delete). A deleted queue's name is free at once, unless names are reserved.
import { isNameReserved, type Metadata, reserveName } from '#account';
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

export async function createQueue(context: QueueContext, { queue, metadata }: CreateQueue): Promise<Outcome> {
  checkQueueName(queue);
  const { store, account } = context;
  const address = queueAddress(account, queue);
  const bytes = encodeQueueMetadata({ generation: 0, metadata, identifiers: [] });
  if (await isNameReserved(context, address)) throw new QueueError('QueueBeingDeleted');
  let isSame = false;
  const created = await store.createSpace(address, bytes, existing => {
    isSame = areSame(decodeQueueMetadata(existing.metadata).metadata, metadata);
  });
  if (created) return { kind: 'queueCreated' };
  if (!isSame) throw new QueueError('QueueAlreadyExists');
  return { kind: 'queueExisted' };
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
