// Where the ticks of new spaces begin on a cluster: after a drop, those of other names begin at the clock's time, those
// of the same name above the old ones. Also a commit whose range is longer than one answer.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { systemClock } from '#base';
import type { Space } from '#store';
import type { CassandraStore } from '../cassandra-store.js';
import { dropKeyspace, newPlace, openStore, skip } from '../testing/cluster.js';

const NO_READS = { keys: [] };
const TICKS_A_SECOND = 10_000_000n;
const ROWS = 2500;

describe('cassandra', { skip }, () => {
  const place = newPlace();
  let store: CassandraStore;
  before(async () => {
    store = await openStore(place);
  });
  after(async () => {
    await store.close();
    await dropKeyspace(place);
  });

  async function create(name: string): Promise<Space> {
    const space = await store.createSpace({ account: 'a', service: 'blob', name }, Buffer.alloc(0));
    return space ?? assert.fail(`${name} is there.`);
  }

  const put = (space: Space): Promise<bigint | undefined> =>
    store.commit(space, 'p', NO_READS, (_, tick) => ({
      result: tick,
      puts: [{ key: 'k', value: Buffer.of(1) }],
    }));

  test('new spaces: a dropped name lets others begin at the time of the clock', async () => {
    const old = await create('old');
    const before = (await put(old)) ?? assert.fail();
    await store.dropSpace(old);
    const other = (await put(await create('other'))) ?? assert.fail();
    assert(other < systemClock() + TICKS_A_SECOND / 10n, `${other - systemClock()} ticks ahead`);
    const again = (await put(await create('old'))) ?? assert.fail();
    assert(again > before);
  });

  test('commits: a range without a bound that is longer than one answer', async () => {
    const space = await create('long');
    const keys = Array.from({ length: ROWS }, (_, i) => String(i).padStart(5, '0'));
    await store.commit(space, 'p', NO_READS, () => ({
      result: true,
      puts: keys.map(key => ({ key, value: Buffer.of(1) })),
    }));
    const range = { from: '', rows: Number.MAX_SAFE_INTEGER };
    const read = await store.commit(space, 'p', { keys: [], range }, rows => ({
      result: rows.range.map(({ key }) => key),
    }));
    assert.deepEqual(read, keys);
  });
});
