// The limits of names that the keys of the catalogue set, and which ticks it can compare; the conformance suite covers
// everything else.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { openLmdbStore } from '../lmdb-store.js';
import { newDirectory } from '../testing/fixture.js';
import { isComparable } from './catalog.js';

// 4026 bytes of key less the tag, account, service and two terminators.
const NAME_BYTES_MAX = 4026 - 5;

test('a name may be as long as a key, and no space has a longer one', async t => {
  const directory = newDirectory(t);
  const store = await openLmdbStore({ directory, durability: 'none' });
  const address = (name: string) => ({ account: 'a', service: 's', name });
  const longest = 'z'.repeat(NAME_BYTES_MAX);
  assert.equal((await store.createSpace(address(longest), Buffer.alloc(0)))?.name, longest);
  assert.equal((await store.getSpace(address(longest)))?.name, longest);
  for (const name of [`${longest}z`, '\uffff'.repeat(NAME_BYTES_MAX / 3 + 1), 'z'.repeat(100_000)]) {
    const creation = store.createSpace(address(name), Buffer.alloc(0));
    await assert.rejects(creation, { name: 'StoreError', code: 'unsupported' });
    assert.equal(await store.getSpace(address(name)), undefined);
    assert.deepEqual(await store.listSpaces('a', 's', name, 10), []);
  }
  assert.equal((await store.listSpaces('a', 's', longest, 10)).length, 1);
  assert.equal((await store.listSpaces('a', 's', 'y'.repeat(100_000), 10)).length, 1);
  assert.deepEqual(await store.listSpaces('a'.repeat(5000), 's', '', 10), []);
  await store.close();
});

test('a tick that LMDB reads as a NaN is not comparable, and of 4,096 ticks at most 32 are not', () => {
  const isNumber = (tick: bigint): boolean => {
    const bytes = Buffer.alloc(8);
    bytes.writeBigUInt64BE(tick);
    return !Number.isNaN(bytes.readDoubleLE());
  };
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 52n - 1n }), high => {
      const ticks = Array.from({ length: 4096 }, (_, low) => (high << 12n) + BigInt(low));
      const few = ticks.filter(tick => !isComparable(tick));
      assert(ticks.every(tick => isNumber(tick) || !isComparable(tick)));
      assert(few.length <= 32, `${few.length} of them`);
    }),
    { numRuns: 100 },
  );
});
