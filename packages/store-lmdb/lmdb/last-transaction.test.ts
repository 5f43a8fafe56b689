// When another process opens the file it may set LMDB's note of the last transaction back; nothing is lost by that.
import assert from 'node:assert/strict';
import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { openLmdbStore } from '../lmdb-store.js';
import { newDirectory, openSpace } from '../testing/fixture.js';

const NOTE_AT = 8;

/** `setBack` does what an opening does that this many commits overtook. */
function openNote(t: TestContext, directory: string): { setBack(count: bigint): void } {
  const file = openSync(join(directory, 'data.mdb-lock'), 'r+');
  t.after(() => closeSync(file));
  const bytes = Buffer.alloc(8);
  return {
    setBack: count => {
      readSync(file, bytes, 0, 8, NOTE_AT);
      bytes.writeBigUInt64LE(bytes.readBigUInt64LE() - count);
      writeSync(file, bytes, 0, 8, NOTE_AT);
    },
  };
}

test('a commit that LMDB was made to forget is not lost', async t => {
  const directory = newDirectory(t);
  const store = await openLmdbStore({ directory, durability: 'none' });
  const space = await openSpace(store);
  const note = openNote(t, directory);
  const increment = () =>
    store.commit(space, 'p', { keys: ['k'] }, ({ keys }) => {
      const count = Number(keys[0]?.value.toString() ?? 0) + 1;
      return { result: count, puts: [{ key: 'k', value: Buffer.from(String(count)) }] };
    });
  for (let count = 1; count <= 60; count += 1) {
    if (count % 3 === 0) note.setBack(count % 2 === 0 ? 1n : 2n);
    assert.equal(await increment(), count);
  }
  await store.close();
  const again = await openLmdbStore({ directory });
  const [row] = await again.read(space, 'p', ['k']);
  assert.equal(row?.value.toString(), '60');
  await again.close();
});
