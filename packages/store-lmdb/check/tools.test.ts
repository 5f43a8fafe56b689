// A copy of a store is installed whole or not at all, and replaces no file.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { newDirectory } from '../testing/fixture.js';
import { lmdbTools } from './tools.js';

const prepare = (directory: string) => lmdbTools('/nowhere').backup?.(directory).prepare() ?? assert.fail();

test('a copy gets its name when it is finished, and replaces no file that was put there in the meantime', t => {
  const directory = join(newDirectory(t), 'a', 'b');
  const prepared = prepare(directory);
  const partial = join(directory, 'data.mdb.partial');
  writeFileSync(partial, 'copy');
  prepared.finish();
  assert.deepEqual(readdirSync(directory), ['data.mdb']);
  writeFileSync(partial, 'another');
  const error = { name: 'StoreError', message: /data\.mdb cannot be put in its place/ };
  assert.throws(() => prepared.finish(), error);
});

test('discarding a copy leaves nothing behind, not even the directory created for it', t => {
  const base = newDirectory(t);
  const prepared = prepare(join(base, 'a', 'b'));
  writeFileSync(join(base, 'a', 'b', 'data.mdb.partial'), 'copy');
  prepared.discard();
  assert.deepEqual(readdirSync(base), []);
  prepare(base).discard();
  assert(existsSync(base));
});

test('a directory with anything in it is refused', t => {
  const base = newDirectory(t);
  writeFileSync(join(base, 'data.mdb.partial'), 'copy');
  assert.throws(() => prepare(base), { name: 'StoreError', message: /was interrupted: remove it/ });
  mkdirSync(join(base, 'sub'));
  writeFileSync(join(base, 'sub', 'data.mdb'), 'store');
  assert.throws(() => prepare(join(base, 'sub')), { name: 'StoreError', message: /is not empty/ });
  const error = { name: 'StoreError', message: /cannot be made or read/ };
  assert.throws(() => prepare(join(base, 'sub', 'data.mdb')), error);
});
