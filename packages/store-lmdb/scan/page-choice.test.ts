// Shows which ranges are read by pages: all but long ones of wide rows whose leaves are wide apart in the file.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { openEnvironment } from '../environment.js';
import { ROW_TREES, ROWS_TREE } from '../layout/rows.js';
import { isWorthPages } from './page-choice.js';
import { Snapshots } from './snapshot.js';

const ROWS = 2_000;
const keyOf = (row: number): Buffer => Buffer.from(`\0\0\0\x01p\0${String(row).padStart(6, '0')}`, 'latin1');
/** Every row once, neighbours in the tree far from each other in time. */
const scattered = (index: number): number => (index * 787) % ROWS;

/** Rows that were put in an order, a few in a transaction, and the choice for a range of them. */
async function choices(t: TestContext, bytes: number, order: (index: number) => number) {
  const directory = await mkdtemp(join(tmpdir(), 'page-choice-'));
  const environment = openEnvironment({ directory, durability: 'none', exclusive: true });
  t.after(async () => {
    await environment.close();
    await rm(directory, { recursive: true });
  });
  for (let from = 0; from < ROWS; from += 50)
    await environment.transaction(() => {
      for (let index = from; index < from + 50; index += 1)
        environment.rows.apply(keyOf(order(index)), Buffer.alloc(bytes, index));
    });
  const found = new Snapshots(environment.last, environment.path, ROW_TREES).newest();
  assert(found !== undefined);
  return (from: number, until: number): boolean =>
    isWorthPages(found.snapshot, found.roots.get(ROWS_TREE), { start: keyOf(from), end: keyOf(until) });
}

test('leaves that stand side by side are read by pages, however wide their rows', async t => {
  const isWorth = await choices(t, 1_000, index => index);
  assert.deepEqual([isWorth(0, ROWS), isWorth(0, 10)], [true, true]);
});

test('wide rows whose leaves are apart are read with the cursor, unless the range is short', async t => {
  const isWorth = await choices(t, 1_000, scattered);
  assert.deepEqual([isWorth(0, ROWS), isWorth(0, 10), isWorth(700, 800)], [false, true, true]);
});

test('leaves of many small rows are read by pages wherever they stand', async t => {
  const isWorth = await choices(t, 100, scattered);
  assert.deepEqual([isWorth(0, ROWS), isWorth(0, 10)], [true, true]);
});
