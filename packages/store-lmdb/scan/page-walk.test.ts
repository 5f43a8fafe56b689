// When a scan looks at the clock, and so yields the thread: by the work that was done, not only by rows.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Budget, Effort } from '#store';
import { PageWalk, type RowSource } from './page-walk.js';

const VALUE = Buffer.alloc(100);
const BUDGET: Budget = {
  rows: Number.POSITIVE_INFINITY,
  bytes: Number.POSITIVE_INFINITY,
  examined: Number.POSITIVE_INFINITY,
  milliseconds: 5_000,
};

function rows(count: number, value: Buffer): RowSource {
  let at = 0;
  return {
    partition: 'p',
    get key() {
      return String(at).padStart(6, '0');
    },
    version: 1n,
    value,
    bytes: value,
    from: 0,
    until: value.length,
    keyFrom: -1,
    keyUntil: -1,
    next: () => at++ < count,
    close: () => undefined,
  };
}

/** How many rows each slice visits if every slice is over as soon as it looks at the clock. */
function slices(count: number, stepsOfVisit: number | undefined, isTaken = false, value = VALUE): number[] {
  const effort: Effort = { steps: 1_000_000 };
  const budget = stepsOfVisit === undefined ? BUDGET : { ...BUDGET, effort };
  let visited = 0;
  const visit = (): boolean => {
    visited += 1;
    effort.steps += stepsOfVisit ?? 0;
    return isTaken;
  };
  const walk = new PageWalk(rows(count, value), budget, visit, () => 0n);
  const found: number[] = [];
  for (let isOver = false; !isOver; visited = 0) {
    isOver = walk.walk(0) !== undefined;
    found.push(visited);
  }
  return found;
}

test('a slice looks at the clock after 64 rows', () => {
  assert.deepEqual(slices(150, undefined), [64, 64, 22]);
  assert.deepEqual(slices(150, 0), [64, 64, 22]);
  assert.deepEqual(slices(150, undefined, true), [64, 64, 22]);
});

test('bytes that are taken count: 16 KiB as a row', () => {
  assert.deepEqual(slices(80, undefined, true, Buffer.alloc(0x4000 * 3)), [16, 16, 16, 16, 16, 0]);
});

test('steps of a visitor count: 64 as a row', () => {
  assert.deepEqual(slices(80, 64), [32, 32, 16]);
  assert.deepEqual(slices(80, 64 * 7), Array(11).fill(8).with(10, 0));
});

test('a visitor that works long gets one row per slice', () => {
  assert.deepEqual(slices(3, 63 * 64), [1, 1, 1, 0]);
  assert.deepEqual(slices(3, 50_000), [1, 1, 1, 0]);
});
