// A check finds contents that rows name and that are missing or too short. A backup has everything its rows name, even
// while a server replaces and drops contents.
import assert from 'node:assert/strict';
import { chownSync, cpSync, existsSync, readdirSync, rmSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { collectRows, type Engine, type NamedContent, type Space } from '#store';
import { openLmdbStore } from '../lmdb-store.js';
import { checkStore, copyStore } from '../testing/copied-store.js';
import { ADDRESS, newDirectory, openSpace, put, putContent, UNBOUNDED } from '../testing/fixture.js';
import { decodeNames, encodeNames } from '../testing/named-contents.js';
import { OtherProcess, type Scope } from '../testing/other-process.js';

async function name(store: Engine, space: Space, key: string, contents: readonly NamedContent[]) {
  await put(store, space, key, encodeNames(contents));
}

async function newStore(directory: string, exclusive = false) {
  const store = await openLmdbStore({ directory, exclusive }, { logAfter: 0 });
  const space = (await store.createSpace(ADDRESS, Buffer.alloc(0))) ?? assert.fail();
  return { store, space };
}

test('a check reports contents that are missing or too short, and lists that name them', async t => {
  const directory = newDirectory(t);
  const { store, space } = await newStore(directory);
  const [one, two, three] = [
    await putContent(store, space, Buffer.alloc(100)),
    await putContent(store, space, Buffer.alloc(500_000)),
    await putContent(store, space, Buffer.alloc(300)),
  ];
  const list = await putContent(store, space, encodeNames([two, three]));
  await name(store, space, 'a', [one, { ...two, bytes: 10 }]);
  await name(store, space, 'list', [list]);
  await store.close();
  const place = (content: NamedContent) => join(directory, 'contents', String(space.id), content.id);
  const { findings, notes, bytes } = await checkStore(directory);
  const all = [one, two, three, list].reduce((sum, content) => sum + content.bytes, 0);
  assert.deepEqual([findings, notes], [[], [`4 contents beside the rows, ${all} bytes`]]);
  assert(bytes > all);
  truncateSync(place(three), 299);
  assert.deepEqual((await checkStore(directory)).findings, [
    `a/n: the row ("p", "list"): the content ${three.id} has 299 bytes of 300.`,
  ]);
  rmSync(place(one));
  rmSync(place(list));
  assert.deepEqual((await checkStore(directory)).findings, [
    `a/n: the row ("p", "a"): the content ${one.id} is missing.`,
    `a/n: the row ("p", "list"): the content ${list.id} is missing.`,
  ]);
  const to = join(directory, 'backup');
  assert.equal((await copyStore('backup', directory, to)).findingCount, 2);
  assert(!existsSync(to), 'Nothing is left of it.');
});

test('rows that the log replaces are checked as they stand in the log', async t => {
  const [directory, killed] = [newDirectory(t), newDirectory(t)];
  const { store, space } = await newStore(directory, true);
  const [old, kept] = [
    await putContent(store, space, Buffer.alloc(10)),
    await putContent(store, space, Buffer.alloc(20)),
  ];
  await name(store, space, 'replaced', [old]);
  await name(store, space, 'removed', [old]);
  await name(store, space, 'kept', [kept]);
  await store.close();
  const again = await openLmdbStore({ directory, exclusive: true }, { logAfter: 0 });
  let fresh = old;
  // The background moves what the log has into the trees, at some point.
  for (let attempt = 0; ; attempt += 1) {
    const before = fresh;
    fresh = await putContent(again, space, Buffer.alloc(30));
    await name(again, space, 'replaced', [fresh]);
    await again.commit(space, 'p', { keys: [] }, () => ({ result: true, deletes: ['removed'] }));
    await again.content.drop(space, before.id);
    cpSync(directory, killed, { recursive: true });
    const { findings, notes } = await checkStore(killed);
    assert.deepEqual(findings, []);
    rmSync(join(killed, 'contents', String(space.id), fresh.id));
    const isLogged = (await checkStore(killed)).findings.some(each => each.includes('a row in data.log'));
    if (isLogged && /2 contents .* changes? of rows in data\.log/.test(notes.join())) break;
    assert(attempt < 50, 'The row does not stand in the log alone.');
    rmSync(killed, { recursive: true });
  }
  await again.close();
  assert.deepEqual((await checkStore(killed)).findings, [
    `a/n: a row in data.log: the content ${fresh.id} is missing.`,
  ]);
});

test('after a check by root, the server of another user can write contents', {
  skip: process.getuid?.() !== 0,
}, async t => {
  const directory = newDirectory(t);
  const { store } = await newStore(directory);
  await store.close();
  const [uid, gid] = [12345, 54321];
  chownSync(join(directory, 'data.mdb'), uid, gid);
  const contents = join(directory, 'contents');
  await checkStore(directory);
  for (const path of [contents, join(contents, 'processes'), join(contents, 'format')]) {
    const owned = statSync(path);
    assert.deepEqual([owned.uid, owned.gid], [uid, gid]);
  }
});

const ROUNDS_MAX = 20;
const ROUNDS = process.env.SHELFMARK_LONG === '1' ? 10 : 2;

for (const exclusive of [false, true]) {
  const how = exclusive ? 'one process with a log' : 'one of several processes';
  test(`backups while ${how} replaces contents have all that their rows name, and can be restored`, async t => {
    const directory = newDirectory(t);
    const durability = exclusive ? 'full' : 'none';
    const other = await OtherProcess.open(t, { directory, exclusive, durability });
    const churning = other.run(churn);
    let named = 0;
    // On a slow disk it takes longer until all rows are there.
    for (let round = 0; round < ROUNDS || (named <= 10 && round < ROUNDS_MAX); round += 1) {
      const [backup, restored] = [newDirectory(t), newDirectory(t)];
      const report = await copyStore('backup', directory, backup);
      assert.deepEqual(report.findings, [], `round ${round}`);
      assert.deepEqual((await checkStore(directory)).findings, [], `round ${round}`);
      assert.deepEqual((await copyStore('restore', restored, backup)).findings, []);
      named = await assertReadable(restored);
      for (const done of [backup, restored]) rmSync(done, { recursive: true });
    }
    assert(named > 10, `${named} contents`);
    await other.run(scope => {
      scope.isOver = true;
    });
    assert((await churning) > 5 * ROUNDS);
    await other.run(({ store }) => store.close());
    assert.deepEqual((await checkStore(directory)).findings, []);
    assert.deepEqual(readdirSync(join(directory, 'contents', 'processes')), []);
  });
}

/** Replaces rows that name contents, and drops the old ones, until it is over; returns how many it replaced. */
async function churn(scope: Scope): Promise<number> {
  const { store, space, modules } = scope;
  const { encodeNames, decodeNames } = modules;
  let count = 0;
  const one = async (writer: number): Promise<void> => {
    for (; !scope.isOver; count += 1) {
      const key = String(count % 8);
      const piece = Buffer.alloc(1000 * (1 + (count % 700)), key);
      const contents = [await store.content.create(space), await store.content.create(space)];
      for (const content of contents) {
        await content.write(piece);
        await content.finish();
      }
      const value = encodeNames(contents.map(({ id }) => ({ id, bytes: piece.length })));
      const old = await store.commit(space, `p${writer}`, { keys: [key] }, ({ keys: [row] }) => ({
        result: row === undefined ? [] : decodeNames(row),
        puts: [{ key, value }],
      }));
      for (const content of contents) content.release();
      for (const { id } of old ?? []) await store.content.drop(space, id);
    }
  };
  await Promise.all([1, 2, 3].map(one));
  return count;
}

/** Asserts that each content named by a row is as it was written; returns how many there are. */
async function assertReadable(directory: string): Promise<number> {
  const store = await openLmdbStore({ directory, durability: 'none' });
  const space = await openSpace(store);
  const { rows } = await collectRows(store, space, { from: { partition: '', key: '' } }, UNBOUNDED);
  let count = 0;
  for (const row of rows) {
    for (const { id, bytes } of decodeNames(row)) {
      let read = 0;
      for await (const piece of store.content.read(space, id, 0, bytes)) {
        assert(piece.every(byte => byte === row.key.charCodeAt(0)));
        read += piece.length;
      }
      assert.equal(read, bytes);
      count += 1;
    }
  }
  await store.close();
  return count;
}
