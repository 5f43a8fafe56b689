// What takes more than one process to test: two writers of one directory, a kill that holds the write lock, a limit on
// the size of the file. test/crash/ has what survives a kill.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { collectRows, type Space, type Store } from '#store';
import { openLmdbStore } from './lmdb-store.js';
import { EVERYTHING, newDirectory, openSpace, put, UNBOUNDED } from './testing/fixture.js';
import { OtherProcess, type Scope } from './testing/other-process.js';

const isLong = process.env.SHELFMARK_LONG === '1';

interface Subject {
  readonly directory: string;
  readonly store: Store;
  readonly space: Space;
}

async function open(t: TestContext): Promise<Subject> {
  const directory = newDirectory(t);
  const store = await openLmdbStore({ directory });
  t.after(() => store.close());
  return { directory, store, space: await openSpace(store) };
}

async function keysOf({ store, space }: Subject): Promise<string[]> {
  const page = await collectRows(store, space, EVERYTHING, UNBOUNDED);
  return page.rows.map(row => row.key);
}

/** exclusive-writers.test.ts has two that believe to be alone. */
test('two processes that write to one directory make one history', async t => {
  const directory = newDirectory(t);
  const others = [await OtherProcess.open(t, { directory }), await OtherProcess.open(t, { directory })];
  const write = async ({ store, space }: Scope, writer: number): Promise<[number[], number[]]> => {
    const [ids, counts]: [number[], number[]] = [[], []];
    const increment = () =>
      store.commit(space, 'p', { keys: ['k'] }, ({ keys }, tick) => {
        if (keys[0] !== undefined && keys[0].version >= tick) throw new Error('the version does not rise');
        const count = Number(keys[0]?.value.toString() ?? 0) + 1;
        return { result: count, puts: [{ key: 'k', value: Buffer.from(String(count)) }] };
      });
    for (let round = 0; round < 20; round += 1) {
      for (const count of await Promise.all(Array.from({ length: 10 }, increment))) counts.push(count ?? 0);
      const made = await store.createSpace({ ...space, name: `${writer}.${round}` }, Buffer.alloc(0));
      ids.push(made?.id ?? 0);
    }
    await store.close();
    return [ids, counts];
  };
  const made = await Promise.all(others.map((other, writer) => other.run(write, writer)));
  assert.equal(new Set(made.flatMap(([ids]) => ids)).size, 40, 'no id of a space was given twice');
  assert.deepEqual(
    made.flatMap(([, counts]) => counts).toSorted((a, b) => a - b),
    Array.from({ length: 400 }, (_, index) => index + 1),
  );
  const store = await openLmdbStore({ directory });
  const [row] = await store.read(await openSpace(store), 'p', ['k']);
  await store.close();
  assert.equal(row?.value.toString(), '400');
});

test('what one process has acknowledged, another one reads at once, however busy it is reading', async t => {
  const { directory, store, space } = await open(t);
  const other = await OtherProcess.open(t, { directory });
  const read = async () => Number((await store.read(space, 'p', ['k']))[0]?.value.toString() ?? 0);
  let isOver = false;
  const busy = async () => {
    for (; !isOver; await nextTurn()) await read();
  };
  const reading = busy();
  for (let round = 1; round <= 300; round += 1) {
    const write = ({ store, space }: Scope, value: string) =>
      store.commit(space, 'p', { keys: [] }, () => ({
        result: true,
        puts: [{ key: 'k', value: Buffer.from(value) }],
      }));
    await other.run(write, String(round));
    assert.equal(await read(), round);
  }
  isOver = true;
  await reading;
});

test('what another process does to a space holds at once: it is updated, dropped, and made again', async t => {
  const { directory, store, space } = await open(t);
  const other = await OtherProcess.open(t, { directory });
  assert.equal(await put(store, space, 'k', 'v'), true);
  await other.run(scope => scope.store.updateSpace(scope.space, () => Buffer.from('changed')));
  assert.equal((await store.getSpace(space))?.metadata.toString(), 'changed');
  await other.run(scope => scope.store.dropSpace(scope.space));
  assert.equal(await put(store, space, 'k', 'v'), undefined);
  assert.deepEqual(await store.listSpaces(space.account, space.service, '', 10), []);
  const fresh = await store.createSpace(space, Buffer.alloc(0));
  assert(fresh !== undefined && fresh.id !== space.id);
  const seen = await other.run(async scope => [
    (await scope.store.getSpace(scope.space))?.id,
    await scope.store.commit(scope.space, 'p', { keys: [] }, () => ({ result: true })),
  ]);
  assert.deepEqual(seen, [fresh.id, undefined]);
});

test('a process killed with the write lock leaves it to the others, and none of its changes', async t => {
  const subject = await open(t);
  for (const round of ['0', '1', '2']) {
    const other = await OtherProcess.open(t, { directory: subject.directory });
    void other.run(({ store, space, say }) => {
      const puts = [{ key: 'torn', value: Buffer.alloc(3000) }];
      void store.commit(space, 'p', { keys: [] }, () => ({ result: true, puts }));
      return store.commit(space, 'p', { keys: [] }, () => {
        say('inside');
        for (;;);
      });
    });
    await other.more(1);
    // Waits for the write lock that the other one will never release.
    const late = put(subject.store, subject.space, round, '');
    await pause(20);
    await other.kill();
    assert.equal(await late, true);
  }
  assert.deepEqual(await keysOf(subject), ['0', '1', '2']);
});

