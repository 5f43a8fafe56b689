// Law 4: a row's version rises strictly over its life, under any clock.
import assert from 'node:assert/strict';
import { HOUR_MS, put, remove, type Suite } from './suite.js';

export function versionLaws(suite: Suite): void {
  suite.law(
    'law 4: versions rise while the clock jumps back and forth an hour',
    async (store, space, { clock }) => {
      const versions: bigint[] = [];
      for (const jump of [0, 0, HOUR_MS, -HOUR_MS, -HOUR_MS, 0, 2 * HOUR_MS, 1, -1, -HOUR_MS, 0]) {
        clock.advance(jump);
        versions.push(await put(store, space, 'p', { k: 'v' }));
      }
      assertRising(versions);
    },
  );

  suite.law('law 4: versions rise over delete and re-create', async (store, space, { clock }) => {
    const versions: bigint[] = [];
    for (let round = 0; round < 5; round += 1) {
      versions.push(await put(store, space, 'p', { k: 'v' }));
      await remove(store, space, 'p', ['k']);
      clock.advance(-HOUR_MS);
    }
    assertRising(versions);
  });

  suite.law('law 4: commits that are made together have distinct versions', async (store, space) => {
    const versions = await Promise.all(Array.from({ length: 100 }, () => put(store, space, 'p', { k: 'v' })));
    assert.equal(new Set(versions).size, 100);
    const [row] = await store.read(space, 'p', ['k']);
    assert(row !== undefined && versions.includes(row.version));
    assert(versions.every(version => version <= row.version));
  });

  suite.law(
    'law 4: a tick is later than the version of every row that the decision reads',
    async (store, space, { clock }) => {
      for (let round = 0; round < 10; round += 1) {
        clock.advance(round % 2 === 0 ? HOUR_MS : -HOUR_MS);
        await store.commit(space, 'p', { keys: ['k'] }, ({ keys }, tick) => {
          assert(tick > (keys[0]?.version ?? 0n));
          return { result: true, puts: [{ key: 'k', value: Buffer.alloc(1) }] };
        });
      }
    },
  );

  suite.law(
    'law 4: versions rise although the clock went back while the store was closed',
    async (store, space, { clock, reopen }) => {
      if (reopen === undefined) return;
      const before = await put(store, space, 'p', { k: 'v' });
      clock.advance(-HOUR_MS);
      const again = await reopen();
      assert((await put(again, space, 'p', { k: 'v' })) > before);
    },
  );
}

function assertRising(versions: readonly bigint[]): void {
  for (const [index, version] of versions.entries()) {
    const before = versions[index - 1];
    assert(before === undefined || version > before, `version ${index} does not rise`);
  }
}
