// Contents on a disk that becomes full: a write that finds no space is refused and leaves nothing, rows and reads go on, and there is space again
// after a drop. Run by npm run verify overload, as root.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Engine, type Space, StoreError } from '#store';
import { openLmdbStore } from '#store-lmdb';
import { type DiskKind, newDisk } from './small-disk.js';

const skip = process.env.SHELFMARK_LONG !== '1' || process.platform !== 'linux';
const MEBIBYTE = 1024 ** 2;
const PART = 4 * MEBIBYTE;

async function put(store: Engine, space: Space, bytes: number): Promise<string> {
  const writer = await store.content.create(space);
  for (let at = 0; at < bytes; at += 100_000)
    await writer.write(Buffer.alloc(Math.min(100_000, bytes - at), 'x'));
  await writer.finish();
  writer.release();
  return writer.id;
}

async function readWhole(store: Engine, space: Space, id: string): Promise<number> {
  let bytes = 0;
  for await (const piece of store.content.read(space, id, 0, PART)) bytes += piece.length;
  return bytes;
}

for (const kind of ['tmpfs', 'ext4'] satisfies DiskKind[]) {
  test(`contents on a full disk, ${kind}`, { skip }, async t => {
    const disk = newDisk(t, kind, 64);
    if (disk === undefined) return;
    const directory = join(disk.path, 'data');
    const store = await openLmdbStore({ directory, exclusive: true });
    const space =
      (await store.createSpace({ account: 'a', service: 't', name: 'n' }, Buffer.alloc(0))) ?? assert.fail();
    const isFull = (error: unknown) => error instanceof StoreError && error.code === 'full';
    const ids: string[] = [];
    for (;;) {
      const id = await put(store, space, PART).catch((error: unknown) => {
        assert(isFull(error), String(error));
      });
      if (id === undefined) break;
      ids.push(id);
    }
    assert(ids.length > 3, `${ids.length}`);
    const files = () => readdirSync(join(directory, 'contents', String(space.id))).toSorted();
    assert.deepEqual(files(), ids.toSorted(), 'Nothing is left of what was refused.');
    const commit = (key: string) =>
      store.commit(space, 'p', { keys: [] }, () => ({
        result: true,
        puts: [{ key, value: Buffer.alloc(1000) }],
      }));
    assert.equal(await commit('rows have their space'), true);
    // Another process takes the space left for rows.
    const release = disk.fill(MEBIBYTE);
    for (const bytes of [10, PART]) await assert.rejects(put(store, space, bytes), isFull);
    assert.deepEqual(files(), ids.toSorted());
    for (const id of ids) assert.equal(await readWhole(store, space, id), PART);
    release();
    const [first = '', second = ''] = ids;
    await store.content.drop(space, first);
    await store.content.drop(space, second);
    const again = await put(store, space, PART);
    assert.equal(await readWhole(store, space, again), PART);
    await store.close();
  });
}
