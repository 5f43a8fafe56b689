// Laws 2 and 6: commits are linearizable and atomic; a decision that throws or returns no changes changes nothing.
import assert from 'node:assert/strict';
import { nextTurn } from '#base';
import type { ReadRows, Space, Store } from '../store.js';
import { NO_READS, put, remove, type Suite, scanAll, show } from './suite.js';

export function commitLaws(suite: Suite): void {
  readLaws(suite);
  changeLaws(suite);
  refusalLaws(suite);
  concurrencyLaws(suite);
  valueLaws(suite);
}

function readLaws(suite: Suite): void {
  suite.law(
    'commit: reads keys in the order asked, and a half-open range that is cut',
    async (store, space) => {
      await put(store, space, 'p', { a: '1', b: '2', c: '3', d: '4' });
      await put(store, space, 'o', { z: 'before' });
      await put(store, space, 'p\u0000', { a: 'after' });
      await put(store, space, 'pa', { a: 'after' });
      const read = (reads: Parameters<Store['commit']>[2]) =>
        store.commit(space, 'p', reads, rows => ({ result: [show(rows.keys), show(rows.range)] }));
      assert.deepEqual(await read({ keys: ['c', 'x', 'a', 'c'] }), [['p/c=3', '-', 'p/a=1', 'p/c=3'], []]);
      const range = async (from: string, until: string | undefined, rows: number) =>
        (await read({ keys: [], range: { from, until, rows } }))?.[1];
      assert.deepEqual(await range('b', 'd', 10), ['p/b=2', 'p/c=3']);
      assert.deepEqual(await range('b', undefined, 10), ['p/b=2', 'p/c=3', 'p/d=4']);
      assert.deepEqual(await range('', undefined, 2), ['p/a=1', 'p/b=2']);
      assert.deepEqual(await range('c', undefined, Number.MAX_SAFE_INTEGER), ['p/c=3', 'p/d=4']);
      assert.deepEqual(await range('', undefined, 0), []);
      assert.deepEqual(await range('aa', 'b', 10), []);
      assert.deepEqual(await range('d', 'b', 10), []);
      assert.deepEqual(await read({ keys: ['a'], range: { from: 'c', until: 'd', rows: 9 } }), [
        ['p/a=1'],
        ['p/c=3'],
      ]);
    },
  );

  suite.law('commit: a partition without rows reads as empty', async (store, space) => {
    await put(store, space, 'q', { a: '1' });
    const rows = await store.commit(space, 'p', { keys: ['a'], range: { from: '', rows: 5 } }, read => ({
      result: [read.keys, read.range],
    }));
    assert.deepEqual(rows, [[undefined], []]);
  });
}

function changeLaws(suite: Suite): void {
  suite.law('commit: puts and deletes what it names and nothing else', async (store, space) => {
    await put(store, space, 'p', { a: '1', b: '2', c: '3' });
    await put(store, space, 'q', { a: 'other' });
    await store.commit(space, 'p', NO_READS, () => ({
      result: true,
      puts: [
        { key: 'd', value: Buffer.from('4') },
        { key: 'b', value: Buffer.from('two') },
      ],
      deletes: ['a', 'nobody'],
    }));
    assert.deepEqual(show(await scanAll(store, space)), ['p/b=two', 'p/c=3', 'p/d=4', 'q/a=other']);
    assert.deepEqual(show(await store.read(space, 'p', ['d', 'a', 'b'])), ['p/d=4', '-', 'p/b=two']);
  });

  suite.law('commit: the version of a row is the tick of the commit that wrote it', async (store, space) => {
    const first = await put(store, space, 'p', { a: '1', b: '1' });
    const second = await put(store, space, 'p', { b: '2' });
    const rows = await store.read(space, 'p', ['a', 'b']);
    assert.deepEqual(
      rows.map(row => row?.version),
      [first, second],
    );
    assert.deepEqual(
      (await scanAll(store, space)).map(row => row.version),
      [first, second],
    );
  });

  suite.law('commit: an acknowledged change is visible to all', async (store, space) => {
    for (let round = 0; round < 20; round += 1) {
      await put(store, space, 'p', { k: `${round}` });
      assert.deepEqual(show(await store.read(space, 'p', ['k'])), [`p/k=${round}`]);
      assert.deepEqual(show(await scanAll(store, space)), [`p/k=${round}`]);
    }
    await remove(store, space, 'p', ['k']);
    assert.deepEqual(show(await store.read(space, 'p', ['k'])), ['-']);
  });
}

function refusalLaws(suite: Suite): void {
  suite.law('law 6: a decision without changes changes nothing', async (store, space) => {
    await put(store, space, 'p', { k: 'kept' });
    const before = await store.read(space, 'p', ['k']);
    const answers = [
      await store.commit(space, 'p', { keys: ['k'] }, () => ({ result: 'refused' })),
      await store.commit(space, 'p', { keys: ['k'] }, () => ({ result: 'empty', puts: [], deletes: [] })),
      await store.commit(space, 'q', NO_READS, () => ({ result: 'elsewhere' })),
    ];
    assert.deepEqual(answers, ['refused', 'empty', 'elsewhere']);
    assert.deepEqual(await store.read(space, 'p', ['k']), before);
    assert.equal((await scanAll(store, space)).length, 1);
  });

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
