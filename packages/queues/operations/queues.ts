// The operations on queues themselves: Create, Delete and List Queues, their metadata and access policies, and Clear
// Messages (protocol: queues, access-policies#document). A deleted queue's name is free at once, unless names are
// reserved.
import { isNameReserved, type Metadata, pageOfSpaces, reserveName, type SignedIdentifier } from '#account';
import { checkQueueName } from '../limits.js';
import { COUNT_KEY, decodeCount, partitionOf } from '../message-rows.js';
import type { CreateQueue, ListQueues, OnQueue, SetQueueAcl, SetQueueMetadata } from '../operation.js';
import type { Outcome } from '../outcome.js';
import { QueueError } from '../queue-error.js';
import {
  decodeQueueMetadata,
  encodeQueueMetadata,
  missingQueue,
  openQueue,
  type QueueContext,
  type QueueMetadata,
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

export async function listQueues({ store, account }: QueueContext, operation: ListQueues): Promise<Outcome> {
  const { spaces, next } = await pageOfSpaces(store, account, 'queue', operation);
  const queues = spaces.map(({ name, metadata }) => ({
    name,
    metadata: decodeQueueMetadata(metadata).metadata,
  }));
  return { kind: 'queues', queues, next };
}

async function changeQueue(
  context: QueueContext,
  queue: string,
  change: (stored: QueueMetadata) => Partial<QueueMetadata>,
): Promise<void> {
  const space = await openQueue(context, queue);
  const changed = await context.store.updateSpace(space, bytes => {
    const stored = decodeQueueMetadata(bytes);
    return encodeQueueMetadata({ ...stored, ...change(stored) });
  });
  if (!changed) throw missingQueue();
}

export async function getQueueMetadata(
  context: QueueContext,
  { queue }: OnQueue<'getQueueMetadata'>,
): Promise<Outcome> {
  const space = await openQueue(context, queue);
  const [count] = await context.store.read(space, partitionOf(space), [COUNT_KEY]);
  const { metadata } = decodeQueueMetadata(space.metadata);
  return { kind: 'queueMetadata', metadata, approximateCount: decodeCount(count) };
}

/** Replaces all pairs (protocol: queues#metadata). */
export async function setQueueMetadata(
  context: QueueContext,
  { queue, metadata }: SetQueueMetadata,
): Promise<Outcome> {
  await changeQueue(context, queue, () => ({ metadata }));
  return { kind: 'queueMetadataSet' };
}

/** The policies of a queue; undefined if there is no such queue. */
export async function readQueueIdentifiers(
  { store, account }: Pick<QueueContext, 'store' | 'account'>,
  queue: string,
): Promise<readonly SignedIdentifier[] | undefined> {
  const space = await store.getSpace(queueAddress(account, queue));
  return space && decodeQueueMetadata(space.metadata).identifiers;
}

export async function getQueueAcl(
  context: QueueContext,
  { queue }: OnQueue<'getQueueAcl'>,
): Promise<Outcome> {
  const identifiers = await readQueueIdentifiers(context, queue);
  if (!identifiers) throw missingQueue();
  return { kind: 'acl', identifiers };
}

export async function setQueueAcl(
  context: QueueContext,
  { queue, identifiers }: SetQueueAcl,
): Promise<Outcome> {
  await changeQueue(context, queue, () => ({ identifiers }));
  return { kind: 'aclSet' };
}

/**
 * Moves the queue to a new, empty partition, so that a clear takes constant time and is atomic. The sweep reclaims the
 * old partition. The clear may include the message of a concurrent put (protocol: messages#life).
 */
export async function clearMessages(
  context: QueueContext,
  { queue }: OnQueue<'clearMessages'>,
): Promise<Outcome> {
  await changeQueue(context, queue, ({ generation }) => ({ generation: generation + 1 }));
  return { kind: 'messagesCleared' };
}
