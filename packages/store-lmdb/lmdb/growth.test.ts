// A store reclaims what was dropped, and yields the event loop during a long scan.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '#base/testing/until';
import type { Space, Store } from '#store';
import { openEnvironment } from '../environment.js';
import { branchRange } from '../layout/branches.js';
import { openLmdbStore } from '../lmdb-store.js';
import { ADDRESS, EVERYTHING, newDirectory, openSpace, UNBOUNDED } from '../testing/fixture.js';

async function fill(store: Store, space: Space, rows: number, size: number, prefix = ''): Promise<void> {
  const value = Buffer.alloc(size, 'v');
  for (let from = 0; from < rows; from += 500) {
    const puts = Array.from({ length: Math.min(500, rows - from) }, (_, index) => ({
      key: prefix + `${from + index}`.padStart(8, '0'),
      value,
    }));
    await store.commit(space, 'p', { keys: [] }, () => ({ result: true, puts }));
  }
}

async function count(store: Store, space: Space): Promise<number> {
  return (await store.scan(space, EVERYTHING, UNBOUNDED, () => false)).examined;
}

test('the rows of a dropped space are reclaimed, across a close, and no others', async t => {
  const directory = newDirectory(t);
  const options = { directory, durability: 'none' as const };
  let store = await openLmdbStore(options, { chunk: 12 });
  const [before, dropped, after] = [
    await openSpace(store, { ...ADDRESS, name: 'before' }),
    await openSpace(store, { ...ADDRESS, name: 'dropped' }),
    await openSpace(store, { ...ADDRESS, name: 'after' }),
  ];
  for (const space of [before, after]) await fill(store, space, 100, 10);
  await fill(store, dropped, 6000, 10);
  await fill(store, dropped, 3000, 10, 'a prefix that makes the key long ');
  await store.dropSpace(dropped);
  await store.close();
  assert((await rowsOf(directory, dropped)) > 0, 'closing does not wait for the background');
  // One round is enough, except on a very busy machine.
  await until('the rows are given back', async () => {
    store = await openLmdbStore(options);
    for (let waited = 0; waited < 100; waited += 1) {
      // A commit now and then, which must not starve the background.
      await fill(store, before, 10, 10);
      await new Promise(resolve => setTimeout(resolve, 5));
    }
    assert.equal(await count(store, before), 100);
    assert.equal(await count(store, after), 100);
    await store.close();
    return (await rowsOf(directory, dropped)) === 0;
  });
  const environment = openEnvironment({ directory, durability: 'none' });
  assert.equal(environment.catalog.firstDropped(), undefined);
  const { tree } = environment.rows.pointedBranch(Buffer.alloc(8));
  assert.deepEqual(tree.keys({ start: Buffer.of(0), end: Buffer.of(0xff) }, 1), [], 'no subtree is left');
  await environment.close();
});

/** Rows and pointers that a space has in the file, dropped or not. */
async function rowsOf(directory: string, space: Space): Promise<number> {
  const environment = openEnvironment({ directory, durability: 'none' });
  const branch = environment.rows.spaceBranch(space.id);
  const keys = branch.tree.keys(branchRange(branch), 1e6);
  await environment.close();
  return keys.length;
}

test('a long scan yields the event loop', async t => {
  const directory = newDirectory(t);
  const store = await openLmdbStore({ directory, durability: 'none' });
  const space = await openSpace(store, { ...ADDRESS, name: 'long' });
  await fill(store, space, 40_000, 100);
  let turns = 0;
  let isOver = false;
  const turn = () => {
    turns += 1;
    if (!isOver) setImmediate(turn);
  };
  turn();
  let spun = 0;
  const page = await store.scan(space, EVERYTHING, UNBOUNDED, ({ value }) => {
    // A filter with some cost, as those of domains have.
    for (let index = 0; index < 1000; index += 1) spun += value[index % 100] ?? 0;
    return false;
  });
  isOver = true;
  assert.equal(page.examined, 40_000);
  assert(spun > 0);
  assert(turns >= 3, `${turns} turns of the event loop during the scan`);
  await store.close();
});
