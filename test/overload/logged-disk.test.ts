// A disk that another program fills while commits are durable only in the write-ahead log: no answered write is lost, no request hangs, and
// writes continue once there is space. Run by npm run verify overload, as root.
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { until } from '#base/testing/until';
import { collectRows, type Space, type Store } from '#store';
import { openLmdbStore } from '#store-lmdb';
import { newDisk, type SmallDisk } from './small-disk.js';

const skip = process.env.SHELFMARK_LONG !== '1' || process.platform !== 'linux';
const ADDRESS = { account: 'a', service: 't', name: 'n' };
/** A checkpoint begins before the log holds as much as the usual reserve. */
const SMALL_RESERVE_BYTES = 64 * 1024;
/** Less than what a checkpoint begins at, and more than that reserve and what `fill` leaves. */
const LOGGED_BYTES = 750_000;
/** Usually enough for a checkpoint of all that is there. */
const CHECKPOINT_MILLISECONDS = 600;
const META_PAGES_BYTES = 8_192;
const UNBOUNDED = { rows: 1e6, bytes: 1e9, examined: 1e9, milliseconds: 1e9 };

class Things {
  readonly store: Store;
  readonly kept: Set<string>;
  readonly #space: Space;

  static async open(directory: string, kept = new Set<string>(), reserveBytes?: number): Promise<Things> {
    const store = await openLmdbStore({ directory, exclusive: true }, { logAfter: 0, reserveBytes });
    const space = (await store.createSpace(ADDRESS, Buffer.alloc(0))) ?? (await store.getSpace(ADDRESS));
    assert(space !== undefined);
    return new Things(store, space, kept);
  }

  private constructor(store: Store, space: Space, kept: Set<string>) {
    this.store = store;
    this.#space = space;
    this.kept = kept;
  }

  /** Gives the code of a refusal. */
  async put(key: string, bytes: number): Promise<string | undefined> {
    const puts = [{ key, value: Buffer.alloc(bytes, 'x') }];
    return this.#answerOf({ puts }, () => this.kept.add(key));
  }

  async remove(key: string): Promise<string | undefined> {
    return this.#answerOf({ deletes: [key] }, () => this.kept.delete(key));
  }

  async putMany(name: string, count: number, bytes: number): Promise<readonly (string | undefined)[]> {
    const answers: (string | undefined)[] = [];
    const together = Math.min(20, Math.max(1, Math.floor(120_000 / bytes)));
    for (let next = 0; next < count; next += together) {
      const keys = Array.from({ length: together }, (_, index) => `${name}${next + index}`);
      answers.push(...(await Promise.all(keys.map(key => this.put(key, bytes)))));
    }
    return answers;
  }

  /** All that was answered is there, and nothing else. */
  async check(): Promise<void> {
    const everything = { from: { partition: '', key: '' } };
    const { rows } = await collectRows(this.store, this.#space, everything, UNBOUNDED);
    assert.deepEqual(new Set(rows.map(row => row.key)), new Set([...this.kept].sort()));
  }

  async #answerOf(changes: object, note: () => void): Promise<string | undefined> {
    try {
      await this.store.commit(this.#space, 'p', { keys: [] }, () => ({ result: true, ...changes }));
      note();
      return undefined;
    } catch (error) {
      assert(error instanceof Error && 'code' in error);
      return String(error.code);
    }
  }
}

/** What LMDB writes at the end of each transaction, and so of each checkpoint. */
const metaPagesOf = (directory: string): string =>
  readFileSync(join(directory, 'data.mdb')).toString('latin1', 0, META_PAGES_BYTES);

/** Fills the disk while the log has LOGGED_BYTES that the tree has not; returns a function that frees the space. */
async function fillBeforeCheckpoint(
  disk: SmallDisk,
  things: Things,
  directory: string,
  bytes: number,
): Promise<() => void> {
  let round = 0;
  return until('the disk is full before a checkpoint', async () => {
    await wait(CHECKPOINT_MILLISECONDS);
    const before = metaPagesOf(directory);
    await things.putMany(`logged${round++}-`, Math.floor(LOGGED_BYTES / bytes), bytes);
    const giveBack = disk.fill(300_000);
    if (metaPagesOf(directory) === before) return giveBack;
    giveBack();
    return undefined;
  });
}

async function fill(
  t: TestContext,
  bytes: number,
  reserveBytes?: number,
): Promise<{ disk: SmallDisk; things: Things; giveBack(): void } | undefined> {
  const disk = newDisk(t, 'tmpfs', 110);
  if (disk === undefined) return undefined;
  const directory = join(disk.path, 'data');
  mkdirSync(directory);
  const things = await Things.open(directory, undefined, reserveBytes);
  await things.put('first', 1);
  await until('there is a log', async () => readdirSync(directory).includes('data.log'));
  await until('the reserve is there', async () => {
    await things.put('first', 1);
    return readdirSync(directory).includes('reserve');
  });
  await things.putMany('early', 1000, bytes);
  const giveBack = await fillBeforeCheckpoint(disk, things, directory, bytes);
  // What is refused is refused for want of space.
  const answers = await things.putMany('late', 400, bytes);
  assert.deepEqual(new Set(answers.slice(-100)), new Set(['full']));
  await things.check();
  return { disk, things, giveBack };
}

test('a disk that is full before the tree has what is in the log: the reserve takes it, and deletes go on', {
  skip,
}, async t => {
  const filled = await fill(t, 2000);
  if (filled === undefined) return;
  const { things, giveBack } = filled;
  for (const key of [...things.kept].slice(0, 100)) assert.equal(await things.remove(key), undefined);
  await things.check();
  giveBack();
  await until('writes go on', async () => (await things.put('more', 2000)) === undefined);
  await things.store.close();
});

test('more in the log than the reserve takes: nothing is changed, and nothing lost, until there is space', {
  skip,
}, async t => {
  const filled = await fill(t, 30_000, SMALL_RESERVE_BYTES);
  if (filled === undefined) return;
  const { disk, things, giveBack } = filled;
  const directory = join(disk.path, 'data');
  const [key = ''] = things.kept;
  assert.equal(await things.remove(key), 'full');
  await things.check();
  await things.store.close();
  await assert.rejects(openLmdbStore({ directory, exclusive: true }), { code: 'full' });
  giveBack();
  const again = await Things.open(directory, things.kept, SMALL_RESERVE_BYTES);
  await again.check();
  assert.equal(await again.remove(key), undefined);
  assert.equal(await again.put('more', 30_000), undefined);
  await again.check();
  await again.store.close();
});
