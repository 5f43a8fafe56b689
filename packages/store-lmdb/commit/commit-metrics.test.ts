// What a store tells of its commits and its file, where it is the only writer and where it is not.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openLmdbStore } from '../lmdb-store.js';

const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);

for (const exclusive of [true, false])
  test(`writes, commits, queue and file of a store; the only writer: ${exclusive}`, async t => {
    const directory = mkdtempSync(join(tmpdir(), 'shelfmark-figures-'));
    const store = await openLmdbStore({ directory, durability: 'none', exclusive });
    t.after(async () => {
      await store.close();
      rmSync(directory, { recursive: true });
    });
    const space = await store.createSpace({ account: 'a', service: 's', name: 'n' }, Buffer.alloc(0));
    assert(space);
    const before = store.figures();
    const writing = Array.from({ length: 100 }, (_, i) =>
      store.commit(space, 'p', { keys: [] }, () => ({
        result: i,
        puts: [{ key: String(i), value: Buffer.alloc(1000) }],
      })),
    );
    assert.equal(store.figures().queueDepth, 100);
    await Promise.all(writing);
    const { commits, queueDepth, fileBytes, mapBytes } = store.figures();
    assert.equal(queueDepth, 0);
    assert.equal(commits.writes.sum - before.commits.writes.sum, 100);
    const groups = sum(commits.writes.counts) - sum(before.commits.writes.counts);
    assert(groups >= 1 && groups < 100, `${groups} groups`);
    assert.equal(sum(commits.times.counts), sum(commits.writes.counts));
    assert(commits.times.sum > 0);
    assert.equal(commits.failures, 0);
    assert(fileBytes >= 100_000 && mapBytes >= fileBytes, `${fileBytes} of ${mapBytes}`);
    assert.equal(store.hasGivenUp, false);
  });
