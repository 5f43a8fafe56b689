// Laws over the life of a store: versions rise, what was acknowledged is there, and the close.
import assert from 'node:assert/strict';
import type { Store } from '../store.js';
import { StoreError } from '../store-error.js';
import {
  createSpace,
  EVERYTHING,
  HOUR_MS,
  NO_READS,
  put,
  remove,
  type Suite,
  scanAll,
  show,
  UNBOUNDED,
} from './suite.js';

export function lifetimeLaws(suite: Suite): void {
  suite.law('close: every later call fails with closed; closing twice is harmless', async (store, space) => {
    await Promise.all([store.close(), store.close()]);
    await store.close();
    const calls: (() => Promise<unknown>)[] = [
      () => store.createSpace(space, Buffer.alloc(0)),
      () => store.getSpace(space),
      () => store.listSpaces('account', 'test', '', 1),
      () => store.updateSpace(space, metadata => metadata),
      () => store.dropSpace(space),
      () => store.read(space, 'p', ['k']),
      () => store.scan(space, EVERYTHING, UNBOUNDED, () => true),
      () => store.commit(space, 'p', NO_READS, () => ({ result: true })),
    ];
    for (const call of calls) await assert.rejects(call(), isClosed, call.toString());
  });

  suite.law('close: waits for calls in progress', async (store, space, { reopen }) => {
    await put(
      store,
      space,
      'p',
      Object.fromEntries(Array.from({ length: 2000 }, (_, index) => [`${index}`, 'v'])),
    );
    let answered = 0;
    const commits = Array.from({ length: 20 }, async (_, index) => {
      await put(store, space, 'q', { [`${index}`]: 'v' });
      answered += 1;
    });
    const scanning = scanAll(store, space).catch(error => assert(isClosed(error)));
    await store.close();
    await Promise.all(commits);
    assert.equal(answered, 20);
    await scanning;
    if (reopen === undefined) return;
    const again = await reopen();
    assert.equal((await scanAll(again, space)).length, 2020);
  });

  suite.law(
    'law 5: everything acknowledged is there after the store was opened again',
    async (store, space, { reopen }) => {
      if (reopen === undefined) return;
      const dropped = await createSpace(store, 'dropped');
      await put(store, space, 'p', { a: '1', b: '2', c: '3' });
      await put(store, dropped, 'p', { a: 'gone' });
      await remove(store, space, 'p', ['b']);
      const updated = await store.updateSpace(space, () => Buffer.from('new metadata'));
      await store.dropSpace(dropped);
      const before = await scanAll(store, space);
      let again: Store = await reopen();
      for (let times = 0; times < 3; times += 1) {
        assert.deepEqual(await again.getSpace(space), updated);
        assert.equal(await again.getSpace(dropped), undefined);
        assert.deepEqual(await scanAll(again, space), before);
        assert.deepEqual(show(await again.read(space, 'p', ['a', 'b', 'c'])), ['p/a=1', '-', 'p/c=3']);
        again = await reopen();
      }
      const fresh = await createSpace(again, 'dropped');
      assert(fresh.id !== dropped.id && fresh.id !== space.id);
      assert.deepEqual(await scanAll(again, fresh), []);
      await put(again, space, 'p', { d: '4' });
    },
  );

  suite.law(
    'law 4: versions rise over delete and re-create, and over openings, while the clock jumps back and forth',
    async (first, space, { clock, reopen }) => {
      let [store, last] = [first, 0n];
      for (const jump of [0, 0, HOUR_MS, -HOUR_MS, -HOUR_MS, 0, 2 * HOUR_MS, 1, -1, -HOUR_MS, 0]) {
        clock.advance(jump);
        const version = await put(store, space, 'p', { k: 'v' });
        assert(version > last, `${version} after ${last}`);
        last = version;
        if (jump < 0) await remove(store, space, 'p', ['k']);
        if (jump < -1 && reopen !== undefined) store = await reopen();
      }
    },
  );
}

function isClosed(error: unknown): boolean {
  return error instanceof StoreError && error.code === 'closed';
}
