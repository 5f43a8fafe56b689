// Several stores on one cluster: they see each other, share one secret, and name owners once their commits meet.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { until } from '#base/testing/until';
import type { Space } from '#store';
import type { CassandraStore } from '../cassandra-store.js';
import { dropKeyspace, newPlace, openStore, skip } from '../testing/cluster.js';

async function created(store: CassandraStore, name: string): Promise<Space> {
  const space = await store.createSpace({ account: 'a', service: 'table', name }, Buffer.alloc(0));
  return space ?? assert.fail(`${name} is there.`);
}

describe('cassandra', { skip }, () => {
  const place = newPlace();
  let stores: readonly CassandraStore[] = [];
  before(async () => {
    const first = await openStore(place);
    stores = [first, await openStore(place)];
  });
  after(async () => {
    await Promise.all(stores.map(store => store.close()));
    await dropKeyspace(place);
  });

  test('peers: all know one secret', async () => {
    const [one, other] = await Promise.all(stores.map(({ peers }) => peers.secret()));
    assert.equal(one, other);
    assert.equal(one?.length, 64);
  });

  test('peers: a partition in which two met belongs to one of them until it leaves', async () => {
    const [one, other] = stores;
    if (one === undefined || other === undefined) return assert.fail();
    const space = await created(one, 'hot');
    await one.peers.join('http://one');
    await other.peers.join('http://other');
    const put = (store: CassandraStore): Promise<unknown> =>
      store.commit(space, 'p', { keys: [] }, () => ({
        result: true,
        puts: [{ key: 'k', value: Buffer.of(1) }],
      }));
    const ownerNames = () => [one, other].map(({ peers }) => peers.ownerOf(space, 'p')?.url);
    assert.deepEqual(ownerNames(), [undefined, undefined]);
    await until('an owner', async () => {
      await Promise.all([one, other].flatMap(store => [put(store), put(store), put(store)]));
      return ownerNames().some(url => url !== undefined);
    });
    const [byOne, byOther] = ownerNames();
    const owned = byOne ?? byOther;
    assert(owned === (byOne === undefined ? 'http://one' : 'http://other'), `${owned}`);
    const [owner, guest] = owned === 'http://one' ? [one, other] : [other, one];
    const peer = guest.peers.ownerOf(space, 'p') ?? assert.fail();
    assert(owner.peers.holds(peer.lease));
    assert(!guest.peers.holds(peer.lease));
    await owner.peers.leave();
    assert(!owner.peers.holds(peer.lease));
    await until('its end with who left', () => guest.peers.ownerOf(space, 'p') === undefined);
  });
});
