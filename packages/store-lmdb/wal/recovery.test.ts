// Opening a store that was left with a log finds everything acknowledged, and a store whose log is not its own is
// refused.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { copyFile, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { checkFile } from '../check/check.js';
import { type Durability, openEnvironment } from '../environment.js';
import { openLmdbStore } from '../lmdb-store.js';
import { newDirectory } from '../testing/fixture.js';
import { withSeeds } from '../testing/log-history.js';
import { LoggedStore, NOW, rowsOf, textsOf } from '../testing/logged-store.js';
import { BLOCK_BYTES } from './log-file.js';
import { beginLog, endLog, fenceLog } from './recovery.js';

const dataOf = (directory: string): string => join(directory, 'data.mdb');
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

async function recordsOf(directory: string) {
  const environment = openEnvironment({ directory, durability: 'none' });
  const { catalog } = environment;
  const found = {
    mark: catalog.getLogFence(),
    version: catalog.getFormat()?.version,
    tick: catalog.getCounters().tick,
  };
  await environment.close();
  return found;
}

async function findingsOf(directory: string): Promise<readonly string[]> {
  const inspection = { space: () => undefined, row: () => undefined };
  return (await checkFile(dataOf(directory), inspection)).findings;
}

const refusal = (message: RegExp) => ({ name: 'StoreError', code: 'corrupt', message });

for (const durability of ['full', 'none'] as const) {
  test(`what is only in the log is there after an opening with durability ${durability}`, async t => {
    const directory = newDirectory(t);
    const store = await LoggedStore.open(directory);
    await store.append({ apple: 'green', pear: 'old', plum: 'blue' });
    await store.append({ apple: undefined, pear: 'yellow' });
    await store.append({ apple: 'red', plum: undefined }, 7n);
    const { epoch } = store;
    await store.abandon();
    assert.deepEqual(await findingsOf(directory), [], 'The trees are whole before it.');
    assert.deepEqual(await contentOf(directory, durability), { apple: 'red', pear: 'yellow' });
    const tick = NOW + 9n;
    assert.deepEqual(await recordsOf(directory), { mark: { epoch, state: 'read', tick }, version: 1, tick });
    assert.deepEqual(await findingsOf(directory), []);
  });
}

test('a row from the log has the version that it was acknowledged with, and the next one is later', async t => {
  const directory = newDirectory(t);
  const logged = await LoggedStore.open(directory);
  await logged.append({ pear: 'yellow' }, 5n);
  await logged.abandon();
  const store = await openLmdbStore({ directory, clock: () => NOW });
  const space = await store.createSpace({ account: 'dev', service: 'table', name: 'more' }, Buffer.alloc(0));
  const version = (await rowsOf(store)).get('pear')?.version;
  await store.close();
  assert.deepEqual([version, space?.created], [NOW + 5n, NOW + 6n]);
});

test('records that are in the trees are skipped, however many they are', async t => {
  for (const applied of [0, 1, 2, 3]) {
    const directory = newDirectory(t);
    const store = await LoggedStore.open(directory);
    await store.append({ a: 'first', b: 'first' });
    await store.append({ a: undefined, b: 'second' });
    await store.append({ a: 'third', c: 'third' });
    await store.apply(applied);
    await store.abandon();
    assert.deepEqual(await contentOf(directory), { a: 'third', b: 'second', c: 'third' }, `${applied}`);
  }
});

test('changes written without the log since are not overwritten', async t => {
  const directory = newDirectory(t);
  const logged = await LoggedStore.open(directory);
  await logged.append({ a: 'first' });
  await logged.apply();
  await logged.environment.transaction(() => {
    const { catalog, rows } = logged.environment;
    rows.remove(logged.space, 'p', 'a');
    catalog.putCounters({ ...catalog.getCounters(), tick: logged.tick + 1n });
  });
  logged.tick += 1n;
  await logged.append({ b: 'second' });
  await logged.abandon();
  assert.deepEqual(await contentOf(directory), { b: 'second' });
});

test('when a process dies between the two steps of taking over, the next one continues', async t => {
  const directory = newDirectory(t);
  const logged = await LoggedStore.open(directory);
  await logged.append({ pear: 'yellow' });
  await logged.environment.transaction(() => assert.equal(fenceLog(logged.environment.catalog), true));
  assert.equal(logged.isOwn(), false);
  await logged.abandon();
  assert.deepEqual(await findingsOf(directory), []);
  assert.deepEqual(await contentOf(directory), { pear: 'yellow' });
});

