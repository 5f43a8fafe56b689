// Laws 2, 4 and 6 where calls meet: commits are linearizable and atomic, a decision that throws changes nothing. model.ts
// has single calls.
import assert from 'node:assert/strict';
import { nextTurn } from '#base';
import type { ReadRows, Space, Store } from '../store.js';
import { NO_READS, put, type Suite, scanAll, show } from './suite.js';

export function commitLaws(suite: Suite): void {
  refusalLaws(suite);
  concurrencyLaws(suite);
  valueLaws(suite);
}

function refusalLaws(suite: Suite): void {
  suite.law('law 6: a decision that throws changes nothing, alone or among others', async (store, space) => {
    const error = new SyntaxError('mine');
    const commits = Array.from({ length: 40 }, (_, index) =>
      store.commit(space, 'p', NO_READS, () => {
        if (index % 2 === 1) throw error;
        return { result: index, puts: [{ key: `${100 + index}`, value: Buffer.from('v') }] };
      }),
    );
    const answers = await Promise.allSettled(commits);
    for (const [index, answer] of answers.entries()) {
      if (answer.status === 'rejected') assert.equal(answer.reason, error);
      else assert.equal(answer.value, index);
      assert.equal(answer.status === 'rejected', index % 2 === 1);
    }
    assert.equal((await scanAll(store, space)).length, 20);
  });
}

function concurrencyLaws(suite: Suite): void {
  suite.law('law 2: 200 concurrent commits of one partition count to 200', async (store, space) => {
    const counts = await Promise.all(Array.from({ length: 200 }, () => increment(store, space, 'p')));
    assert.deepEqual(
      counts.toSorted((a, b) => (a ?? 0) - (b ?? 0)),
      Array.from({ length: 200 }, (_, index) => index + 1),
    );
    assert.deepEqual(show(await store.read(space, 'p', ['count'])), ['p/count=200']);
  });

  suite.law(
    'law 2: concurrent commits of many partitions do not disturb one another',
    async (store, space) => {
      const partitions = Array.from({ length: 20 }, (_, index) => `p${index}`);
      await Promise.all(
        Array.from({ length: 10 }, () =>
          partitions.map(partition => increment(store, space, partition)),
        ).flat(),
      );
      const rows = await scanAll(store, space);
      assert.deepEqual(
        show(rows),
        partitions.toSorted().map(partition => `${partition}/count=10`),
      );
    },
  );

  suite.law('law 4: commits that are made together have distinct versions', async (store, space) => {
    const versions = await Promise.all(Array.from({ length: 100 }, () => put(store, space, 'p', { k: 'v' })));
    assert.equal(new Set(versions).size, 100);
    const [row] = await store.read(space, 'p', ['k']);
    assert(row !== undefined && versions.includes(row.version));
    assert(versions.every(version => version <= row.version));
  });

  suite.law('law 2: readers see a commit whole or not at all', async (store, space) => {
    const keys = ['a', 'b', 'c'];
    let isOver = false;
    const watch = async () => {
      let seen = 0;
      while (!isOver) {
        const values = new Set((await store.read(space, 'p', keys)).map(row => row?.value.toString()));
        assert.equal(values.size, 1, 'one read shows one state');
        const page = new Set((await scanAll(store, space)).map(row => row.value.toString()));
        assert(page.size <= 1, 'law 3: one page of a partition shows one state');
        seen += 1;
        // Reads may be answered without a turn of the event loop, which the writer needs.
        await nextTurn();
      }
      return seen;
    };
    const watching = watch();
    for (let round = 0; round < 60; round += 1) {
      await put(store, space, 'p', { a: `${round}`, b: `${round}`, c: `${round}` });
    }
    isOver = true;
    assert((await watching) > 0);
  });
}

function valueLaws(suite: Suite): void {
  suite.law('values: of no bytes, and of megabytes', async (store, space) => {
    for (const size of [0, 1, 255, 4096, 65_535, 65_536, 1024 ** 2, 4 * 1024 ** 2]) {
      const value = Buffer.alloc(size, `content of ${size} bytes `);
      const read = (rows: ReadRows) => rows.keys[0]?.value.equals(value);
      await store.commit(space, 'p', NO_READS, () => ({ result: true, puts: [{ key: 'k', value }] }));
      const [row] = await store.read(space, 'p', ['k']);
      assert(row?.value.equals(value), `${size} bytes by read`);
      const [scanned] = await scanAll(store, space);
      assert(scanned?.value.equals(value), `${size} bytes by scan`);
      assert.equal(await store.commit(space, 'p', { keys: ['k'] }, rows => ({ result: read(rows) })), true);
    }
  });

  suite.law('values: copied in and out', async (store, space) => {
    const mine = Buffer.from('mine');
    await store.commit(space, 'p', NO_READS, () => ({ result: true, puts: [{ key: 'k', value: mine }] }));
    mine.fill(0);
    const [first] = await store.read(space, 'p', ['k']);
    assert.equal(first?.value.toString(), 'mine');
    await put(store, space, 'p', { k: 'more' });
    const [second] = await store.read(space, 'p', ['k']);
    assert.equal(first?.value.toString(), 'mine', 'a row that was read stays as it was');
    first?.value.fill(0);
    second?.value.fill(0);
    assert.deepEqual(show(await store.read(space, 'p', ['k'])), ['p/k=more']);
  });

  suite.law('values: a decision may put back what it read', async (store, space) => {
    await put(store, space, 'p', { a: 'of a', b: 'of b', c: 'of c' });
    await store.commit(space, 'p', { keys: ['a', 'b'], range: { from: 'c', rows: 1 } }, ({ keys, range }) => {
      const [a, b] = keys;
      const [c] = range;
      assert(a !== undefined && b !== undefined && c !== undefined);
      const puts = [
        { key: 'a', value: b.value },
        { key: 'b', value: c.value },
        { key: 'c', value: a.value },
      ];
      return { result: true, puts };
    });
    assert.deepEqual(show(await scanAll(store, space)), ['p/a=of b', 'p/b=of c', 'p/c=of a']);
  });
}

function increment(store: Store, space: Space, partition: string): Promise<number | undefined> {
  return store.commit(space, partition, { keys: ['count'] }, ({ keys }) => {
    const count = Number(keys[0]?.value.toString() ?? 0) + 1;
    return { result: count, puts: [{ key: 'count', value: Buffer.from(`${count}`) }] };
  });
}
