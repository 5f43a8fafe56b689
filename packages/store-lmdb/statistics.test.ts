// What a store reports about its commits and its file, exclusive and shared.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openLmdbStore } from './lmdb-store.js';
import { newDirectory, openSpace } from './testing/fixture.js';
import { countsOf, numberOf } from './testing/statistic.js';

const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);

for (const exclusive of [true, false])
  test(`writes, commits, queue and file of a store; exclusive: ${exclusive}`, async t => {
    const directory = newDirectory(t);
    const store = await openLmdbStore({ directory, durability: 'none', exclusive });
    t.after(() => store.close());
    const space = await openSpace(store);
    const [fileBytes, mapBytes] = [numberOf(store, 'data_file_bytes'), numberOf(store, 'data_map_bytes')];
    const before = countsOf(store, 'commit_writes');
    const writing = Array.from({ length: 100 }, (_, i) =>
      store.commit(space, 'p', { keys: [] }, () => ({
        result: i,
        puts: [{ key: String(i), value: Buffer.alloc(40_000) }],
      })),
    );
    assert.equal(numberOf(store, 'commit_queue_depth'), 100);
    await Promise.all(writing);
    const [writes, times] = [countsOf(store, 'commit_writes'), countsOf(store, 'commit_seconds')];
    assert.equal(numberOf(store, 'commit_queue_depth'), 0);
    assert.equal(writes.sum - before.sum, 100);
    const groups = sum(writes.counts) - sum(before.counts);
    assert(groups >= 1 && groups < 100, `${groups} groups`);
    assert.equal(sum(times.counts), sum(writes.counts));
    assert.equal(numberOf(store, 'commits_total'), sum(writes.counts));
    assert(times.sum > 0);
    assert.equal(numberOf(store, 'commit_failures_total'), 0);
    assert(numberOf(store, 'data_file_bytes') >= fileBytes + (exclusive ? 0 : 3_000_000));
    assert.deepEqual([mapBytes, numberOf(store, 'data_map_bytes')], [64 * 2 ** 30, 64 * 2 ** 30]);
    assert.equal(store.health(), undefined);
  });
