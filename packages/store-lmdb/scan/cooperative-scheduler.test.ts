// Slices share a turn of the event loop, waiting works are served in order, and none is forgotten.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CooperativeScheduler } from './cooperative-scheduler.js';

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
