// Values of rows decode to what was encoded, and copies stay as they were, whatever is copied after them. What long keys
// leave in the trees: pointers only where rows are behind them, and in the documented form.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import type { Store } from '#store';
import { openEnvironment } from '../environment.js';
import { openLmdbStore } from '../lmdb-store.js';
import { newDirectory, openSpace } from '../testing/fixture.js';
import { rowBytes } from '../testing/log-batch.js';
import { copyValue, decodeVersion, VersionDecoder } from './rows.js';

const BEFORE = Buffer.from('what stands before it');
const BEHIND = Buffer.from('what stands behind the value');
const version = fc.oneof(
  fc.constantFrom(0n, 1n, 2n ** 32n, 2n ** 63n),
  fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
);
const length = fc.oneof(
  fc.constantFrom(0, 1, 0x4000, 0x4001, 0x10000),
  fc.nat({ max: 2_000 }),
  fc.nat({ max: 70_000 }),
);

test('rows that follow each other decode as they were encoded, and copies stay as they were', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(version, length), { maxLength: 40 }), rows => {
      const versions = new VersionDecoder();
      const copies = rows.map(([tick, count], i) => {
        const encoded = rowBytes(tick, Buffer.alloc(count, i + 1));
        const bytes = Buffer.concat([BEFORE, encoded, BEHIND]);
        const from = BEFORE.length;
        assert.equal(decodeVersion(bytes, from, from + encoded.length), tick);
        assert.equal(versions.decode(bytes, from, from + encoded.length), tick);
        const copy = copyValue(bytes, from, from + encoded.length);
        bytes.fill(0);
        return copy;
      });
      for (const [i, copy] of copies.entries())
        assert.ok(copy.equals(Buffer.alloc(rows[i]?.[1] ?? -1, i + 1)), `copy ${i}`);
    }),
    { numRuns: 200 },
  );
});

test('a row that is too short for a version is damaged', () => {
  const bytes = Buffer.alloc(20);
  assert.throws(() => decodeVersion(bytes, 0, 7), { code: 'corrupt' });
  assert.throws(() => new VersionDecoder().decode(bytes, 0, 7), { code: 'corrupt' });
});

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
