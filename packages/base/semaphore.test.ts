// A semaphore admits no more than its count, in order, and knows when all have left.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Semaphore } from './semaphore.js';

test('a semaphore admits its count at a time, and the others in the order of arrival', async () => {
  const semaphore = new Semaphore(3);
  const order: number[] = [];
  let inside = 0;
  const visit = async (visitor: number) => {
    await semaphore.enter();
    inside += 1;
    assert(inside <= 3);
    order.push(visitor);
    await new Promise<void>(resolve => {
      setImmediate(resolve);
    });
    inside -= 1;
    semaphore.leave();
  };
  const visitors = Array.from({ length: 20 }, (_, index) => index);
  const visits = Promise.all(visitors.map(visit));
  await semaphore.empty();
  assert.equal(order.length, 20, 'empty waits for those who wait');
  await visits;
  assert.deepEqual(order, visitors);
  await semaphore.empty();
  assert.equal(semaphore.enter(), undefined, 'nobody waits where there is a place');
});
