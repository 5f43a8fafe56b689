// List Queues: a page of an account's queues in the order of their names (protocol: queues#list).
import type { ListQueues } from '../operation.js';
import type { Outcome } from '../outcome.js';
import { decodeQueueMetadata, type QueueContext } from '../queue-space.js';

export async function listQueues(
  { store, account }: QueueContext,
  { prefix, from, top }: ListQueues,
): Promise<Outcome> {
  const start = from !== undefined && from > prefix ? from : prefix;
  const spaces = await store.listSpaces(account, 'queue', start, top + 1);
  // Names with the prefix are contiguous, and begin at the prefix itself.
  const found = spaces.filter(({ name }) => name.startsWith(prefix));
  const queues = found
    .slice(0, top)
    .map(({ name, metadata }) => ({ name, metadata: decodeQueueMetadata(metadata).metadata }));
  return { kind: 'queues', queues, next: found[top]?.name };
}
