// What long keys leave in the trees: pointers only where rows are behind them, and in the documented form.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import type { Store } from '#store';
import { openEnvironment } from '../environment.js';
import { openLmdbStore } from '../lmdb-store.js';
import { newDirectory, openSpace } from '../testing/fixture.js';
import { endOfPrefix } from './branches.js';

/** Keys of both trees, in hexadecimal, after `work` on a store that cuts payloads after 4 bytes. */
async function keysAfter(t: TestContext, work: (put: Change, remove: Change) => Promise<void>) {
  const directory = newDirectory(t);
  const store = await openLmdbStore({ directory, durability: 'none' }, { chunk: 4 });
  const { put, remove } = await changes(store);
  await work(put, remove);
  await store.close();
  const environment = openEnvironment({ directory, durability: 'none' });
  const all = { start: Buffer.of(0), end: Buffer.of(0xff) };
  const rows = environment.rows.spaceBranch(1).tree.keys(all, 100);
  const long = environment.rows.pointedBranch(Buffer.alloc(8)).tree.keys(all, 100);
  await environment.close();
  return { rows: rows.map(key => key.toString('hex')), long: long.map(key => key.toString('hex')) };
}

type Change = (key: string) => Promise<unknown>;

async function changes(store: Store): Promise<{ put: Change; remove: Change }> {
  const space = await openSpace(store);
  const value = Buffer.from('v');
  return {
    put: key => store.commit(space, 'p', { keys: [] }, () => ({ result: true, puts: [{ key, value }] })),
    remove: key => store.commit(space, 'p', { keys: [] }, () => ({ result: true, deletes: [key] })),
  };
}

test('a payload as long as the chunk is a row, a longer one is behind a pointer, one longer still behind two', async t => {
  const { rows, long } = await keysAfter(t, async put => {
    await put('ab');
    await put('abc');
    await put('abcdefg');
  });
  // Payloads: 'p' 00 'ab', then 'c', then 'cdef' 'g'.
  assert.deepEqual(rows, ['0000000170006162', '0000000170006162ff']);
  assert.deepEqual(long, ['000000000000000163', '000000000000000163646566ff', '000000000000000267']);
});

test('removing the last row behind a pointer removes the pointer, and no other removal does', async t => {
  const { rows, long } = await keysAfter(t, async (put, remove) => {
    for (const key of ['ab', 'abc', 'abcdefg', 'abcdefh', 'xyz', 'xyzxyzxyz']) await put(key);
    for (const key of ['xyz', 'xyzxyzxyz', 'abcdefg', 'abc', 'abcdefx', 'nothing here']) await remove(key);
  });
  assert.deepEqual(rows, ['0000000170006162', '0000000170006162ff']);
  assert.deepEqual(long, ['000000000000000163646566ff', '000000000000000268']);
});

test('nothing is left when all rows are removed', async t => {
  const keys = ['', 'a', 'ab', 'abc', 'abcd', 'abcdefghi', 'abcdefghij', 'abcxefghij', 'é\uffff\uffff'];
  const { rows, long } = await keysAfter(t, async (put, remove) => {
    for (const key of keys) await put(key);
    for (const key of keys.toReversed()) await remove(key);
  });
  assert.deepEqual({ rows, long }, { rows: [], long: [] });
});

test('the end of a prefix is after everything that begins with it, and before everything else that follows it', () => {
  const bytes = (max: number) => fc.uint8Array({ maxLength: max }).map(array => Buffer.from(array));
  fc.assert(
    fc.property(
      bytes(4),
      fc.integer({ min: 0, max: 254 }),
      bytes(3),
      bytes(6),
      (start, last, tail, other) => {
        const prefix = Buffer.concat([start, Buffer.of(last)]);
        const end = endOfPrefix(prefix);
        assert(Buffer.compare(Buffer.concat([prefix, tail]), end) < 0);
        const isWithin = Buffer.compare(prefix, other) <= 0 && Buffer.compare(other, end) < 0;
        assert.equal(isWithin, other.subarray(0, prefix.length).equals(prefix));
      },
    ),
  );
  assert.deepEqual(endOfPrefix(Buffer.of(1, 0xff, 0xff)), Buffer.of(2));
});
