// When a scan looks at the clock, and so yields the thread: by the work that was done, not only by rows. Slices share a
// turn of the event loop, waiting works are served in order, and none is forgotten.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Budget, type Effort, inPlace } from '#store';
import { CooperativeScheduler, PageWalk, type RowSource } from './page-walk.js';

const VALUE = Buffer.alloc(100);
const BUDGET: Budget = {
  rows: Number.POSITIVE_INFINITY,
  bytes: Number.POSITIVE_INFINITY,
  examined: Number.POSITIVE_INFINITY,
  milliseconds: 5_000,
};

function rows(count: number, value: Buffer): RowSource {
  let at = 0;
  const row = inPlace({ partition: 'p', key: 'k', version: 1n, value });
  return { row, next: () => at++ < count, close: () => undefined };
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

/** Runs works of the given numbers and lengths of slices; returns the order of slices, with `|` where a turn ended. */
async function run(
  share: CooperativeScheduler,
  works: readonly { slices: number; milliseconds: number }[],
): Promise<string> {
  let order = '';
  let isOver = false;
  const mark = () => {
    order += '|';
    if (!isOver) setImmediate(mark);
  };
  setImmediate(mark);
  await Promise.all(
    works.map(async ({ slices, milliseconds }, index) => {
      for (let slice = 0; slice < slices; slice += 1) {
        const turn = share.enter();
        if (turn !== undefined) await turn;
        order += index;
        share.leave(milliseconds);
      }
    }),
  );
  isOver = true;
  return order;
}

test('short slices share a turn, and a work alone continues at once', async () => {
  assert.equal(await run(new CooperativeScheduler(4), [{ slices: 3, milliseconds: 1 }]), '000');
  const four = Array.from({ length: 4 }, () => ({ slices: 1, milliseconds: 1 }));
  assert.equal(await run(new CooperativeScheduler(4), four), '0123');
});

test('a slice as long as the share ends the turn, and works take turns', async () => {
  const three = Array.from({ length: 3 }, () => ({ slices: 2, milliseconds: 4 }));
  const order = await run(new CooperativeScheduler(4), three);
  assert.equal(order.replaceAll('|', ''), '001212', 'the first one waits already when the others come');
  assert(/^0\|+0\|+1\|+2\|+1\|+2$/.test(order), order);
});

test('many works of any length are all served', async () => {
  const works = Array.from({ length: 50 }, (_, index) => ({
    slices: 1 + (index % 7),
    milliseconds: index % 6,
  }));
  const order = await run(new CooperativeScheduler(4), works);
  assert(order.length > 150);
});
