// The age of the oldest message that waits in queues: the greatest lag of the data that a flow derives.
import type { CallOptions } from '../concurrency/abort.js';
import type { Service } from '../repo/write/service.js';
import { QueueRequests } from '../transport/queue-requests.js';
import { PatternError } from '../values/pattern-error.js';

/** The first messages of a queue: they include the oldest unless many come back at once. */
const PEEKED = 32;

/** In milliseconds, for messages that no worker is processing; undefined if there is none. Throws QueueNotFound. */
export async function oldestIn(
  queues: readonly QueueRequests[],
  options: CallOptions,
): Promise<number | undefined> {
  const ages: number[] = [];
  for (const queue of queues) ages.push(...(await queue.peek(PEEKED, options)).map(({ age }) => age));
  return ages.length === 0 ? undefined : Math.max(...ages);
}

/** For audits, of queues by their names: a program that has no client of queues, or not these queues, has no messages there. */
export async function oldestMessage(
  { clients, surroundings }: Pick<Service, 'clients' | 'surroundings'>,
  names: readonly string[],
  { signal }: CallOptions,
): Promise<number | undefined> {
  if (clients.queues === undefined || names.length === 0) return undefined;
  const queues = names.map(name => new QueueRequests(clients, name, surroundings.now));
  try {
    return await oldestIn(queues, { signal });
  } catch (thrown) {
    if (PatternError.is(thrown, 'QueueNotFound')) return undefined;
    throw thrown;
  }
}
