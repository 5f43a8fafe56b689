// What happens to files that this version did not write, or that changed since: an error message, never a crash.
import assert from 'node:assert/strict';
import { readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { openEnvironment, openRoot } from './environment.js';
import { openLmdbStore } from './lmdb-store.js';
import { ADDRESS, EVERYTHING, newDirectory, openSpace, UNBOUNDED } from './testing/fixture.js';

/** A store with some pages of rows, closed. */
async function fill(directory: string): Promise<void> {
  const store = await openLmdbStore({ directory, durability: 'none' });
  const space = await openSpace(store);
  const puts = Array.from({ length: 500 }, (_, index) => ({ key: `${index}`, value: Buffer.alloc(1000) }));
  await store.commit(space, 'p', { keys: [] }, () => ({ result: true, puts }));
  await store.close();
}

test('a directory is created with its parents, and one store of a process may use it', async t => {
  const directory = join(newDirectory(t), 'a', 'b', 'c');
  const store = await openLmdbStore({ directory });
  const error = { name: 'StoreError', code: 'busy', message: /data\.mdb is in use/ };
  await assert.rejects(openLmdbStore({ directory }), error);
  await assert.rejects(openLmdbStore({ directory: `${directory}/../c/.` }), error);
  await store.close();
  await (await openLmdbStore({ directory })).close();
});

test('a directory that cannot be created is unsupported', async t => {
  const directory = newDirectory(t);
  await writeFile(join(directory, 'file'), 'not a directory');
  for (const place of ['file', 'file/below']) {
    const error = { name: 'StoreError', code: 'unsupported', message: /cannot hold a store/ };
    await assert.rejects(openLmdbStore({ directory: join(directory, place) }), error);
  }
});

test('a newer format is unsupported, and the file is left as it is', async t => {
  const directory = newDirectory(t);
  await fill(directory);
  const environment = openEnvironment({ directory, durability: 'none' });
  await environment.transaction(() => environment.catalog.putFormat({ version: 3, chunk: 4017 }));
  await environment.close();
  const before = await readFile(join(directory, 'data.mdb'));
  const error = { name: 'StoreError', code: 'unsupported', message: /data\.mdb has format 3/ };
  await assert.rejects(openLmdbStore({ directory }), error);
  await assert.rejects(
    openLmdbStore({ directory }),
    error,
    'the first failure does not keep the directory in use',
  );
  assert(before.equals(await readFile(join(directory, 'data.mdb'))));
});

test('a damaged format record is corrupt', async t => {
  const directory = newDirectory(t);
  const environment = openEnvironment({ directory, durability: 'none' });
  await environment.transaction(() => environment.catalog.putFormat({ version: 1, chunk: 0 }));
  await environment.close();
  await assert.rejects(openLmdbStore({ directory }), { name: 'StoreError', code: 'corrupt' });
});

test('a format record that contradicts the log’s record is corrupt', async t => {
  for (const [version, state] of [
    [2, undefined],
    [2, 'read'],
    [1, 'used'],
    [1, 'taken'],
  ] as const) {
    const directory = newDirectory(t);
    const environment = openEnvironment({ directory, durability: 'none' });
    await environment.transaction(() => {
      environment.catalog.putFormat({ version, chunk: 4017 });
      if (state !== undefined) environment.catalog.putLogFence({ epoch: 1n, state, tick: 0n });
    });
    await environment.close();
    await assert.rejects(openLmdbStore({ directory }), { code: 'corrupt', message: /format record/ });
  }
});

test('the file of another program on LMDB is corrupt, and nothing is written to it', async t => {
  const directory = newDirectory(t);
  const path = join(directory, 'data.mdb');
  await writeFile(path, '');
  const other = openRoot(path, 'full');
  const encoder = { encode: (value: Buffer) => value, decode: (bytes: Uint8Array) => Buffer.from(bytes) };
  const keyEncoder = { writeKey: () => 0, readKey: () => undefined };
  const options = { name: 'other', encoder, keyEncoder };
  other.openDB(options);
  await other.close();
  const before = await readFile(path);
  await assert.rejects(openLmdbStore({ directory }), { code: 'corrupt', message: /not the file of a store/ });
  assert(before.equals(await readFile(path)));
});

test('a file that is no LMDB file is corrupt; an empty one is a new store', async t => {
  const damaged = [
    Buffer.from('x'),
    Buffer.alloc(100_000),
    Buffer.alloc(100_000, 'garbage'),
    Buffer.alloc(8192),
  ];
  for (const content of damaged) {
    const directory = newDirectory(t);
    await writeFile(join(directory, 'data.mdb'), content);
    await assert.rejects(openLmdbStore({ directory }), {
      code: 'corrupt',
      message: /data\.mdb is not the file/,
    });
  }
  const directory = newDirectory(t);
  await writeFile(join(directory, 'data.mdb'), '');
  await (await openLmdbStore({ directory })).close();
});

test('another format or page size of LMDB is unsupported', async t => {
  for (const [position, value] of [
    [28, 1],
    [48, 4],
  ] as const) {
    const directory = newDirectory(t);
    await fill(directory);
    const path = join(directory, 'data.mdb');
    const bytes = await readFile(path);
    bytes[position] = value;
    await writeFile(path, bytes);
    await assert.rejects(openLmdbStore({ directory }), {
      code: 'unsupported',
      message: /data\.mdb has LMDB/,
    });
  }
});

test('a file that was cut off is corrupt, or returns the rows that are left, and is never a bus error', async t => {
  const whole = newDirectory(t);
  await fill(whole);
  const content = await readFile(join(whole, 'data.mdb'));
  for (let pages = 2; pages * 8192 < content.length; pages += 7) {
    const directory = newDirectory(t);
    const path = join(directory, 'data.mdb');
    await writeFile(path, content);
    await truncate(path, pages * 8192 + 17);
    const reading = async () => {
      const store = await openLmdbStore({ directory, durability: 'none' });
      try {
        const space = await store.getSpace(ADDRESS);
        assert(space !== undefined);
        await store.scan(space, EVERYTHING, UNBOUNDED, () => true);
      } finally {
        await store.close();
      }
    };
    await assert.rejects(reading(), { name: 'StoreError', code: 'corrupt' }, `${pages} pages`);
  }
});
