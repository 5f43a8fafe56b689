// Contents of a directory that several processes have open: none takes what another one writes or reads for garbage.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { until } from '#base/testing/until';
import type { Engine, Space } from '#store';
import { openLmdbStore } from '../lmdb-store.js';
import { ContentProcess } from '../testing/content-process.js';
import { openSpace, putContent } from '../testing/fixture.js';

interface Both {
  readonly directory: string;
  readonly store: Engine;
  readonly space: Space;
  readonly other: ContentProcess;
}

async function begin(t: TestContext): Promise<Both> {
  const directory = mkdtempSync(join(tmpdir(), 'lmdb-contents-'));
  const other = new ContentProcess();
  const store = await openLmdbStore({ directory, durability: 'none' });
  t.after(async () => {
    await other.kill();
    await store.close();
    rmSync(directory, { recursive: true });
  });
  await other.ask({ kind: 'open', directory });
  const space = await openSpace(store);
  return { directory, store, space, other };
}

async function listed({ store, space }: Both): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of store.content.list(space)) ids.push(id);
  return ids.toSorted();
}

const putOne = async ({ store, space }: Both): Promise<string> =>
  (await putContent(store, space, Buffer.alloc(1000, 'y'))).id;

const nameOf = ({ directory, space }: Both, id: string): string =>
  join(directory, 'contents', String(space.id), id);

const untilGone = (both: Both, id: string): Promise<true> =>
  until('the content is gone', () => !existsSync(nameOf(both, id)));

test('each process lists its own; the others list what a killed process left', async t => {
  const both = await begin(t);
  const write = (until: 'begun' | 'finished' | 'released') =>
    both.other.ask({ kind: 'write', bytes: 600_000, until });
  const ids = [await write('begun'), await write('finished'), await write('released')];
  const own = await putOne(both);
  assert.deepEqual(await listed(both), [own]);
  assert.equal(await both.other.ask({ kind: 'list' }), ids[2]);
  assert.equal(ids.filter(id => existsSync(nameOf(both, id))).length, 3);
  await both.other.kill();
  assert.deepEqual(await listed(both), [own, ...ids].toSorted());
  const again = await openedAgain(both);
  assert.deepEqual(readdirSync(join(both.directory, 'contents', 'processes')), []);
  assert.deepEqual(await listed({ ...both, store: again }), [own, ...ids].toSorted());
  await again.close();
});

async function openedAgain({ store, directory }: Both): Promise<Engine> {
  await store.close();
  return openLmdbStore({ directory, durability: 'none' });
}

test('what a process has pinned stays until the pin is released or the process is gone', async t => {
  const both = await begin(t);
  const [first, second] = [await putOne(both), await putOne(both)];
  await both.other.ask({ kind: 'pin' });
  await both.store.content.drop(both.space, first);
  await pause(300);
  assert(existsSync(nameOf(both, first)));
  await both.other.ask({ kind: 'unpin' });
  await untilGone(both, first);
  await both.other.ask({ kind: 'pin' });
  await both.store.content.drop(both.space, second);
  assert(existsSync(nameOf(both, second)));
  await both.other.kill();
  await untilGone(both, second);
});

test('a pin covers contents that are dropped later', async t => {
  const both = await begin(t);
  const [early, late] = [await putOne(both), await putOne(both)];
  const pin = both.store.content.pin();
  await both.other.ask({ kind: 'drop', id: early });
  await both.other.ask({ kind: 'pin' });
  await pause(20);
  assert(existsSync(nameOf(both, early)));
  pin.release();
  // The other process pinned after its drop.
  await untilGone(both, early);
  await both.other.ask({ kind: 'drop', id: late });
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
    await both.other.ask({ kind: 'pin' });
    const waiting = content.unpinnedElsewhere();
    await both.other.ask({ kind: 'unpin' });
    return waiting;
  });
  await both.other.ask({ kind: 'pin' });
  assert.equal(await content.unpinnedElsewhere(), false);
  const later = content.unpinnedElsewhere();
  await both.store.close();
  assert.equal(await later, false);
});
