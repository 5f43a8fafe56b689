// Get and Set Queue ACL: the stored access policies of a queue (protocol: access-policies#document).
import type { SignedIdentifier } from '#account';
import type { OnQueue, SetQueueAcl } from '../operation.js';
import type { Outcome } from '../outcome.js';
import {
  decodeQueueMetadata,
  encodeQueueMetadata,
  missingQueue,
  openQueue,
  type QueueContext,
  queueAddress,
} from '../queue-space.js';

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
  const space = await openQueue(context, queue);
  const changed = await context.store.updateSpace(space, bytes =>
    encodeQueueMetadata({ ...decodeQueueMetadata(bytes), identifiers }),
  );
  if (!changed) throw missingQueue();
  return { kind: 'aclSet' };
}
