// Starts that `shelfmark serve` refuses: one sentence that names the place and the remedy, an exit code, and no stack.
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { until } from '#base/testing/until';
import { openLmdbStore } from '#store-lmdb';
import { runToEnd, type Spawning, spawnServer } from '../support/spawned-server.js';
import { newDisk } from './small-disk.js';

/** A dozen servers; run by npm run verify overload. */
const skip = process.env.SHELFMARK_LONG !== '1' || process.platform === 'win32';
const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;
/** Root may write anywhere, so another user is tried. */
const asOther = isRoot ? { uid: NOBODY } : {};

const directory = mkdtempSync(join(tmpdir(), 'shelfmark-refusals-'));
chmodSync(directory, 0o755);
after(() => rmSync(directory, { recursive: true }));

async function refuses(
  data: string,
  sentence: RegExp,
  spawning: Spawning = {},
  more: string[] = [],
): Promise<void> {
  const exit = await until('the server that is there answers in time', async () => {
    const ended = await runToEnd(['serve', '--table-port', '0', '--data', data, ...more], spawning);
    return !ended.stderr.includes('which does not answer') && ended;
  });
  assert.match(exit.stderr, /^shelfmark: [^\n]*\n$/);
  assert.match(exit.stderr, sentence);
  assert(exit.stderr.includes(data), exit.stderr);
  assert.deepEqual([exit.code, exit.stdout], [1, '']);
}

const made = (name: string): string => {
  const path = join(directory, name);
  mkdirSync(path);
  return path;
};

test('a directory that may not be written to, and one that has another owner’s data', { skip }, async () => {
  const closed = made('closed');
  chmodSync(closed, 0o555);
  await refuses(closed, /this user may not write there; change its owner or its rights/, asOther);
  await refuses(join(closed, 'below'), /this user may not write there/, asOther);
  const foreign = made('foreign');
  const store = await openLmdbStore({ directory: foreign, durability: 'none' });
  await store.close();
  if (isRoot) await refuses(foreign, /this user may not write there/, asOther);
});

test('a read-only file system: a directory, one to be created, one that holds a store', {
  skip,
}, async t => {
  const disk = newDisk(t, 'tmpfs', 16);
  if (disk === undefined) return;
  const [empty, store] = [join(disk.path, 'empty'), join(disk.path, 'store')];
  const old = join(disk.path, 'old');
  mkdirSync(empty);
  for (const each of [store, old])
    await (await openLmdbStore({ directory: each, durability: 'none' })).close();
  // As in a backup, which no process opens.
  rmSync(join(old, 'data.mdb-lock'));
  mkdirSync(join(old, 'contents'));
  writeFileSync(join(old, 'contents', 'format'), '1\n');
  disk.makeReadOnly();
  const sentence = /its file system is read-only; make it writable, or choose another directory \(EROFS/;
  for (const data of [empty, join(disk.path, 'missing'), join(empty, 'two', 'three'), store])
    await refuses(data, sentence);
  await refuses(store, sentence, {}, ['--workers', '2']);
  const source = made('source');
  await (await openLmdbStore({ directory: source, durability: 'none' })).close();
  const backup = await runToEnd(['backup', join(disk.path, 'copy'), '--data', source]);
  assert.match(
    backup.stderr,
    /^shelfmark: \S+copy cannot be made or read: EROFS: read-only file system[^\n]+\n$/,
  );
  assert.equal(backup.code, 1);
  const other =
    /^shelfmark: \S+contents has format 1; this program knows format 2\. Use the version[^\n]+\n$/;
  const check = await runToEnd(['check', old]);
  const copy = await runToEnd(['backup', join(directory, 'of-old'), '--data', old]);
  assert.deepEqual([check.code, copy.code], [2, 1]);
  for (const { stderr } of [check, copy]) assert.match(stderr, other);
});

test('a file, and a path that leads through one', { skip }, async () => {
  const file = join(directory, 'file');
  writeFileSync(file, '');
  await refuses(file, /it is a file; choose another directory/);
  await refuses(join(file, 'below'), /a part of its path is a file; choose another directory/);
});

test('a damaged file, and one that is no store', { skip }, async () => {
  const damaged = made('damaged');
  writeFileSync(join(damaged, 'data.mdb'), Buffer.alloc(100_000, 1));
  await refuses(
    damaged,
    /is not the file of a store, or its beginning is damaged: restore a backup .*, or move the file away\./,
  );
});

test('a directory that another server has, of one process or of several, while backup and check still work', {
  skip,
}, async t => {
  for (const workers of ['1', '2']) {
    const data = join(directory, `used${workers}`);
    const server = await spawnServer([
      'serve',
      ...['--table-port', '0', '--data', data, '--workers', workers],
    ]);
    t.after(() => server.stop('SIGKILL'));
    const who = new RegExp(`is in use by process ${server.pid} \\(${server.endpoint}\\): stop it, or choose`);
    await refuses(data, who, {}, ['--workers', workers === '1' ? '2' : '1']);
    const [check, backup] = await Promise.all([
      runToEnd(['check', data]),
      runToEnd(['backup', join(directory, `copy${workers}`), '--data', data]),
    ]);
    assert.deepEqual([check.code, backup.code], [0, 0], backup.stderr);
    await server.stop('SIGKILL');
    const next = await spawnServer(['serve', '--table-port', '0', '--data', data]);
    assert.equal((await next.stop('SIGTERM')).code, 0);
  }
});

test('a key that this user may not read', { skip: skip || !isRoot }, async () => {
  const [cert, key] = [join(directory, 'cert.pem'), join(directory, 'key.pem')];
  writeFileSync(cert, 'none');
  writeFileSync(key, 'none', { mode: 0o000 });
  const args = ['serve', '--data', join(directory, 'unmade'), '--cert', cert, '--key', key];
  const { code, stderr } = await runToEnd(args, asOther);
  assert.match(stderr, /^shelfmark: --key names a file that cannot be read: EACCES[^\n]*key\.pem'\n$/);
  assert.equal(code, 1);
});
