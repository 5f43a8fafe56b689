// The rows of queues, as they are in a store: a law that no answer shows.
import { collectRows, type Row, type Space, type Store } from '#store';
import { decodeCount, decodeVisibilityKey, partitionOf } from '../../packages/queues/message-rows.js';

const ACCOUNT = 'devstoreaccount1';
const UNBOUNDED = { rows: 1e9, bytes: 1e12, examined: 1e9, milliseconds: 1e9 };
const EVERYTHING = { from: { partition: '', key: '' } };
const SPACES_MAX = 1000;

export const queuesIn = (store: Store): Promise<readonly Space[]> =>
  store.listSpaces(ACCOUNT, 'queue', '', SPACES_MAX);

/** The rows of the current queue, without what was in it when it was cleared. */
async function livingRows(store: Store, space: Space): Promise<readonly Row[]> {
  const { rows } = await collectRows(store, space, EVERYTHING, UNBOUNDED);
  return rows.filter(({ partition }) => partition === partitionOf(space));
}

/** By their ids. */
export const messagesIn = async (store: Store, space: Space): Promise<readonly string[]> =>
  (await livingRows(store, space))
    .filter(({ key }) => key.startsWith('id/'))
    .map(({ key }) => key.slice('id/'.length));

/** Every message has one place and every place a message, and the count matches. */
export async function faultsOfQueueRows(store: Store): Promise<readonly string[]> {
  const faults: string[] = [];
  for (const space of await queuesIn(store)) {
    const rows = await livingRows(store, space);
    const places = rows.filter(({ key }) => key.startsWith('at/'));
    const placed = places.map(({ key }) => decodeVisibilityKey(key).id).toSorted();
    const there = (await messagesIn(store, space)).toSorted();
    const count = decodeCount(rows.find(({ key }) => key === 'count'));
    if (placed.join() !== there.join() || count !== there.length)
      faults.push(`${space.name} has ${placed.length} places, ${there.length} messages and counts ${count}.`);
  }
  return faults;
}
