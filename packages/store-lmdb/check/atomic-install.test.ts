// The atomic install: a copy of a store is installed whole or not at all, and replaces no file.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { newDirectory } from '../testing/fixture.js';
import { AtomicInstall } from './atomic-install.js';

test('a copy gets its name when it is finished, in a directory created for it', t => {
  const directory = join(newDirectory(t), 'a', 'b');
  const install = new AtomicInstall(directory);
  writeFileSync(install.partialPath, 'copy');
  install.finish();
  assert.deepEqual(readdirSync(directory), ['data.mdb']);
});

test('discarding a copy leaves nothing behind, not even the directory created for it', t => {
  const base = newDirectory(t);
  const made = new AtomicInstall(join(base, 'a', 'b'));
  writeFileSync(made.partialPath, 'copy');
  made.discard();
  assert.deepEqual(readdirSync(base), []);
  const found = new AtomicInstall(base);
  found.discard();
  assert(existsSync(base));
});

test('a directory with anything in it is refused', t => {
  const base = newDirectory(t);
  writeFileSync(join(base, 'data.mdb.partial'), 'copy');
  assert.throws(() => new AtomicInstall(base), { name: 'StoreError', message: /was interrupted: remove it/ });
  mkdirSync(join(base, 'sub'));
  writeFileSync(join(base, 'sub', 'data.mdb'), 'store');
  assert.throws(() => new AtomicInstall(join(base, 'sub')), { name: 'StoreError', message: /is not empty/ });
  const error = { name: 'StoreError', message: /cannot be made or read/ };
  assert.throws(() => new AtomicInstall(join(base, 'sub', 'data.mdb')), error);
});

test('a file that another process put there in the meantime is not replaced', t => {
  const directory = newDirectory(t);
  const install = new AtomicInstall(directory);
  writeFileSync(install.partialPath, 'copy');
  writeFileSync(join(directory, 'data.mdb'), 'store');
  assert.throws(() => install.finish(), {
    name: 'StoreError',
    message: /data\.mdb cannot be put in its place/,
  });
});
