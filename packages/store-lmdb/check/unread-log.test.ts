// The copy of a store that was not closed equals a closed one and has everything that was acknowledged.
// exclusive-writers.test.ts covers what takes two processes.
import assert from 'node:assert/strict';
import { copyFile, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { openEnvironment } from '../environment.js';
import { openLmdbStore } from '../lmdb-store.js';
import { NO_INSPECTION, newDirectory } from '../testing/fixture.js';
import { batchesOf, leaveStore, textsOf } from '../testing/left-store.js';
import { beginLog, fenceLog } from '../wal/recovery.js';
import { checkFile } from './check.js';
import { checkSnapshot, copySnapshot } from './snapshot.js';
import { closeCopy, unreadLog } from './unread-log.js';

const CONTENT = { apple: 'red', pear: 'yellow' };

const dataOf = (directory: string): string => join(directory, 'data.mdb');
const logOf = (directory: string): string => join(directory, 'data.log');

/** Three batches with five changes; the first `applied` of them are in the trees. */
const leave = (directory: string, applied: number): Promise<bigint> =>
  leaveStore(
    directory,
    batchesOf([{ apple: 'green', plum: 'blue' }, { plum: undefined }, { apple: 'red', pear: 'yellow' }]),
    { applied },
  );

async function isClosedCopy(directory: string, content: Readonly<Record<string, string>>): Promise<void> {
  assert.deepEqual(await readdir(directory), ['data.mdb']);
  assert.deepEqual((await checkFile(dataOf(directory), NO_INSPECTION)).findings, []);
  const store = await openLmdbStore({ directory });
  assert.deepEqual(await textsOf(store), content);
  await store.close();
}

test('a copy has what is only in the log, and a check counts it', async t => {
  for (const [applied, unread] of [
    [0, 5],
    [1, 3],
    [2, 2],
    [3, 0],
  ] as const) {
    const [directory, to] = [newDirectory(t), newDirectory(t)];
    await leave(directory, applied);
    const { findings, notes } = await checkSnapshot(directory, NO_INSPECTION);
    const logged = unread === 0 ? [] : [`${unread} changes of rows in data.log, not counted above`];
    assert.deepEqual([findings, notes], [[], logged]);
    await copySnapshot(directory, dataOf(to));
    await isClosedCopy(to, CONTENT);
    const store = await openLmdbStore({ directory });
    assert.deepEqual(await textsOf(store), CONTENT, 'The store itself is left as it was.');
    await store.close();
  }
});

test('a copy includes a log that a process was about to replay', async t => {
  const [directory, to] = [newDirectory(t), newDirectory(t)];
  await leaveStore(directory, batchesOf([CONTENT]), { atEnd: ({ catalog }) => void fenceLog(catalog) });
  await copySnapshot(directory, dataOf(to));
  await isClosedCopy(to, CONTENT);
});

test('a store at rest is copied without a write to it', async t => {
  const [directory, to] = [newDirectory(t), newDirectory(t)];
  await leave(directory, 1);
  await rm(`${dataOf(directory)}-lock`);
  const before = await Promise.all([readFile(dataOf(directory)), readFile(logOf(directory))]);
  const log = await unreadLog(dataOf(directory));
  await copyFile(dataOf(directory), dataOf(to));
  await closeCopy(dataOf(to), log);
  await isClosedCopy(to, CONTENT);
  assert.deepEqual(await Promise.all([readFile(dataOf(directory)), readFile(logOf(directory))]), before);
  assert.deepEqual((await readdir(directory)).sort(), ['data.log', 'data.mdb']);
});

test('a copy of a store without a log is its file, byte by byte', async t => {
  const [directory, to] = [newDirectory(t), newDirectory(t)];
  await leave(directory, 3);
  await (await openLmdbStore({ directory })).close();
  assert.equal(await unreadLog(dataOf(directory)), undefined);
  await copyFile(dataOf(directory), dataOf(to));
  await closeCopy(dataOf(to), undefined);
  assert.deepEqual(await readFile(dataOf(to)), await readFile(dataOf(directory)));
});

test('a copy has nothing from a log begun after the reading, and everything from the one before', async t => {
  const [directory, to] = [newDirectory(t), newDirectory(t)];
  await leave(directory, 1);
  const log = await unreadLog(dataOf(directory));
  const environment = openEnvironment({ directory, durability: 'none' });
  const { catalog } = environment;
  await environment.transaction(() => assert.equal(beginLog(catalog, catalog.getFormat()?.chunk ?? 0), 2n));
  await environment.close();
  await copyFile(dataOf(directory), dataOf(to));
  await closeCopy(dataOf(to), log);
  await isClosedCopy(to, CONTENT);
});

test('a store whose log is missing, damaged or another one is not copied, and a check says why', async t => {
  const [other, to] = [newDirectory(t), newDirectory(t)];
  await leave(other, 0);
  await leaveStore(other, batchesOf([]));
  const damage: readonly [RegExp, (directory: string) => Promise<void>][] = [
    [/^log: \S+data\.mdb was not closed, and data\.log .* is missing: /, directory => rm(logOf(directory))],
    [/^log: \S+data\.log has 5 bytes/, directory => writeFile(logOf(directory), 'short')],
    [/^log: \S+data\.log is not the log 1 of/, directory => copyFile(logOf(other), logOf(directory))],
  ];
  for (const [pattern, inflict] of damage) {
    const directory = newDirectory(t);
    await leave(directory, 1);
    await inflict(directory);
    await assert.rejects(copySnapshot(directory, dataOf(to)), { name: 'StoreError', code: 'corrupt' });
    const { findings, findingCount } = await checkSnapshot(directory, NO_INSPECTION);
    assert.deepEqual([findingCount, findings.length], [1, 1]);
    assert.match(findings.join(), pattern);
  }
  assert.deepEqual(await readdir(to), []);
});
