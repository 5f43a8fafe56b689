// Contents of a directory that several processes have open: none takes what another one writes or reads for garbage.
import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { until } from '#base/testing/until';
import type { Engine, Space } from '#store';
import { openLmdbStore } from '../lmdb-store.js';
import { newDirectory, openSpace, putContent } from '../testing/fixture.js';
import { OtherProcess } from '../testing/other-process.js';

interface Both {
  readonly directory: string;
  readonly store: Engine;
  readonly space: Space;
  readonly other: OtherProcess;
}

async function begin(t: TestContext): Promise<Both> {
  const directory = newDirectory(t);
  const store = await openLmdbStore({ directory, durability: 'none' });
  t.after(() => store.close());
  const other = await OtherProcess.open(t, { directory, durability: 'none' });
  return { directory, store, space: await openSpace(store), other };
}

const pin = ({ other }: Both): Promise<number> =>
  other.run(({ store, pins }) => pins.push(store.content.pin()));
const unpin = ({ other }: Both): Promise<void> => other.run(({ pins }) => pins.pop()?.release());
const drop = ({ other }: Both, id: string): Promise<void> =>
  other.run(({ store, space }, dropped) => store.content.drop(space, dropped), id);

const write = ({ other }: Both, until: 'begun' | 'finished' | 'released'): Promise<string> =>
  other.run(async ({ store, space }, end) => {
    const writer = await store.content.create(space);
    await writer.write(Buffer.alloc(600_000, 'x'));
    if (end !== 'begun') await writer.finish();
    if (end === 'released') writer.release();
    return writer.id;
  }, until);

const listed = async (store: Engine, space: Space): Promise<string[]> => {
  const ids: string[] = [];
  for await (const { id } of store.content.list(space)) ids.push(id);
  return ids.toSorted();
};

const putOne = async ({ store, space }: Both): Promise<string> =>
  (await putContent(store, space, Buffer.alloc(1000, 'y'))).id;

const nameOf = ({ directory, space }: Both, id: string): string =>
  join(directory, 'contents', String(space.id), id);

const untilGone = (both: Both, id: string): Promise<true> =>
  until('the content is gone', () => !existsSync(nameOf(both, id)));

test('each process lists its own; the others list what a killed process left', async t => {
  const both = await begin(t);
  const ids = [await write(both, 'begun'), await write(both, 'finished'), await write(both, 'released')];
  const own = await putOne(both);
  assert.deepEqual(await listed(both.store, both.space), [own]);
  const others = await both.other.run(async ({ store, space }) => {
    const found: string[] = [];
    for await (const { id } of store.content.list(space)) found.push(id);
    return found;
  });
  assert.deepEqual(others, [ids[2]]);
  assert.equal(ids.filter(id => existsSync(nameOf(both, id))).length, 3);
  await both.other.kill();
  assert.deepEqual(await listed(both.store, both.space), [own, ...ids].toSorted());
  await both.store.close();
  const again = await openLmdbStore({ directory: both.directory, durability: 'none' });
  assert.deepEqual(readdirSync(join(both.directory, 'contents', 'processes')), []);
  assert.deepEqual(await listed(again, both.space), [own, ...ids].toSorted());
  await again.close();
});

test('what a process has pinned stays until the pin is released or the process is gone', async t => {
  const both = await begin(t);
  const [first, second] = [await putOne(both), await putOne(both)];
  await pin(both);
  await both.store.content.drop(both.space, first);
  await pause(300);
  assert(existsSync(nameOf(both, first)));
  await unpin(both);
  await untilGone(both, first);
  await pin(both);
  await both.store.content.drop(both.space, second);
  assert(existsSync(nameOf(both, second)));
  await both.other.kill();
  await untilGone(both, second);
});

test('a pin covers contents that are dropped later', async t => {
  const both = await begin(t);
  const [early, late] = [await putOne(both), await putOne(both)];
  const own = both.store.content.pin();
  await drop(both, early);
  await pin(both);
  await pause(20);
  assert(existsSync(nameOf(both, early)));
  own.release();
  // The other process pinned after its drop.
  await untilGone(both, early);
  await drop(both, late);
  assert(existsSync(nameOf(both, late)));
});

test('before removing rows, a process learns whether another one still reads them, or has for long', async t => {
  const both = await begin(t);
  const { content } = both.store;
  assert.equal(await content.unpinnedElsewhere(), true);
  content.pin();
  assert.equal(await content.unpinnedElsewhere(), true, 'Its own pins are known to it.');
  // It waits a second: the other one may be slower.
  await until('a pin that is released while it looks', async () => {
    await pin(both);
    const waiting = content.unpinnedElsewhere();
    await unpin(both);
    return waiting;
  });
  await pin(both);
  assert.equal(await content.unpinnedElsewhere(), false);
  const later = content.unpinnedElsewhere();
  await both.store.close();
  assert.equal(await later, false);
});