test('an exit within a write ends the process and releases the write lock', async t => {
  const subject = await open(t);
  const other = await OtherProcess.open(t, { directory: subject.directory });
  void other.run(({ store, space }) => store.commit(space, 'p', { keys: [] }, () => process.exit(3)));
  await other.ended;
  assert.equal(await put(subject.store, subject.space, 'k', 'v'), true);
});

test('a file that grew in one process is read and written by another that had it open before', async t => {
  const subject = await open(t);
  const { directory, store, space } = subject;
  const other = await OtherProcess.open(t, { directory });
  for (let round = 0; round < 10; round += 1) {
    await other.run(async ({ store, space }, key) => {
      const puts = [{ key, value: Buffer.alloc(4 * 1024 ** 2, 'v') }];
      await store.commit(space, 'p', { keys: [] }, () => ({ result: true, puts }));
    }, String(round));
    const [row] = await store.read(space, 'p', [String(round)]);
    assert.equal(row?.value.length, 4 * 1024 ** 2);
    await put(store, space, `own ${round}`, Buffer.alloc(1024 ** 2));
  }
  assert.equal((await keysOf(subject)).length, 20);
});

/** Puts until that fails; then deletes rows, and puts another one. */
async function fillUp({ store, space }: Scope, bytes: number) {
  const commit = (key: string, isPut: boolean) =>
    store.commit(space, 'p', { keys: [] }, () => ({
      result: true,
      ...(isPut ? { puts: [{ key, value: Buffer.alloc(bytes) }] } : { deletes: [key] }),
    }));
  const kept: string[] = [];
  const failed: string[] = [];
  for (let round = 0; failed.length === 0; round += 1) {
    const keys = Array.from({ length: 20 }, (_, index) => `${round}.${index}`);
    const answers = await Promise.allSettled(keys.map(key => commit(key, true)));
    for (const [index, answer] of answers.entries()) {
      if (answer.status === 'rejected') failed.push(answer.reason.code);
      else kept.push(keys[index] ?? '');
    }
  }
  const found: string[] = [];
  const unbounded = { rows: 1e6, bytes: 1e9, examined: 1e9, milliseconds: 1e9 };
  const everything = { from: { partition: '', key: '' } };
  await store.scan(space, everything, unbounded, row => found.push(row.key) > 0);
  for (const key of kept.slice(0, 40)) await commit(key, false);
  await commit('late', true);
  return { failed, kept, found };
}

// With room for a log, and its first segments, there are 80 MiB to be filled.
for (const [who, exclusive, bytes, blocks, skip] of [
  ['a writer', false, 5000, 8192, false],
  ['the only writer', true, 5000, 8192, !isLong],
  ['a writer with a log', true, 6000, 163_840, !isLong],
] as const) {
  test(`a file that may not grow fails commits of ${who}; reads, deletes and later commits still work`, {
    skip,
  }, async t => {
    const directory = newDirectory(t);
    const other = await OtherProcess.open(t, { directory, exclusive }, `ulimit -f ${blocks}`);
    const { failed, kept, found } = await other.run(fillUp, bytes);
    assert.equal(readdirSync(directory).includes('data.log'), blocks > 8192);
    await other.run(({ store }) => store.close());
    assert(failed.every(code => code === 'busy' || code === 'full'));
    assert.deepEqual(found.toSorted(), kept.toSorted());
    const store = await openLmdbStore({ directory });
    const left = await keysOf({ directory, store, space: await openSpace(store) });
    assert.deepEqual(left.toSorted(), [...kept.slice(40), 'late'].toSorted());
    await store.close();
  });
}

/**
 * Commits of all rows of a partition, each with a length and a content of its own, which free as many pages as they
 * write.
 */
async function rewrite({ store, space }: Scope): Promise<number> {
  const until = performance.now() + 2000;
  let commits = 0;
  for (; commits < 100 || performance.now() < until; commits += 1) {
    const value = Buffer.alloc(100 + ((commits * 2711) % 7000), commits);
    const puts = Array.from({ length: 40 }, (_, row) => ({ key: String(row), value }));
    await store.commit(space, 'p', { keys: [] }, () => ({ result: true, puts }));
    const change =
      commits % 3 === 0 ? { deletes: ['q'] } : { puts: [{ key: 'q', value: Buffer.alloc(200_000) }] };
    await store.commit(space, 'q', { keys: [] }, () => ({ result: true, ...change }));
  }
  return commits;
}

test('a scan shows each commit of another process whole, however long it takes', {
  skip: !isLong,
}, async t => {
  const { directory, store, space } = await open(t);
  const other = await OtherProcess.open(t, { directory });
  let commits = 0;
  const rewriting = other.run(rewrite).then(made => {
    commits = made;
  });
  const range = { from: { partition: 'p', key: '' }, until: { partition: 'p\0', key: '' } };
  let scans = 0;
  // Some hold their snapshot over several slices, in which pages of it are freed.
  const scanAgain = async (milliseconds: number): Promise<void> => {
    for (; commits === 0 || scans <= 10; scans += 1) {
      const seen = new Set<string>();
      const { examined } = await store.scan(space, range, UNBOUNDED, ({ value }) => {
        for (const end = performance.now() + milliseconds; performance.now() < end; );
        seen.add(`${value.length} ${value[0]} ${value.at(-1)}`);
        return true;
      });
      assert(examined === 0 || examined === 40, `${examined} rows`);
      assert(seen.size <= 1, [...seen].join());
    }
  };
  await Promise.all([scanAgain(0), scanAgain(0.5), scanAgain(0.5), rewriting]);
  assert(commits > 10 && scans > 10, `${commits} commits, ${scans} scans`);
});
