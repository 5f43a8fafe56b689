// Runs the contents' conformance suite on the embedded engine: files next to its data file. test/overload/ covers a
// full disk.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Clock, nextTurn } from '#base';
import { openFaultyStore, type StoreWithContent } from '#store';
import { contentConformance } from '#store/conformance';
import { type LmdbStoreOptions, openLmdbStore } from '../lmdb-store.js';
import { newDirectory, openedStore, openSpace, putContent } from '../testing/fixture.js';
import { numberOf } from '../testing/statistic.js';

const NO_FAULTS = { random: () => 0, failBefore: 0, failAfter: 0, delay: 0, redecide: 0, shortScan: 0 };

contentConformance({
  name: 'lmdb',
  test,
  open: ({ clock }) => opened(clock, { durability: 'full' }),
});

contentConformance({
  name: 'lmdb, exclusive, with a log from the first commit on',
  test,
  open: ({ clock }) => opened(clock, { durability: 'full', exclusive: true }),
});

contentConformance({
  name: 'lmdb without syncs, behind faults of 0 %',
  test,
  open: ({ clock }) => opened(clock, { durability: 'none' }, store => openFaultyStore(store, NO_FAULTS)),
});

const opened = (
  clock: Clock,
  options: Omit<LmdbStoreOptions, 'directory'>,
  within: (store: StoreWithContent) => StoreWithContent = store => store,
) => openedStore(async directory => within(await openLmdbStore({ ...options, clock, directory })));

test('a store without contents has no directory for them', async t => {
  const directory = newDirectory(t);
  const store = await openLmdbStore({ directory });
  const space = await openSpace(store);
  for await (const { id } of store.content.list(space)) assert.fail(id);
  await store.content.drop(space, 'nobody');
  await store.dropSpace(space);
  await store.close();
  assert(!readdirSync(directory).includes('contents'));
});

test('a content is a file, and a process leaves no entry when it closes', async t => {
  const directory = newDirectory(t);
  const store = await openLmdbStore({ directory });
  const space = await openSpace(store);
  const { id } = await putContent(store, space, Buffer.from('some bytes'));
  assert.deepEqual(readdirSync(join(directory, 'contents')).toSorted(), ['1', 'format', 'processes']);
  assert.deepEqual(readdirSync(join(directory, 'contents', '1')), [id]);
  assert.deepEqual(readdirSync(join(directory, 'contents', 'processes')), [id.slice(0, 14)]);
  assert.equal(numberOf(store, 'contents_written_total'), 1);
  assert.equal(numberOf(store, 'content_written_bytes_total'), 10);
  const pin = store.content.pin();
  await store.content.drop(space, id);
  assert.equal(numberOf(store, 'content_drops_waiting'), 1);
  pin.release();
  while (numberOf(store, 'contents_removed_total') === 0) await nextTurn();
  assert.equal(numberOf(store, 'content_drops_waiting'), 0);
  assert.deepEqual(readdirSync(join(directory, 'contents', '1')), []);
  await store.close();
  assert.deepEqual(readdirSync(join(directory, 'contents', 'processes')), []);
});

test('a content that was cut off fails before any of it is read', async t => {
  const directory = newDirectory(t);
  const store = await openLmdbStore({ directory });
  const space = await openSpace(store);
  const { id } = await putContent(store, space, Buffer.alloc(600_000, 'x'));
  const path = join(directory, 'contents', '1', id);
  const whole = readFileSync(path);
  let read = 0;
  const reading = async (until: number): Promise<void> => {
    read = 0;
    for await (const piece of store.content.read(space, id, 0, until)) read += piece.length;
  };
  for (const left of [300_000, 600_000, whole.length - 1]) {
    truncateSync(path, left);
    const missing = { name: 'StoreError', code: 'corrupt', message: /is missing, or shorter/ };
    await assert.rejects(reading(600_000), missing, `${left}`);
    assert.equal(read, 0);
    writeFileSync(path, whole);
  }
  await reading(600_000);
  assert.equal(read, 600_000);
  await store.close();
});

test('contents of another format are refused', async t => {
  const directory = newDirectory(t);
  const store = await openLmdbStore({ directory });
  await putContent(store, await openSpace(store), Buffer.from('x'));
  await store.close();
  for (const format of ['1', '3', '22']) {
    writeFileSync(join(directory, 'contents', 'format'), `${format}\n`);
    const message = `${directory}/contents has format ${format}; this program knows format 2. Use the version that wrote it.`;
    await assert.rejects(openLmdbStore({ directory }), { code: 'unsupported', message });
  }
});
