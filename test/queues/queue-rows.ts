// The rows of queues, as they are in a store: a law that no answer shows.
import { collectRows, type Store } from '#store';
import { decodeCount, decodeVisibilityKey, partitionOf } from '../../packages/queues/message-rows.js';
import { EVERYTHING, UNBOUNDED } from '../blobs/content-faults.js';

const ACCOUNT = 'devstoreaccount1';
const SPACES_MAX = 1000;

/** Every message has one place and every place a message, and the count matches. */
export async function faultsOfQueueRows(store: Store): Promise<readonly string[]> {
  const faults: string[] = [];
  for (const space of await store.listSpaces(ACCOUNT, 'queue', '', SPACES_MAX)) {
    const { rows } = await collectRows(store, space, EVERYTHING, UNBOUNDED);
    // Without what was in the queue when it was cleared.
    const living = rows.filter(({ partition }) => partition === partitionOf(space));
    const keysOf = (prefix: string) => living.map(({ key }) => key).filter(key => key.startsWith(prefix));
    const placed = keysOf('at/').map(key => decodeVisibilityKey(key).id);
    const there = keysOf('id/').map(key => key.slice('id/'.length));
    const count = decodeCount(living.find(({ key }) => key === 'count'));
    if (placed.toSorted().join() !== there.toSorted().join() || count !== there.length)
      faults.push(`${space.name} has ${placed.length} places, ${there.length} messages and counts ${count}.`);
  }
  return faults;
}
