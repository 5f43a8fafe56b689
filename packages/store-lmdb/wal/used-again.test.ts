// Rows that were read from the log's memory stay as they are, and a scan sees what was there when it began, while
// checkpoints release that memory and later records are written into it.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import type { Row, Space, Store } from '#store';
import { openLmdbStore } from '../lmdb-store.js';
import { newDirectory, UNBOUNDED } from '../testing/fixture.js';
import { SPACE } from '../testing/logged-parts.js';

const ROWS = 400;
const BYTES = 2000;
const KEYS = Array.from({ length: ROWS }, (_, index) => `k${String(index).padStart(4, '0')}`);
const fillOf = (key: string): number => 1 + (Number(key.slice(1)) % 100);

function assertRow({ key, value }: Row): void {
  assert.equal(value.length, BYTES);
  assert(
    value.every(byte => byte === fillOf(key)),
    `${key} has ${value.toString('hex', 0, 4)}`,
  );
}

/** A megabyte in another partition, enough for a checkpoint. */
const putOthers = (store: Store, space: Space) =>
  store.commit(space, 'z', { keys: [] }, () => ({
    result: true,
    puts: KEYS.slice(0, 100).map(key => ({ key, value: Buffer.alloc(10_000, 255) })),
  }));

/** A store whose log has the rows, in memory that was released before. */
async function openRows(t: TestContext): Promise<{ readonly store: Store; readonly space: Space }> {
  const directory = newDirectory(t);
  const store = await openLmdbStore({ directory, exclusive: true }, { logAfter: 0 });
  t.after(() => store.close());
  const space = await store.createSpace(SPACE, Buffer.alloc(0));
  assert(space !== undefined);
  for (let round = 0; round < 4; round += 1) await putOthers(store, space);
  await wait(400);
  await store.commit(space, 'p', { keys: [] }, () => ({
    result: true,
    puts: KEYS.map(key => ({ key, value: Buffer.alloc(BYTES, fillOf(key)) })),
  }));
  return { store, space };
}

test("rows that were read stay as they are while the log's memory is reused", async t => {
  const { store, space } = await openRows(t);
  const read = await store.read(space, 'p', KEYS);
  let decided: readonly (Row | undefined)[] = [];
  await store.commit(space, 'p', { keys: KEYS }, rows => {
    decided = rows.keys;
    return { result: true };
  });
  for (let round = 0; round < 10; round += 1) await putOthers(store, space);
  await wait(400);
  for (let round = 0; round < 4; round += 1) await putOthers(store, space);
  for (const rows of [read, decided]) {
    assert.equal(rows.filter(row => row !== undefined).length, ROWS);
    for (const row of rows) if (row !== undefined) assertRow(row);
  }
});

test("a scan sees the rows of its beginning while the log's memory is reused", async t => {
  const { store, space } = await openRows(t);
  const range = { from: { partition: 'p', key: '' }, until: { partition: 'q', key: '' } };
  let isUnderWay = true;
  let seen = 0;
  let others = 0;
  const scan = store.scan(space, range, UNBOUNDED, row => {
    assertRow(row);
    // A slice of a scan ends after 4 ms and yields; a slow disk needs more turns.
    const until = performance.now() + (others > 2 ? 1 : 20);
    while (performance.now() < until);
    seen += 1;
    return true;
  });
  const scanned = scan.finally(() => {
    isUnderWay = false;
  });
  for (; isUnderWay; others += 1) await putOthers(store, space);
  await scanned;
  assert.equal(seen, ROWS);
  assert(others > 2, `${others} megabytes were written beside the scan`);
});