test('a refused opening changes nothing that the next one needs', async t => {
  const directory = newDirectory(t);
  const logged = await LoggedStore.open(directory);
  await logged.append({ pear: 'yellow' });
  await logged.abandon();
  const away = `${logOf(directory)}.away`;
  await rename(logOf(directory), away);
  const error = refusal(/data\.mdb was not closed, and data\.log beside it, .* is missing: put both back/);
  await assert.rejects(openLmdbStore({ directory }), error);
  await assert.rejects(openLmdbStore({ directory }), error);
  await rename(away, logOf(directory));
  assert.deepEqual(await contentOf(directory), { pear: 'yellow' });
});

test('a log that was replayed or ended is not needed any more', async t => {
  const directory = newDirectory(t);
  const logged = await LoggedStore.open(directory);
  await logged.append({ pear: 'yellow' });
  await logged.close();
  assert(existsSync(logOf(directory)));
  assert.equal((await recordsOf(directory)).version, 1);
  await rm(logOf(directory));
  assert.deepEqual(await contentOf(directory), { pear: 'yellow' });
});

test('the log of another store, or of another time, is refused', async t => {
  const [directory, other] = [newDirectory(t), newDirectory(t)];
  const [logged, foreign] = [await LoggedStore.open(directory), await LoggedStore.open(other)];
  await logged.append({ a: 'first' });
  foreign.tick += 100n;
  await foreign.append({ a: 'foreign' });
  await Promise.all([logged.abandon(), foreign.abandon()]);
  const own = await readFile(logOf(directory));
  await copyFile(logOf(other), logOf(directory));
  await assert.rejects(openLmdbStore({ directory }), refusal(/data\.log does not continue \S+data\.mdb: /));
  await writeFile(logOf(directory), own);
  const later = await LoggedStore.open(directory);
  await later.append({ a: 'second' });
  await later.abandon();
  await writeFile(logOf(directory), own);
  await assert.rejects(openLmdbStore({ directory }), refusal(/data\.log is not the log 2 of \S+data\.mdb, /));
});

test('a record has to begin at the very tick at which the one before it ends', async t => {
  for (const [first, second, isRefused] of [
    [0n, 0n, false],
    [-1n, 0n, true],
    [1n, 0n, true],
    [0n, -1n, true],
    [0n, 1n, true],
  ] as const) {
    const directory = newDirectory(t);
    const logged = await LoggedStore.open(directory);
    const [begun, middle] = [logged.tick, logged.tick + 10n];
    await logged.appendBatch({ basis: begun + first, tick: middle, changes: [] });
    await logged.appendBatch({ basis: middle + second, tick: middle + 10n, changes: [] });
    await logged.abandon();
    const opening = contentOf(directory);
    if (isRefused) await assert.rejects(opening, refusal(/does not continue/), `${first}, ${second}`);
    else assert.deepEqual(await opening, {});
  }
});

test('a record whose ticks do not rise is refused', async t => {
  const directory = newDirectory(t);
  const logged = await LoggedStore.open(directory);
  await logged.append({ a: 'first' });
  await logged.appendBatch({ basis: logged.tick, tick: logged.tick, changes: [] });
  await logged.abandon();
  await assert.rejects(
    openLmdbStore({ directory }),
    refusal(/its record 2 follows on tick 17000000000000001/),
  );
});

test('a log that is damaged before its end is refused; one that is torn at its end is not', async t => {
  const directory = newDirectory(t);
  const logged = await LoggedStore.open(directory);
  await logged.append({ a: 'first' });
  await logged.append({ b: 'second' });
  await logged.abandon();
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
  const directory = newDirectory(t);
  const environment = openEnvironment({ directory, durability: 'none' });
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
  await environment.close();
});

test('whatever part of a log is in the trees, across segments, a store has what was appended', t =>
  withSeeds(1, async random => {
    const directory = newDirectory(t);
    const model = new Map<string, Buffer>();
    for (let life = 0; life < 4; life += 1) {
      const logged = await LoggedStore.open(directory);
      for (let batch = random(60); batch > 0; batch -= 1) {
        const puts: Record<string, Buffer | undefined> = {};
        for (let change = random(8); change >= 0; change -= 1) {
          const value = random(4) === 0 ? undefined : Buffer.alloc(random(60_000), random(256));
          puts[`k${random(40)}`] = value;
        }
        await logged.append(puts, BigInt(1 + random(3)));
        for (const [key, value] of Object.entries(puts)) {
          if (value === undefined) model.delete(key);
          else model.set(key, value);
        }
        if (random(5) === 0) await logged.apply(random(4));
      }
      if (random(4) === 0) await logged.close();
      else await logged.abandon();
      const store = await openLmdbStore({ directory });
      const rows = await rowsOf(store);
      await store.close();
      assert.deepEqual([...rows.keys()].sort(), [...model.keys()].sort());
      for (const [key, { value }] of rows) assert(value.equals(model.get(key) ?? Buffer.of()), `${key}`);
      assert.deepEqual(await findingsOf(directory), []);
    }
  }));
