// Long keys in the documented form. check/check.test.ts finds pointers that are left behind.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { openEnvironment } from '../environment.js';
import { openLmdbStore } from '../lmdb-store.js';
import { newDirectory, openSpace, put } from '../testing/fixture.js';
import { type Branch, endOfPrefix } from './branches.js';

test('a payload as long as the chunk is a row, a longer one is behind a pointer, one longer still behind two', async t => {
  const directory = newDirectory(t);
  const store = await openLmdbStore({ directory, durability: 'none' }, { chunk: 4 });
  const space = await openSpace(store);
  for (const key of ['ab', 'abc', 'abcdefg']) await put(store, space, key, 'v');
  await store.close();
  const environment = openEnvironment({ directory, durability: 'none' });
  const all = { start: Buffer.of(0), end: Buffer.of(0xff) };
  const keysOf = ({ tree }: Branch) => tree.keys(all, 100).map(key => key.toString('hex'));
  const rows = keysOf(environment.rows.spaceBranch(1));
  const long = keysOf(environment.rows.pointedBranch(Buffer.alloc(8)));
  await environment.close();
  // Payloads: 'p' 00 'ab', then 'c', then 'cdef' 'g'.
  assert.deepEqual(rows, ['0000000170006162', '0000000170006162ff']);
  assert.deepEqual(long, ['000000000000000163', '000000000000000163646566ff', '000000000000000267']);
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
