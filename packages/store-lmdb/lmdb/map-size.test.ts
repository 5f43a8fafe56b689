// The map is large from the start (statistics.test.ts has that it stays so); under a limit on address space it is LMDB's
// own.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { newDirectory } from '../testing/fixture.js';
import { mapSizeOf } from './map-size.js';

const MODULE = new URL('../index.js', import.meta.url).href;
const GIB = 2 ** 30;

test('64 GiB, or twice the file', t => {
  const path = join(newDirectory(t), 'file');
  const sizeFor = (bytes: number) => {
    writeFileSync(path, '');
    truncateSync(path, bytes);
    return mapSizeOf(path);
  };
  assert.deepEqual([0, 32 * GIB - 1, 32 * GIB].map(sizeFor), [64 * GIB, 64 * GIB, 64 * GIB]);
  assert.equal(sizeFor(32 * GIB + 1), 64 * GIB + 2);
});

const isLinux = process.platform === 'linux';

test('where address space is limited, a store opens and grows', { skip: !isLinux }, t => {
  const script = `
    import { openLmdbStore } from ${JSON.stringify(MODULE)};
    const store = await openLmdbStore({ directory: process.argv[1], durability: 'none' });
    const space = await store.createSpace({ account: 'a', service: 's', name: 'n' }, Buffer.alloc(0));
    const puts = [{ key: 'k', value: Buffer.alloc(4_000_000) }];
    await store.commit(space, 'p', { keys: [] }, () => ({ result: true, puts }));
    const [fileBytes, mapBytes] = ['data_file_bytes', 'data_map_bytes'].map(
      wanted => store.statistics().find(({ name }) => name === wanted).value,
    );
    const [row] = await store.read(space, 'p', ['k']);
    console.log(row.value.length, mapBytes > fileBytes, mapBytes < 2 ** 26);
    await store.close();
  `;
  const node = [process.execPath, '--input-type=module', '-e', script, newDirectory(t)];
  const limited = ['-c', 'ulimit -v 8000000 && exec "$@"', 'sh', ...node];
  const { stdout, stderr, signal } = spawnSync('sh', limited, { encoding: 'utf8' });
  assert.deepEqual([stdout, stderr, signal], ['4000000 true true\n', '', null]);
});
