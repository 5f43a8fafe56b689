// A process that exits in the middle of a write ends, and another one can then write to the store.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openLmdbStore } from '../lmdb-store.js';

const MODULE = new URL('../index.js', import.meta.url).href;
const ADDRESS = { account: 'a', service: 't', name: 'n' };

test('an exit within a write ends the process and releases the write lock', {
  timeout: 120_000,
}, async t => {
  const directory = await mkdtemp(join(tmpdir(), 'lmdb-exit-'));
  t.after(() => rm(directory, { recursive: true }));
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
