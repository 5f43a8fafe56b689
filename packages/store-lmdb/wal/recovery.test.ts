// Opening a store that was left with a log finds everything acknowledged, and a store whose log is not its own is
// refused.
import assert from 'node:assert/strict';
import { copyFile, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { checkFile } from '../check/check.js';
import { type Durability, openEnvironment } from '../environment.js';
import { openLmdbStore } from '../lmdb-store.js';
import { environmentOf, NO_INSPECTION, newDirectory } from '../testing/fixture.js';
import { batchesOf, leaveStore, NOW, rowsOf, textsOf } from '../testing/left-store.js';
import { BLOCK_BYTES } from './log-file.js';
import { beginLog, endLog, fenceLog } from './recovery.js';

const logOf = (directory: string): string => join(directory, 'data.log');

/** What a store has when it is opened. */
async function contentOf(directory: string, durability: Durability = 'full') {
  const store = await openLmdbStore({ directory, durability });
  try {
    return await textsOf(store);
  } finally {
    await store.close();
  }
}

async function findingsOf(directory: string): Promise<readonly string[]> {
  return (await checkFile(join(directory, 'data.mdb'), NO_INSPECTION)).findings;
}

const refusal = (message: RegExp) => ({ name: 'StoreError', code: 'corrupt', message });

test('records that are in the trees are skipped, however many they are, and all others are replayed', async t => {
  const batches = batchesOf([
    { apple: 'green', pear: 'old', plum: 'blue' },
    { apple: undefined, pear: 'yellow' },
    { apple: 'red', plum: undefined },
  ]);
  for (const [applied, durability] of [
    [0, 'full'],
    [1, 'none'],
    [2, 'full'],
    [3, 'full'],
  ] as const) {
    const directory = newDirectory(t);
    const epoch = await leaveStore(directory, batches, { applied });
    assert.deepEqual(await findingsOf(directory), [], 'The trees are whole before it.');
    assert.deepEqual(await contentOf(directory, durability), { apple: 'red', pear: 'yellow' }, `${applied}`);
    const environment = openEnvironment({ directory, durability: 'none' });
    const { catalog } = environment;
    const tick = NOW + 3n;
    assert.deepEqual(catalog.getLogFence(), { epoch, state: 'read', tick });
    assert.deepEqual([catalog.getFormat()?.version, catalog.getCounters().tick], [1, tick]);
    await environment.close();
    assert.deepEqual(await findingsOf(directory), []);
  }
});

test('a row from the log has the version that it was acknowledged with, and the next one is later', async t => {
  const directory = newDirectory(t);
  await leaveStore(directory, batchesOf([{ pear: 'yellow' }], 5n));
  const store = await openLmdbStore({ directory, clock: () => NOW });
  const space = await store.createSpace({ account: 'dev', service: 'table', name: 'more' }, Buffer.alloc(0));
  const version = (await rowsOf(store)).get('pear')?.version;
  await store.close();
  assert.deepEqual([version, space?.created], [NOW + 5n, NOW + 6n]);
});

test('changes written without the log since are not overwritten', async t => {
  const directory = newDirectory(t);
  const batches = batchesOf([{ a: 'first' }, { lost: 'without the log' }, { b: 'second' }]);
  await leaveStore(directory, begun => batches(begun).toSpliced(1, 1), {
    applied: 1,
    atEnd: ({ catalog, rows }, { space, tick }) => {
      rows.remove(space, 'p', 'a');
      catalog.putCounters({ ...catalog.getCounters(), tick: tick + 2n });
    },
  });
  assert.deepEqual(await contentOf(directory), { b: 'second' });
});

test('when a process dies between the two steps of taking over, the next one continues', async t => {
  const directory = newDirectory(t);
  await leaveStore(directory, batchesOf([{ pear: 'yellow' }]), {
    atEnd: ({ catalog }) => assert.equal(fenceLog(catalog), true),
  });
  assert.deepEqual(await findingsOf(directory), []);
  assert.deepEqual(await contentOf(directory), { pear: 'yellow' });
});

test('a refused opening changes nothing that the next one needs', async t => {
  const directory = newDirectory(t);
  await leaveStore(directory, batchesOf([{ pear: 'yellow' }]));
  const away = `${logOf(directory)}.away`;
  await rename(logOf(directory), away);
  const error = refusal(/data\.mdb was not closed, and data\.log beside it, .* is missing: put both back/);
  await assert.rejects(openLmdbStore({ directory }), error);
  await assert.rejects(openLmdbStore({ directory }), error);
  await rename(away, logOf(directory));
  assert.deepEqual(await contentOf(directory), { pear: 'yellow' });
});

test('the log of another store, or of another time, is refused', async t => {
  const [directory, other] = [newDirectory(t), newDirectory(t)];
  await leaveStore(directory, batchesOf([{ a: 'first' }]));
  await leaveStore(other, ({ tick, space }) => batchesOf([{ a: 'foreign' }])({ tick: tick + 100n, space }));
  const own = await readFile(logOf(directory));
  await copyFile(logOf(other), logOf(directory));
  await assert.rejects(openLmdbStore({ directory }), refusal(/data\.log does not continue \S+data\.mdb: /));
  await writeFile(logOf(directory), own);
  await leaveStore(directory, batchesOf([{ a: 'second' }]));
  await writeFile(logOf(directory), own);
  await assert.rejects(openLmdbStore({ directory }), refusal(/data\.log is not the log 2 of \S+data\.mdb, /));
});

test('a record has to begin at the very tick at which the one before it ends, and to have a tick', async t => {
  for (const [first, second, length, message] of [
    [0n, 0n, 10n, undefined],
    [-1n, 0n, 10n, /does not continue/],
    [1n, 0n, 10n, /does not continue/],
    [0n, -1n, 10n, /does not continue/],
    [0n, 1n, 10n, /does not continue/],
    [0n, 0n, 0n, /its record 2 follows on tick 17000000000000010/],
  ] as const) {
    const directory = newDirectory(t);
    await leaveStore(directory, ({ tick }) => [
      { basis: tick + first, tick: tick + 10n, changes: [] },
      { basis: tick + 10n + second, tick: tick + 10n + length, changes: [] },
    ]);
    const opening = contentOf(directory);
    if (message !== undefined) await assert.rejects(opening, refusal(message), `${first}, ${second}`);
    else assert.deepEqual(await opening, {});
  }
});

test('a log that is damaged before its end is refused; one that is torn at its end is not', async t => {
  const directory = newDirectory(t);
  await leaveStore(directory, batchesOf([{ a: 'first' }, { b: 'second' }]));
  const bytes = await readFile(logOf(directory));
  const damageBlock = async (block: number) => {
    const damaged = Buffer.from(bytes);
    const at = block * BLOCK_BYTES + 50;
    damaged[at] = (damaged[at] ?? 0) ^ 1;
    await writeFile(logOf(directory), damaged);
  };
  await damageBlock(1);
  await assert.rejects(openLmdbStore({ directory }), refusal(/data\.log has record 2 and not record 1/));
  await damageBlock(2);
  assert.deepEqual(await contentOf(directory), { a: 'first' });
});

test('a log is begun when no process uses one, and belongs to its user until it is taken or ended', async t => {
  const environment = environmentOf(t);
  const { catalog } = environment;
  const chunk = catalog.getFormat()?.chunk ?? 0;
  await environment.transaction(() => {
    assert.equal(catalog.getLogFence(), undefined);
    assert.equal(fenceLog(catalog), false);
    assert.equal(beginLog(catalog, chunk), 1n);
    assert.deepEqual([catalog.ownsLog(1n), catalog.ownsLog(2n)], [true, false]);
    assert.equal(catalog.getFormat()?.version, 2);
    assert.throws(() => beginLog(catalog, chunk), { name: 'StoreError', code: 'busy' });
    endLog(catalog);
    assert.deepEqual([catalog.ownsLog(1n), fenceLog(catalog)], [false, false]);
    assert.equal(catalog.getFormat()?.version, 1);
    assert.equal(beginLog(catalog, chunk), 2n);
    assert.deepEqual([fenceLog(catalog), fenceLog(catalog)], [true, true]);
    assert.throws(() => beginLog(catalog, chunk), { name: 'StoreError', code: 'busy' });
    endLog(catalog);
    assert.equal(catalog.getLogFence()?.state, 'taken', 'What the taker has not read is not given up.');
  });
});
