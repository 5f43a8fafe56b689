// A process that exits in the middle of a write ends, and another one can then write to the store.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { openLmdbStore } from '../lmdb-store.js';
import { ADDRESS, newDirectory } from '../testing/fixture.js';

const MODULE = new URL('../index.js', import.meta.url).href;

test('an exit within a write ends the process and releases the write lock', {
  timeout: 120_000,
}, async t => {
  const directory = newDirectory(t);
  const script = `
    import { openLmdbStore } from ${JSON.stringify(MODULE)};
    const store = await openLmdbStore({ directory: process.argv[1], durability: 'none' });
    const space = await store.createSpace(${JSON.stringify(ADDRESS)}, Buffer.alloc(0));
    await store.commit(space, 'p', { keys: [] }, () => process.exit(3));
  `;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script, directory], {
    stdio: 'inherit',
  });
  t.after(() => child.kill('SIGKILL'));
  await once(child, 'close');
  const store = await openLmdbStore({ directory, durability: 'none' });
  const space = await store.getSpace(ADDRESS);
  assert(space !== undefined);
  const puts = [{ key: 'k', value: Buffer.from('v') }];
  assert.equal(await store.commit(space, 'p', { keys: [] }, () => ({ result: 1, puts })), 1);
  await store.close();
});
